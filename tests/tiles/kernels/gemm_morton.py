"""GEMM in Z-order on a square of 2^BITS tiles: even bits of the id are the column, odd ones the row."""
import triton
import triton.language as tl


@triton.jit
def deinterleave(code, BITS: tl.constexpr):
    out = code * 0
    for bit in tl.static_range(BITS):
        out |= ((code >> (2 * bit)) & 1) << bit
    return out


@triton.jit
def morton_gemm(a, b, c, N, K, TILE: tl.constexpr, TILE_K: tl.constexpr, BITS: tl.constexpr):
    code = tl.program_id(0)
    col = deinterleave(code, BITS)
    row = deinterleave(code >> 1, BITS)
    rm = row * TILE + tl.arange(0, TILE)
    rn = col * TILE + tl.arange(0, TILE)
    acc = tl.zeros((TILE, TILE), tl.float32)
    for k in range(0, K, TILE_K):
        rk = k + tl.arange(0, TILE_K)
        acc += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(b + rk[:, None] * N + rn[None, :]))
    tl.store(c + rm[:, None] * N + rn[None, :], acc)
