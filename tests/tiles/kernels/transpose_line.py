"""Transpose on one axis, row by row of the source."""
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(src, dst, rows, cols, TILE: tl.constexpr):
    pid = tl.program_id(axis=0)
    tiles_x = (cols + TILE - 1) // TILE
    ty, tx = pid // tiles_x, pid % tiles_x
    r = ty * TILE + tl.arange(0, TILE)
    c = tx * TILE + tl.arange(0, TILE)
    block = tl.load(src + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols), other=0.0)
    tl.store(dst + c[:, None] * rows + r[None, :], tl.trans(block),
             mask=(c[:, None] < cols) & (r[None, :] < rows))
