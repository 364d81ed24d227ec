"""Group normalisation of [image, channel, pixel]: two passes over the channels of a group."""
import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, channels, pixels, eps,
    GROUP_CHANNELS: tl.constexpr, BLOCK: tl.constexpr,
):
    group = tl.program_id(0)
    image = tl.program_id(1)
    count = GROUP_CHANNELS * pixels
    base = (image * channels + group * GROUP_CHANNELS) * pixels

    total = tl.zeros((BLOCK,), dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, count, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + at, mask=at < count, other=0.0).to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / count
    variance = tl.sum(squares, axis=0) / count - mean * mean
    scale = tl.rsqrt(variance + eps)

    for start in range(0, count, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < count
        channel = group * GROUP_CHANNELS + at // pixels
        x = tl.load(x_ptr + base + at, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + channel, mask=inside, other=0.0)
        bias = tl.load(bias_ptr + channel, mask=inside, other=0.0)
        y = (x - mean) * scale * weight + bias
        tl.store(out_ptr + base + at, y.to(tl.float16), mask=inside)
