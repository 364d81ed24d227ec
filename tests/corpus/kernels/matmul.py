"""C = A B in fp16, with the host code that launches it and a test."""
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    row_tile = tl.program_id(0)
    column_tile = tl.program_id(1)
    row = row_tile * BLOCK + tl.arange(0, BLOCK)
    column = column_tile * BLOCK + tl.arange(0, BLOCK)
    step = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        depth = start + step
        a = tl.load(a_ptr + row[:, None] * K + depth[None, :],
                    mask=(row[:, None] < M) & (depth[None, :] < K), other=0.0)
        b = tl.load(b_ptr + depth[:, None] * N + column[None, :],
                    mask=(depth[:, None] < K) & (column[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    inside = (row[:, None] < M) & (column[None, :] < N)
    tl.store(c_ptr + row[:, None] * N + column[None, :], total.to(tl.float16), mask=inside)


def matmul(a, b, M, N, K):
    BLOCK = 16
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = (triton.cdiv(M, BLOCK), triton.cdiv(N, BLOCK))
    matmul_kernel[grid](a, b, c, M, N, K, BLOCK=BLOCK)
    return c


def test_matmul():
    torch.manual_seed(0)
    a = torch.randn((72, 40), device="cuda", dtype=torch.float16)
    b = torch.randn((40, 56), device="cuda", dtype=torch.float16)
    expected = (a.double() @ b.double()).half()
    assert torch.allclose(matmul(a, b, 72, 56, 40), expected, rtol=1e-3, atol=1e-3)
