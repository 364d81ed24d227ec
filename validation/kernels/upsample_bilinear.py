"""Bilinear upsampling of images: four neighbours of the source for each pixel of the result."""
import triton
import triton.language as tl


@triton.jit
def upsample_bilinear_kernel(
    in_ptr, out_ptr, height, width, out_height, out_width, ratio_y, ratio_x,
    BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr,
):
    x = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    y = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)
    plane = tl.program_id(2)
    inside = (y[:, None] < out_height) & (x[None, :] < out_width)
    from_y = tl.maximum((y + 0.5) * ratio_y - 0.5, 0.0)
    from_x = tl.maximum((x + 0.5) * ratio_x - 0.5, 0.0)
    y0 = tl.minimum(from_y.to(tl.int32), height - 1)
    x0 = tl.minimum(from_x.to(tl.int32), width - 1)
    y1 = tl.minimum(y0 + 1, height - 1)
    x1 = tl.minimum(x0 + 1, width - 1)
    part_y = (from_y - y0)[:, None]
    part_x = (from_x - x0)[None, :]

    base = in_ptr + plane * height * width
    top_left = tl.load(base + y0[:, None] * width + x0[None, :], mask=inside, other=0.0)
    top_right = tl.load(base + y0[:, None] * width + x1[None, :], mask=inside, other=0.0)
    low_left = tl.load(base + y1[:, None] * width + x0[None, :], mask=inside, other=0.0)
    low_right = tl.load(base + y1[:, None] * width + x1[None, :], mask=inside, other=0.0)
    top = top_left + part_x * (top_right - top_left)
    low = low_left + part_x * (low_right - low_left)
    out = out_ptr + plane * out_height * out_width + y[:, None] * out_width + x[None, :]
    tl.store(out, top + part_y * (low - top), mask=inside)
