"""Persistent GEMM: blocks of one die do successive tiles; NUM_SMS is a multiple of XCDS."""
import triton
import triton.language as tl


@triton.jit
def persistent_xcd(a_ptr, b_ptr, c_ptr, M, N, K,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   NUM_SMS: tl.constexpr, XCDS: tl.constexpr):
    pid = tl.program_id(0)
    start = (pid % XCDS) * (NUM_SMS // XCDS) + pid // XCDS
    num_n = tl.cdiv(N, BLOCK_N)
    num_tiles = tl.cdiv(M, BLOCK_M) * num_n
    offs_k = tl.arange(0, BLOCK_K)
    for tile in range(start, num_tiles, NUM_SMS):
        pid_m = tile // num_n
        pid_n = tile % num_n
        offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            a = tl.load(a_ptr + offs_m[:, None] * K + (k + offs_k)[None, :],
                        mask=offs_m[:, None] < M, other=0.0)
            b = tl.load(b_ptr + (k + offs_k)[:, None] * N + offs_n[None, :],
                        mask=offs_n[None, :] < N, other=0.0)
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(tl.float16),
                 mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))
