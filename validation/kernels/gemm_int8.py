"""C = A B^T in int8 with int32 sums, scaled to fp16; a 2-D launch, rows of tiles fastest."""
import triton
import triton.language as tl


@triton.jit
def gemm_int8_kernel(
    a_ptr, b_ptr, c_ptr, scale, M, N, K, stride_am, stride_bn, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, K, BLOCK_K):
        inner = k + step
        a = tl.load(a_ptr + row[:, None] * stride_am + inner[None, :],
                    mask=(row[:, None] < M) & (inner[None, :] < K), other=0)
        b = tl.load(b_ptr + column[None, :] * stride_bn + inner[:, None],
                    mask=(inner[:, None] < K) & (column[None, :] < N), other=0)
        total += tl.dot(a, b)

    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :]
    result = total.to(tl.float32) * scale
    tl.store(c_ptrs, result.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
