"""C[b] = A[b] B[b], fp16, one axis of the launch for each of column tile, row tile and batch."""
import triton
import triton.language as tl


@triton.jit
def batched_gemm_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + batch * M * K + (row % M)[:, None] * K + step[None, :]
    b_ptrs = b_ptr + batch * K * N + step[:, None] * N + (column % N)[None, :]

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=step[None, :] < K - k, other=0.0)
        b = tl.load(b_ptrs, mask=step[:, None] < K - k, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N

    c_ptrs = c_ptr + batch * M * N + row[:, None] * N + column[None, :]
    tl.store(c_ptrs, total.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
