"""The gradient of a 3 x 3 filter, channels last: for a tap, X shifted, transposed, times dY; images are split."""
import triton
import triton.language as tl


@triton.jit
def conv_weight_grad_kernel(
    x_ptr, dy_ptr, dw_ptr, images, height, width, channels, filters, images_per_split,
    BLOCK_C: tl.constexpr, BLOCK_F: tl.constexpr, BLOCK_P: tl.constexpr,
):
    pid = tl.program_id(0)
    tap = tl.program_id(1)
    split = tl.program_id(2)
    f_tiles = tl.cdiv(filters, BLOCK_F)
    c_tile = pid // f_tiles
    f_tile = pid % f_tiles
    c = c_tile * BLOCK_C + tl.arange(0, BLOCK_C)
    f = f_tile * BLOCK_F + tl.arange(0, BLOCK_F)
    dy = (tap >= 3).to(tl.int32) + (tap >= 6).to(tl.int32) - 1
    dx = tap - 3 * dy - 4
    plane = height * width
    first = split * images_per_split * plane
    last = tl.minimum((split + 1) * images_per_split, images) * plane
    acc = tl.zeros((BLOCK_C, BLOCK_F), dtype=tl.float32)
    for p0 in range(first, last, BLOCK_P):
        p = p0 + tl.arange(0, BLOCK_P)
        y = p // width % height + dy
        x = p % width + dx
        live = p < last
        inside = live & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        source = p + dy * width + dx
        a = tl.load(x_ptr + source[None, :] * channels + c[:, None],
                    mask=inside[None, :] & (c[:, None] < channels), other=0.0)
        b = tl.load(dy_ptr + p[:, None] * filters + f[None, :],
                    mask=live[:, None] & (f[None, :] < filters), other=0.0)
        acc = tl.dot(a, b, acc)
    out = dw_ptr + (split * 9 + tap) * channels * filters
    tl.store(out + c[:, None] * filters + f[None, :], acc, mask=(c[:, None] < channels) & (f[None, :] < filters))
