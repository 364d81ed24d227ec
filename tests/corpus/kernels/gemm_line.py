"""C = A B on a line of blocks in groups of rows of tiles, with its launch and a test."""
import torch
import triton
import triton.language as tl


@triton.jit
def gemm_line_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    width = GROUP * num_pid_n
    first_m = pid // width * GROUP
    height = min(num_pid_m - first_m, GROUP)
    pid_m = first_m + pid % width % height
    pid_n = pid % width // height
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        depth = start + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + row[:, None] * K + depth[None, :],
                    mask=(row[:, None] < M) & (depth[None, :] < K), other=0.0)
        b = tl.load(b_ptr + depth[:, None] * N + column[None, :],
                    mask=(depth[:, None] < K) & (column[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(c_ptr + row[:, None] * N + column[None, :], total.to(tl.float16),
             mask=(row[:, None] < M) & (column[None, :] < N))


def gemm(a, b, M, N, K):
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]) * triton.cdiv(N, META["BLOCK_N"]),)
    gemm_line_kernel[grid](a, b, c, M, N, K, BLOCK_M=32, BLOCK_N=64, BLOCK_K=16, GROUP=2)
    return c


def test_gemm():
    a = torch.randn((200, 48), device="cuda", dtype=torch.float16)
    b = torch.randn((48, 300), device="cuda", dtype=torch.float16)
    assert torch.allclose(gemm(a, b, 200, 300, 48), a @ b, rtol=1e-2, atol=1e-2)
