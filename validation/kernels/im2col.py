"""Patches of 3 x 3 as rows of a matrix, channels first: [image * channel, 9, pixel]; a block writes three of the nine."""
import triton
import triton.language as tl


@triton.jit
def im2col_kernel(x_ptr, col_ptr, height, width, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    ky = tl.program_id(1)
    plane = tl.program_id(2)
    pixels = height * width
    p = part * BLOCK + tl.arange(0, BLOCK)
    live = p < pixels
    y = p // width + ky - 1
    for kx in tl.static_range(3):
        x = p % width + kx - 1
        inside = live & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        v = tl.load(x_ptr + plane * pixels + y * width + x, mask=inside, other=0.0)
        tl.store(col_ptr + (plane * 9 + ky * 3 + kx) * pixels + p, v, mask=live)
