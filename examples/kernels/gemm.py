"""C = A B, fp16 in and out, fp32 inside; one tile of C a block, row tiles along grid axis 0."""
import triton
import triton.language as tl


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def gemm_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + row[:, None] * stride_am + step[None, :] * stride_ak
    b_ptrs = b_ptr + step[:, None] * stride_bk + column[None, :] * stride_bn
    row_inside = row[:, None] < M
    column_inside = column[None, :] < N

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        if EVEN_K:
            a = tl.load(a_ptrs, mask=row_inside, other=0.0)
            b = tl.load(b_ptrs, mask=column_inside, other=0.0)
        else:
            left = K - start
            a = tl.load(a_ptrs, mask=row_inside & (step[None, :] < left), other=0.0)
            b = tl.load(b_ptrs, mask=column_inside & (step[:, None] < left), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :] * stride_cn
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=row_inside & column_inside)
