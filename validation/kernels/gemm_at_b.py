"""C = A^T B, fp16, as the gradient of a weight: both operands have K as their slow axis."""
import triton
import triton.language as tl


@triton.jit
def gemm_at_b_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_ak, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + step[None, :] * stride_ak + row[:, None]
    b_ptrs = b_ptr + step[:, None] * stride_bk + column[None, :]

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        live = step < K - k
        a = tl.load(a_ptrs, mask=(row[:, None] < M) & live[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=live[:, None] & (column[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :]
    tl.store(c_ptrs, total.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
