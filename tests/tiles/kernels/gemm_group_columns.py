"""Bands of GROUP_N columns, walked row by row inside a band: B stays in cache. W4 weights of int8."""
import triton
import triton.language as tl


@triton.jit
def w8_gemm(x, qw, scale, out, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr, GROUP_N: tl.constexpr):
    pid = tl.program_id(0)
    n_m = tl.cdiv(M, BLOCK_M)
    n_n = tl.cdiv(N, BLOCK_N)
    band = pid // (GROUP_N * n_m)
    in_band = pid - band * GROUP_N * n_m
    width = tl.minimum(n_n - band * GROUP_N, GROUP_N)
    bn = band * GROUP_N + in_band % width
    bm = in_band // width

    om = bm * BLOCK_M + tl.arange(0, BLOCK_M)
    on = bn * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        ok = k + tl.arange(0, BLOCK_K)
        xs = tl.load(x + om[:, None] * K + ok[None, :], mask=om[:, None] < M, other=0.0)
        ws = tl.load(qw + on[None, :] * K + ok[:, None], mask=on[None, :] < N, other=0,
                     eviction_policy="evict_last")
        acc += tl.dot(xs, ws.to(tl.float16))
    s = tl.load(scale + on, mask=on < N, other=1.0)
    tl.store(out + om[:, None] * N + on[None, :], (acc * s[None, :]).to(tl.float16),
             mask=(om < M)[:, None] & (on < N)[None, :])
