"""3 x 3 max pooling with stride 2, channels first: a tile of output pixels of one plane."""
import triton
import triton.language as tl


@triton.jit
def max_pool_kernel(
    x_ptr, out_ptr, height, width, out_height, out_width,
    BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr,
):
    ox = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]
    oy = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]
    plane = tl.program_id(2)
    x_base = x_ptr + plane * height * width
    best = tl.full((BLOCK_Y, BLOCK_X), -1.0e30, dtype=tl.float32)
    for ky in tl.static_range(3):
        for kx in tl.static_range(3):
            y = oy * 2 + ky - 1
            x = ox * 2 + kx - 1
            inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            value = tl.load(x_base + y * width + x, mask=inside, other=-1.0e30)
            best = tl.maximum(best, value)
    tl.store(out_ptr + plane * out_height * out_width + oy * out_width + ox, best,
             mask=(oy < out_height) & (ox < out_width))
