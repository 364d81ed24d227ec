"""out = relu(x @ w + residual), fp16, tiles of 64 x 256."""
import triton
import triton.language as tl


@triton.jit
def gemm_residual_relu_kernel(
    x_ptr, w_ptr, res_ptr, out_ptr,
    M, N, K,
    stride_xm, stride_wk, stride_rm, stride_om,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    mask_m = offs_m[:, None] < M
    mask_n = offs_n[None, :] < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + offs_k
        x = tl.load(x_ptr + offs_m[:, None] * stride_xm + k[None, :], mask=mask_m & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + k[:, None] * stride_wk + offs_n[None, :], mask=(k[:, None] < K) & mask_n, other=0.0)
        acc = tl.dot(x, w, acc)
    both = mask_m & mask_n
    res = tl.load(res_ptr + offs_m[:, None] * stride_rm + offs_n[None, :], mask=both, other=0.0)
    acc = tl.maximum(acc + res.to(tl.float32), 0.0)
    tl.store(out_ptr + offs_m[:, None] * stride_om + offs_n[None, :], acc.to(tl.float16), mask=both)
