"""A 3 x 3 depthwise convolution, channels last: a block does a row of pixels for some of the channels."""
import triton
import triton.language as tl


@triton.jit
def conv2d_depthwise_kernel(
    x_ptr, weight_ptr, out_ptr, height, width, channels,
    BLOCK_X: tl.constexpr, BLOCK_CHANNELS: tl.constexpr,
):
    channel_tile = tl.program_id(0)
    y = tl.program_id(1)
    image = tl.program_id(2)
    channel = channel_tile * BLOCK_CHANNELS + tl.arange(0, BLOCK_CHANNELS)[None, :]
    live = channel < channels

    for start in range(0, width, BLOCK_X):
        x = start + tl.arange(0, BLOCK_X)[:, None]
        total = tl.zeros((BLOCK_X, BLOCK_CHANNELS), dtype=tl.float32)
        for dy in tl.static_range(3):
            for dx in tl.static_range(3):
                from_y = y + dy - 1
                from_x = x + dx - 1
                inside = (from_y >= 0) & (from_y < height) & (from_x >= 0) & (from_x < width) & live
                pixel = (image * height + from_y) * width + from_x
                value = tl.load(x_ptr + pixel * channels + channel, mask=inside, other=0.0)
                weight = tl.load(weight_ptr + (dy * 3 + dx) * channels + channel, mask=live, other=0.0)
                total += value.to(tl.float32) * weight.to(tl.float32)
        out_pixel = (image * height + y) * width + x
        tl.store(out_ptr + out_pixel * channels + channel, total.to(tl.float16), mask=(x < width) & live)
