"""The Manhattan distance of all pairs of points; coordinates lie one after the other: [dimension, point]."""
import triton
import triton.language as tl


@triton.jit
def pairwise_distance_kernel(
    x_ptr, y_ptr, out_ptr, x_points, y_points, dimensions,
    BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr,
):
    y_tile = tl.program_id(0)
    x_tile = tl.program_id(1)
    i = x_tile * BLOCK_X + tl.arange(0, BLOCK_X)
    j = y_tile * BLOCK_Y + tl.arange(0, BLOCK_Y)
    total = tl.zeros((BLOCK_X, BLOCK_Y), dtype=tl.float32)
    for d in range(dimensions):
        x = tl.load(x_ptr + d * x_points + i, mask=i < x_points, other=0.0)
        y = tl.load(y_ptr + d * y_points + j, mask=j < y_points, other=0.0)
        total += tl.abs(x[:, None] - y[None, :])
    tl.store(out_ptr + i[:, None] * y_points + j[None, :], total,
             mask=(i[:, None] < x_points) & (j[None, :] < y_points))
