"""Stream-K: every block takes an equal share of all K steps, whichever tiles they belong to."""
import triton
import triton.language as tl


@triton.jit
def streamk_gemm(A, B, C, M, N, K, total_iters, iters_per_block,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid = tl.program_id(0)
    grid_n = tl.cdiv(N, BLOCK_N)
    iters_per_tile = tl.cdiv(K, BLOCK_K)
    start_iter = pid * iters_per_block
    last_iter = min(start_iter + iters_per_block, total_iters)
    while start_iter < last_iter:
        end_iter = min(start_iter + (iters_per_tile - start_iter % iters_per_tile), last_iter)
        tile_id = start_iter // iters_per_tile
        pid_m = tile_id // grid_n
        pid_n = tile_id % grid_n
        rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        rk = tl.arange(0, BLOCK_K)
        k0 = (start_iter % iters_per_tile) * BLOCK_K
        a = A + rm[:, None] * K + (k0 + rk)[None, :]
        b = B + (k0 + rk)[:, None] * N + rn[None, :]
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for _ in range(start_iter, end_iter):
            acc += tl.dot(tl.load(a), tl.load(b))
            a += BLOCK_K
            b += BLOCK_K * N
        tl.atomic_add(C + rm[:, None] * N + rn[None, :], acc)
        start_iter = end_iter
