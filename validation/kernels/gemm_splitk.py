"""A B in SPLIT_K pieces of K, each with a buffer of its own: partial[s] is summed by a later kernel."""
import triton
import triton.language as tl


@triton.jit
def gemm_splitk_kernel(
    a_ptr, b_ptr, partial_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr,
):
    pid = tl.program_id(0)
    split = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // tiles_n
    pid_n = pid % tiles_n
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    share = tl.cdiv(K, BLOCK_K * SPLIT_K) * BLOCK_K
    first = split * share
    last = tl.minimum(first + share, K)

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(first, last, BLOCK_K):
        inner = k + step
        a = tl.load(a_ptr + row[:, None] * K + inner[None, :],
                    mask=(row[:, None] < M) & (inner[None, :] < last), other=0.0)
        b = tl.load(b_ptr + inner[:, None] * N + column[None, :],
                    mask=(inner[:, None] < last) & (column[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)

    out = (split * M + row[:, None]) * N + column[None, :]
    tl.store(partial_ptr + out, total, mask=(row[:, None] < M) & (column[None, :] < N))
