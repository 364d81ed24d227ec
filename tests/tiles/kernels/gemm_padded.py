"""The launch is padded to a multiple of the dies; programs beyond the last tile return at once."""
import triton
import triton.language as tl


@triton.jit
def padded_gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, DIES: tl.constexpr):
    per_die = tl.num_programs(0) // DIES
    tile = (tl.program_id(0) % DIES) * per_die + tl.program_id(0) // DIES
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    if tile >= nm * nn:
        return
    pid_n = tile % nn
    pid_m = tile // nn
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :], mask=rm[:, None] < M, other=0.0),
                      tl.load(b + rk[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0.0))
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
