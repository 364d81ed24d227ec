"""The wave equation, second order in time, fourth in space: two levels and the speed in, the next level out."""
import triton
import triton.language as tl


@triton.jit
def wave_2d_kernel(
    now_ptr, before_ptr, speed_ptr, next_ptr, height, width,
    TILE_Y: tl.constexpr, TILE_X: tl.constexpr,
):
    tx = tl.program_id(0)
    ty = tl.program_id(1)
    x = tx * TILE_X + tl.arange(0, TILE_X)[None, :]
    y = ty * TILE_Y + tl.arange(0, TILE_Y)[:, None]
    inner = (x >= 2) & (x < width - 2) & (y >= 2) & (y < height - 2)
    at = y * width + x
    here = tl.load(now_ptr + at, mask=inner, other=0.0)
    near = tl.load(now_ptr + at - 1, mask=inner, other=0.0) + tl.load(now_ptr + at + 1, mask=inner, other=0.0)
    near += tl.load(now_ptr + at - width, mask=inner, other=0.0) + tl.load(now_ptr + at + width, mask=inner, other=0.0)
    far = tl.load(now_ptr + at - 2, mask=inner, other=0.0) + tl.load(now_ptr + at + 2, mask=inner, other=0.0)
    far += tl.load(now_ptr + at - 2 * width, mask=inner, other=0.0)
    far += tl.load(now_ptr + at + 2 * width, mask=inner, other=0.0)
    laplace = 1.3333334 * near - 0.083333336 * far - 5.0 * here
    before = tl.load(before_ptr + at, mask=inner, other=0.0)
    speed = tl.load(speed_ptr + at, mask=inner, other=0.0)
    tl.store(next_ptr + at, 2.0 * here - before + speed * laplace, mask=inner)
