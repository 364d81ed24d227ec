"""A seven-point stencil in three dimensions with flat tiles: one plane, a few rows, long in x."""
import triton
import triton.language as tl


@triton.jit
def stencil_3d_7point_kernel(
    in_ptr, out_ptr, size_z, size_y, size_x, centre, side,
    BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr,
):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]
    z = tl.program_id(2)
    plane = size_y * size_x
    inside = (y < size_y) & (x < size_x)
    here = in_ptr + z * plane + y * size_x + x
    total = centre * tl.load(here, mask=inside, other=0.0)
    sides = tl.load(here - 1, mask=inside & (x > 0), other=0.0)
    sides += tl.load(here + 1, mask=inside & (x < size_x - 1), other=0.0)
    sides += tl.load(here - size_x, mask=inside & (y > 0), other=0.0)
    sides += tl.load(here + size_x, mask=inside & (y < size_y - 1), other=0.0)
    sides += tl.load(here - plane, mask=inside & (z > 0), other=0.0)
    sides += tl.load(here + plane, mask=inside & (z < size_z - 1), other=0.0)
    tl.store(out_ptr + z * plane + y * size_x + x, total + side * sides, mask=inside)
