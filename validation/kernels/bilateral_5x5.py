"""A bilateral filter of 5 x 5 pixels on a grey image: weights fall with distance and with the difference of values."""
import triton
import triton.language as tl


@triton.jit
def bilateral_5x5_kernel(
    in_ptr, out_ptr, height, width, inv_space, inv_range,
    BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr,
):
    col = tl.program_id(0) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    row = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    ok = (row < height) & (col < width)
    centre = tl.load(in_ptr + row * width + col, mask=ok, other=0.0).to(tl.float32)
    num = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
    den = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
    for tap in range(25):
        dy = tap // 5 - 2
        dx = tap % 5 - 2
        y = tl.minimum(tl.maximum(row + dy, 0), height - 1)
        x = tl.minimum(tl.maximum(col + dx, 0), width - 1)
        v = tl.load(in_ptr + y * width + x, mask=ok, other=0.0).to(tl.float32)
        diff = v - centre
        w = tl.exp(-(dy * dy + dx * dx).to(tl.float32) * inv_space - diff * diff * inv_range)
        num += w * v
        den += w
    tl.store(out_ptr + row * width + col, (num / den).to(tl.float16), mask=ok)
