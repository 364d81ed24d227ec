"""K-means: the nearest centre of each point of a block within one slice of the centres; a later pass merges slices."""
import triton
import triton.language as tl


@triton.jit
def kmeans_assign_kernel(
    point_ptr, centre_ptr, norm_ptr, best_ptr, label_ptr, points, centres, slice_size,
    BLOCK_P: tl.constexpr, BLOCK_C: tl.constexpr, DIM: tl.constexpr,
):
    block = tl.program_id(0)
    part = tl.program_id(1)
    p = block * BLOCK_P + tl.arange(0, BLOCK_P)
    d = tl.arange(0, DIM)
    x = tl.load(point_ptr + p[:, None] * DIM + d[None, :], mask=p[:, None] < points, other=0.0)
    best = tl.full((BLOCK_P,), 1.0e30, dtype=tl.float32)
    label = tl.zeros((BLOCK_P,), dtype=tl.int32)
    last = tl.minimum((part + 1) * slice_size, centres)
    for start in range(part * slice_size, last, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        y = tl.load(centre_ptr + c[None, :] * DIM + d[:, None], mask=c[None, :] < last, other=0.0)
        norm = tl.load(norm_ptr + c, mask=c < last, other=1.0e30)
        distance = norm[None, :] - 2.0 * tl.dot(x, y)
        low = tl.min(distance, axis=1)
        where = tl.argmin(distance, axis=1)
        closer = low < best
        label = tl.where(closer, start + where, label)
        best = tl.where(closer, low, best)
    tl.store(best_ptr + part * points + p, best, mask=p < points)
    tl.store(label_ptr + part * points + p, label, mask=p < points)
