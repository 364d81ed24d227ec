"""Split-K with the split on axis 1 and a workspace per split: every tile writes its own place."""
import triton
import triton.language as tl


@triton.jit
def splitk_workspace_kernel(
    a_ptr, b_ptr, ws_ptr, M, N, K, stride_ws_k,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr, NUM_KSPLIT: tl.constexpr, SPLITK_BLOCK_SIZE: tl.constexpr,
):
    pid_k = tl.program_id(axis=1)
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    if NUM_KSPLIT == 1:
        pid_m = pid // num_pid_n
        pid_n = pid % num_pid_n
    else:
        num_pid_in_group = GROUP_SIZE_M * num_pid_n
        first_pid_m = (pid // num_pid_in_group) * GROUP_SIZE_M
        group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
        pid_m = first_pid_m + (pid % group_size_m)
        pid_n = (pid % num_pid_in_group) // group_size_m

    k_begin = pid_k * SPLITK_BLOCK_SIZE
    if k_begin < K:
        om = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
        on = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        ok = k_begin + tl.arange(0, BLOCK_SIZE_K)
        acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for _ in range(0, tl.cdiv(SPLITK_BLOCK_SIZE, BLOCK_SIZE_K)):
            a = tl.load(a_ptr + om[:, None] * K + ok[None, :], mask=(om[:, None] < M) & (ok[None, :] < K), other=0.0)
            b = tl.load(b_ptr + ok[:, None] * N + on[None, :], mask=(on[None, :] < N) & (ok[:, None] < K), other=0.0)
            acc += tl.dot(a, b)
            ok += BLOCK_SIZE_K
        tl.store(ws_ptr + pid_k * stride_ws_k + om[:, None] * N + on[None, :], acc,
                 mask=(om[:, None] < M) & (on[None, :] < N))
