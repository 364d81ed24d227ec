"""GEMM in snake order: every second row of tiles runs backwards and starts with a warm column of B."""
import triton
import triton.language as tl


@triton.jit
def snake_gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    nn = tl.cdiv(N, BN)
    i = pid // nn
    j = pid % nn
    j = tl.where(i % 2 == 0, j, nn - 1 - j)
    rm = i * BM + tl.arange(0, BM)
    rn = j * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(b + rk[:, None] * N + rn[None, :]))
    tl.store(c + rm[:, None] * N + rn[None, :], acc)
