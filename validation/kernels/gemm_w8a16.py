"""C = X W with fp16 activations and int8 weights that are scaled per column in the block."""
import triton
import triton.language as tl


@triton.jit
def gemm_w8a16_kernel(
    x_ptr, weight_ptr, scale_ptr, out_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + step
        x = tl.load(x_ptr + row[:, None] * K + inner[None, :],
                    mask=(row[:, None] < M) & (inner[None, :] < K), other=0.0)
        w = tl.load(weight_ptr + inner[:, None] * N + column[None, :],
                    mask=(inner[:, None] < K) & (column[None, :] < N), other=0)
        total = tl.dot(x, w.to(tl.float16), total)

    scale = tl.load(scale_ptr + column, mask=column < N, other=0.0).to(tl.float32)
    total = total * scale[None, :]
    out_ptrs = out_ptr + row[:, None] * N + column[None, :]
    tl.store(out_ptrs, total.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
