"""A seven-point stencil in three dimensions; grid axis 0 runs along x, the contiguous axis."""
import triton
import triton.language as tl


@triton.jit
def load_or_zero(ptr, offsets, inside):
    return tl.load(ptr + offsets, mask=inside, other=0.0)


@triton.jit
def stencil_3d_kernel(
    input_ptr,
    output_ptr,
    size_z,
    size_y,
    size_x,
    BLOCK_Z: tl.constexpr,
    BLOCK_Y: tl.constexpr,
    BLOCK_X: tl.constexpr,
):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, None, :]
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[None, :, None]
    z = tl.program_id(2) * BLOCK_Z + tl.arange(0, BLOCK_Z)[:, None, None]
    plane = size_y * size_x
    here = z * plane + y * size_x + x
    inside = (z < size_z) & (y < size_y) & (x < size_x)

    total = -6.0 * load_or_zero(input_ptr, here, inside)
    total += load_or_zero(input_ptr, here - 1, inside & (x > 0))
    total += load_or_zero(input_ptr, here + 1, inside & (x + 1 < size_x))
    total += load_or_zero(input_ptr, here - size_x, inside & (y > 0))
    total += load_or_zero(input_ptr, here + size_x, inside & (y + 1 < size_y))
    total += load_or_zero(input_ptr, here - plane, inside & (z > 0))
    total += load_or_zero(input_ptr, here + plane, inside & (z + 1 < size_z))
    tl.store(output_ptr + here, total, mask=inside)
