"""Matrices of several heads times a vector for each batch and head: batches share the matrices."""
import triton
import triton.language as tl


@triton.jit
def batched_matvec_kernel(
    matrix_ptr, x_ptr, y_ptr, heads, M, K, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr,
):
    row_tile = tl.program_id(0)
    head = tl.program_id(1)
    batch = tl.program_id(2)
    row = row_tile * BLOCK_M + tl.arange(0, BLOCK_M)
    matrix = matrix_ptr + head * M * K
    x_row = x_ptr + (batch * heads + head) * K
    total = tl.zeros((BLOCK_M, BLOCK_K), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(matrix + row[:, None] * K + k[None, :],
                    mask=(row[:, None] < M) & (k[None, :] < K), other=0.0)
        x = tl.load(x_row + k, mask=k < K, other=0.0)
        total += a.to(tl.float32) * x[None, :].to(tl.float32)
    y_ptrs = y_ptr + (batch * heads + head) * M + row
    tl.store(y_ptrs, tl.sum(total, axis=1).to(tl.float16), mask=row < M)
