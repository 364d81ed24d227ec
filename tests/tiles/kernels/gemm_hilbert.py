"""GEMM along a Hilbert curve on a square of SIDE x SIDE tiles, SIDE a power of two."""
import triton
import triton.language as tl


@triton.jit
def hilbert_gemm(a, b, c, N, K, TILE: tl.constexpr, TILE_K: tl.constexpr, SIDE: tl.constexpr):
    t = tl.program_id(0)
    x = t * 0
    y = t * 0
    s = 1
    while s < SIDE:
        rx = 1 & (t // 2)
        ry = 1 & (t ^ rx)
        flip = (ry == 0) & (rx == 1)
        fx = tl.where(flip, s - 1 - x, x)
        fy = tl.where(flip, s - 1 - y, y)
        x = tl.where(ry == 0, fy, fx) + s * rx
        y = tl.where(ry == 0, fx, fy) + s * ry
        t = t // 4
        s = s * 2
    rm = y * TILE + tl.arange(0, TILE)
    rn = x * TILE + tl.arange(0, TILE)
    acc = tl.zeros((TILE, TILE), tl.float32)
    for k in range(0, K, TILE_K):
        rk = k + tl.arange(0, TILE_K)
        acc += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(b + rk[:, None] * N + rn[None, :]))
    tl.store(c + rm[:, None] * N + rn[None, :], acc)
