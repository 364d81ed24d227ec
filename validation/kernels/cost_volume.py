"""Stereo matching: out[d, y, x] = sum over channels of left[c, y, x] * right[c, y, x - d]."""
import triton
import triton.language as tl


@triton.jit
def cost_volume_kernel(
    left_ptr, right_ptr, out_ptr, channels, height, width, disparities,
    BLOCK_D: tl.constexpr, BLOCK_X: tl.constexpr,
):
    d_tile = tl.program_id(2)
    y = tl.program_id(1)
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    d = d_tile * BLOCK_D + tl.arange(0, BLOCK_D)
    from_x = x[None, :] - d[:, None]
    live = x < width
    seen = live[None, :] & (from_x >= 0)
    total = tl.zeros((BLOCK_D, BLOCK_X), dtype=tl.float32)
    for c in range(channels):
        line = (c * height + y) * width
        a = tl.load(left_ptr + line + x, mask=live, other=0.0).to(tl.float32)
        b = tl.load(right_ptr + line + from_x, mask=seen, other=0.0).to(tl.float32)
        total += a[None, :] * b
    tl.store(out_ptr + (d[:, None] * height + y) * width + x[None, :], total / channels,
             mask=(d[:, None] < disparities) & live[None, :])
