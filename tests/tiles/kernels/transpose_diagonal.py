"""Transpose in diagonals: neighbouring ids differ in row and column, so that channels do not collide."""
import triton
import triton.language as tl


@triton.jit
def transpose_diagonal(src, dst, n, TILE: tl.constexpr):
    bx = tl.program_id(0)
    by = tl.program_id(1)
    # one diagonal after the other
    tile_row = bx
    tile_col = (bx + by) % tl.num_programs(0)
    r = tile_row * TILE + tl.arange(0, TILE)
    c = tile_col * TILE + tl.arange(0, TILE)
    block = tl.load(src + r[:, None] * n + c[None, :])
    tl.store(dst + c[:, None] * n + r[None, :], tl.trans(block))
