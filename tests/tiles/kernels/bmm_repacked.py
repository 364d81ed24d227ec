"""A 3-D launch whose plane is numbered again and grouped; the low band is found by a remainder."""
import triton
import triton.language as tl


@triton.jit
def bmm_repacked_kernel(A, B, O, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
                        TILE_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid_b = tl.program_id(2)
    A += pid_b * M * K
    B += pid_b * K * N
    O += pid_b * M * N
    pidx = tl.program_id(0)
    pidy = tl.program_id(1)
    if GROUP_M == 1:
        pid_m, pid_n = pidx, pidy
    else:
        gridx = tl.num_programs(0)
        gridy = tl.num_programs(1)
        pid = pidx + pidy * gridx
        per_group = gridy * GROUP_M
        group_id = pid // per_group
        inner = pid % per_group
        height = tl.where((group_id + 1) * GROUP_M > gridx, gridx % GROUP_M, GROUP_M)
        pid_m = group_id * GROUP_M + inner % height
        pid_n = inner // height
    om = pid_m * TILE_M + tl.arange(0, TILE_M)
    on = pid_n * TILE_N + tl.arange(0, TILE_N)
    ok = tl.arange(0, TILE_K)
    o = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        a = tl.load(A + om[:, None] * K + (k + ok)[None, :], mask=om[:, None] < M, other=0.0)
        b = tl.load(B + (k + ok)[:, None] * N + on[None, :], mask=on[None, :] < N, other=0.0)
        o += tl.dot(a, b)
    tl.store(O + om[:, None] * N + on[None, :], o, mask=(om[:, None] < M) & (on[None, :] < N))
