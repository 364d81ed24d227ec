"""A change of layout: [image, channel, pixel] to [image, pixel, channel], in tiles."""
import triton
import triton.language as tl


@triton.jit
def nchw_to_nhwc_kernel(
    in_ptr, out_ptr, channels, pixels, BLOCK_CHANNELS: tl.constexpr, BLOCK_PIXELS: tl.constexpr,
):
    pixel_tile = tl.program_id(0)
    channel_tile = tl.program_id(1)
    image = tl.program_id(2)
    channel = channel_tile * BLOCK_CHANNELS + tl.arange(0, BLOCK_CHANNELS)
    pixel = pixel_tile * BLOCK_PIXELS + tl.arange(0, BLOCK_PIXELS)
    base = image * channels * pixels
    inside = (channel[:, None] < channels) & (pixel[None, :] < pixels)
    x = tl.load(in_ptr + base + channel[:, None] * pixels + pixel[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + base + pixel[None, :] * channels + channel[:, None], x, mask=inside)
