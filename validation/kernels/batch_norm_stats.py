"""Sums and sums of squares of a channel over the pixels of some images; a later kernel adds the parts."""
import triton
import triton.language as tl


@triton.jit
def batch_norm_stats_kernel(
    x_ptr, sum_ptr, square_ptr, images, channels, pixels,
    IMAGES: tl.constexpr, BLOCK: tl.constexpr,
):
    part = tl.program_id(0)
    channel = tl.program_id(1)
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    q = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(IMAGES):
        image = part * IMAGES + i
        base = (image * channels + channel) * pixels
        for start in range(0, pixels, BLOCK):
            p = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + base + p, mask=(p < pixels) & (image < images), other=0.0).to(tl.float32)
            s += x
            q += x * x
    at = part * channels + channel
    tl.store(sum_ptr + at, tl.sum(s, axis=0))
    tl.store(square_ptr + at, tl.sum(q, axis=0))
