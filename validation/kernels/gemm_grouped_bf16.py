"""C = A B, bf16, in Triton's grouped order: GROUP_SIZE_M rows of tiles share the columns of B."""
import triton
import triton.language as tl


@triton.jit
def gemm_grouped_bf16_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (pid % num_pid_in_group) % group_size_m
    pid_n = (pid % num_pid_in_group) // group_size_m

    row = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    column = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    step = tl.arange(0, BLOCK_SIZE_K)
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        inner = k * BLOCK_SIZE_K + step
        a = tl.load(a_ptr + row[:, None] * stride_am + inner[None, :],
                    mask=(row[:, None] < M) & (inner[None, :] < K), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * stride_bk + column[None, :],
                    mask=(inner[:, None] < K) & (column[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)

    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :]
    tl.store(c_ptrs, total.to(tl.bfloat16), mask=(row[:, None] < M) & (column[None, :] < N))
