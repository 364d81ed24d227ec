"""Average pooling of 3 x 3 pixels with a step of 2, channels last: rows of the result share rows of the source."""
import triton
import triton.language as tl


@triton.jit
def average_pool_kernel(
    x_ptr, out_ptr, height, width, channels, out_height, out_width,
    BLOCK_X: tl.constexpr, BLOCK_CHANNELS: tl.constexpr,
):
    channel_tile = tl.program_id(0)
    x_tile = tl.program_id(1)
    image = tl.program_id(2) // out_height
    out_y = tl.program_id(2) % out_height
    out_x = x_tile * BLOCK_X + tl.arange(0, BLOCK_X)[:, None]
    channel = channel_tile * BLOCK_CHANNELS + tl.arange(0, BLOCK_CHANNELS)[None, :]
    total = tl.zeros((BLOCK_X, BLOCK_CHANNELS), dtype=tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            y = out_y * 2 + dy
            x = out_x * 2 + dx
            inside = (y < height) & (x < width) & (channel < channels)
            pixel = (image * height + y) * width + x
            total += tl.load(x_ptr + pixel * channels + channel, mask=inside, other=0.0).to(tl.float32)
    out_pixel = (image * out_height + out_y) * out_width + out_x
    tl.store(out_ptr + out_pixel * channels + channel, (total / 9.0).to(tl.float16),
             mask=(out_x < out_width) & (channel < channels))
