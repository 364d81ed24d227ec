"""Transposes of a batch of matrices, one plane of the launch for each."""
import triton
import triton.language as tl


@triton.jit
def batched_transpose_kernel(src, dst, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    b = tl.program_id(2)
    src += b * rows * cols
    dst += b * rows * cols
    tile = tl.load(src + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols), other=0.0)
    tl.store(dst + c[:, None] * rows + r[None, :], tl.trans(tile), mask=(c[:, None] < cols) & (r[None, :] < rows))
