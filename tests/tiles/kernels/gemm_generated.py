"""As a compiler of graphs writes it: sizes, strides and the group size are constants of the body."""
import triton
import triton.language as tl


@triton.jit
def fused_mm_relu_3(in_ptr0, in_ptr1, out_ptr0):
    GROUP_M: tl.constexpr = 4
    BLOCK_M: tl.constexpr = 16
    BLOCK_N: tl.constexpr = 16
    BLOCK_K: tl.constexpr = 32
    INDEX_DTYPE: tl.constexpr = tl.int32
    M = 96
    N = 80
    K = 64
    if M * N == 0:
        return
    pid = tl.program_id(0).to(INDEX_DTYPE)
    grid_m = (M + BLOCK_M - 1) // BLOCK_M
    grid_n = (N + BLOCK_N - 1) // BLOCK_N
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // (group_size)

    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(INDEX_DTYPE)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(INDEX_DTYPE)
    rk = tl.arange(0, BLOCK_K).to(INDEX_DTYPE)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        xindex = (rk[None, :] + k_idx * BLOCK_K) + 64 * rm[:, None]
        yindex = rn[None, :] + 80 * (rk[:, None] + k_idx * BLOCK_K)
        acc += tl.dot(tl.load(in_ptr0 + xindex), tl.load(in_ptr1 + yindex))
    tmp0 = tl.full([1], 0, tl.float32)
    tmp1 = tl.maximum(tmp0, acc)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    tl.store(out_ptr0 + tl.broadcast_to(idx_n + 80 * idx_m, tmp1.shape), tmp1, mask)
