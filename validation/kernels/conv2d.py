"""A 2-D convolution as an implicit GEMM, channels last: a row of the product is an output pixel."""
import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    x_ptr, weight_ptr, out_ptr, images, height, width, channels, filters, out_height, out_width,
    FILTER_H: tl.constexpr, FILTER_W: tl.constexpr, STRIDE: tl.constexpr, PADDING: tl.constexpr,
    BLOCK_PIXELS: tl.constexpr, BLOCK_FILTERS: tl.constexpr, BLOCK_CHANNELS: tl.constexpr,
):
    pid = tl.program_id(0)
    filter_tiles = tl.cdiv(filters, BLOCK_FILTERS)
    pixel_tile = pid // filter_tiles
    filter_tile = pid % filter_tiles

    pixels = images * out_height * out_width
    pixel = pixel_tile * BLOCK_PIXELS + tl.arange(0, BLOCK_PIXELS)
    image = pixel // (out_height * out_width)
    out_y = pixel // out_width % out_height
    out_x = pixel % out_width
    out_channel = filter_tile * BLOCK_FILTERS + tl.arange(0, BLOCK_FILTERS)

    total = tl.zeros((BLOCK_PIXELS, BLOCK_FILTERS), dtype=tl.float32)
    for tap in range(FILTER_H * FILTER_W):
        dy = tap // FILTER_W
        dx = tap % FILTER_W
        y = out_y * STRIDE + dy - PADDING
        x = out_x * STRIDE + dx - PADDING
        inside = (pixel < pixels) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        pixel_base = ((image * height + y) * width + x) * channels
        weight_base = (out_channel * FILTER_H * FILTER_W + tap) * channels
        for start in range(0, channels, BLOCK_CHANNELS):
            channel = start + tl.arange(0, BLOCK_CHANNELS)
            patch = tl.load(x_ptr + pixel_base[:, None] + channel[None, :],
                            mask=inside[:, None] & (channel[None, :] < channels), other=0.0)
            weight = tl.load(weight_ptr + weight_base[None, :] + channel[:, None],
                             mask=(out_channel[None, :] < filters) & (channel[:, None] < channels), other=0.0)
            total = tl.dot(patch, weight, total)

    out_ptrs = out_ptr + pixel[:, None] * filters + out_channel[None, :]
    tl.store(out_ptrs, total.to(tl.float16), mask=(pixel[:, None] < pixels) & (out_channel[None, :] < filters))
