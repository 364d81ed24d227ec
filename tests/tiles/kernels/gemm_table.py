"""GEMM whose tile is looked up: a host-made schedule says what each program does."""
import triton
import triton.language as tl


@triton.jit
def scheduled_gemm(a, b, c, schedule, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.load(schedule + tl.program_id(0))
    nn = tl.cdiv(N, BN)
    i = tile // nn
    j = tile % nn
    rm = i * BM + tl.arange(0, BM)
    rn = j * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(b + rk[:, None] * N + rn[None, :]))
    tl.store(c + rm[:, None] * N + rn[None, :], acc)
