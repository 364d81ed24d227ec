"""C = A B^T in fp8 (e4m3) with a scale for each row of A and of B; bf16 out."""
import triton
import triton.language as tl


@triton.jit
def gemm_fp8_kernel(
    a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, stride_am, stride_bn, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // tiles_n
    pid_n = pid % tiles_n
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (row % M)[:, None] * stride_am + step[None, :]
    b_ptrs = b_ptr + (column % N)[None, :] * stride_bn + step[:, None]

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=step[None, :] < K - k, other=0.0)
        b = tl.load(b_ptrs, mask=step[:, None] < K - k, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K

    a_scale = tl.load(a_scale_ptr + row, mask=row < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + column, mask=column < N, other=0.0)
    total = total * a_scale[:, None] * b_scale[None, :]
    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :]
    tl.store(c_ptrs, total.to(tl.bfloat16), mask=(row[:, None] < M) & (column[None, :] < N))
