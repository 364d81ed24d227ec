"""A linear layer: gelu(X W^T + bias), fp16, the weights as [N, K]; a 2-D launch."""
import triton
import triton.language as tl


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.math.erf(x * 0.70710678))


@triton.jit
def gemm_bias_gelu_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, M, N, K, stride_xm, stride_wn, stride_om,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + (row % M)[:, None] * stride_xm + step[None, :]
    w_ptrs = weight_ptr + (column % N)[None, :] * stride_wn + step[:, None]

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=step[None, :] < K - k, other=0.0)
        w = tl.load(w_ptrs, mask=step[:, None] < K - k, other=0.0)
        total = tl.dot(x, w, total)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K

    bias = tl.load(bias_ptr + column, mask=column < N, other=0.0).to(tl.float32)
    result = gelu(total + bias[None, :])
    out_ptrs = out_ptr + row[:, None] * stride_om + column[None, :]
    tl.store(out_ptrs, result.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
