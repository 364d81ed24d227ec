"""A 3 x 3 depthwise convolution, channels last: a block is a piece of a row of pixels and of the channels."""
import triton
import triton.language as tl


@triton.jit
def conv2d_depthwise_kernel(
    x_ptr, weight_ptr, out_ptr, height, width, channels,
    BLOCK_X: tl.constexpr, BLOCK_CHANNELS: tl.constexpr,
):
    tiles_x = tl.cdiv(width, BLOCK_X)
    channel_tile = tl.program_id(0)
    x_tile = tl.program_id(1) % tiles_x
    y = tl.program_id(1) // tiles_x
    image = tl.program_id(2)
    x = x_tile * BLOCK_X + tl.arange(0, BLOCK_X)
    channel = channel_tile * BLOCK_CHANNELS + tl.arange(0, BLOCK_CHANNELS)
    live = channel[None, :] < channels

    total = tl.zeros((BLOCK_X, BLOCK_CHANNELS), dtype=tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            from_y = y + dy - 1
            from_x = x[:, None] + dx - 1
            inside = (from_y >= 0) & (from_y < height) & (from_x >= 0) & (from_x < width) & live
            pixel = (image * height + from_y) * width + from_x
            value = tl.load(x_ptr + pixel * channels + channel[None, :], mask=inside, other=0.0)
            weight = tl.load(weight_ptr + (dy * 3 + dx) * channels + channel, mask=channel < channels, other=0.0)
            total += value.to(tl.float32) * weight[None, :].to(tl.float32)

    out_pixel = (image * height + y) * width + x[:, None]
    tl.store(out_ptr + out_pixel * channels + channel[None, :], total.to(tl.float16), mask=(x[:, None] < width) & live)
