"""C += A B of integers: each block adds one stretch of K to one tile of C."""
import torch
import triton
import triton.language as tl


@triton.jit
def split_k_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stretch, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    part = tl.program_id(1)
    across = tl.cdiv(N, BLOCK)
    row = tile // across * BLOCK + tl.arange(0, BLOCK)
    column = tile % across * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.int32)
    for start in range(part * stretch, min(part * stretch + stretch, K), BLOCK):
        depth = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row[:, None] * K + depth[None, :],
                    mask=(row[:, None] < M) & (depth[None, :] < K), other=0)
        b = tl.load(b_ptr + depth[:, None] * N + column[None, :],
                    mask=(depth[:, None] < K) & (column[None, :] < N), other=0)
        total = tl.dot(a, b, total)
    tl.atomic_add(c_ptr + row[:, None] * N + column[None, :], total,
                  mask=(row[:, None] < M) & (column[None, :] < N), sem="relaxed")


def split_k(a, b, M, N, K):
    c = torch.zeros((M, N), device=a.device, dtype=torch.int32)
    grid = (triton.cdiv(M, 16) * triton.cdiv(N, 16), triton.cdiv(K, 32))
    split_k_kernel[grid](a, b, c, M, N, K, 32, BLOCK=16)
    return c
