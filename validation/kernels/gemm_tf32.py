"""C = A B of fp32 tensors on the matrix units in TF32; a 2-D launch."""
import triton
import triton.language as tl


@triton.jit
def gemm_tf32_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + step
        a = tl.load(a_ptr + row[:, None] * stride_am + inner[None, :],
                    mask=(row[:, None] < M) & (inner[None, :] < K), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * stride_bk + column[None, :],
                    mask=(inner[:, None] < K) & (column[None, :] < N), other=0.0)
        total = tl.dot(a, b, total, input_precision="tf32")

    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :]
    tl.store(c_ptrs, total, mask=(row[:, None] < M) & (column[None, :] < N))
