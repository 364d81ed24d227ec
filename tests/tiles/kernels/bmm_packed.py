"""Batched product, batch and tile from one program id."""
import triton
import triton.language as tl


@triton.jit
def tile_of(pid, tiles_m, tiles_n):
    per_batch = tiles_m * tiles_n
    b = pid // per_batch
    inner = pid - b * per_batch
    m = inner // tiles_n
    return b, m, inner - m * tiles_n


@triton.jit
def packed_bmm(A, B, C, batches, M, N, K,
               BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    b, m, n = tile_of(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N))
    rows = m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = n * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    a_base = A + b * M * K
    b_base = B + b * K * N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    k = 0
    while k < K:
        av = tl.load(a_base + rows[:, None] * K + (k + ks)[None, :],
                     mask=(rows[:, None] < M) & ((k + ks)[None, :] < K), other=0.0)
        bv = tl.load(b_base + (k + ks)[:, None] * N + cols[None, :],
                     mask=(cols[None, :] < N) & ((k + ks)[:, None] < K), other=0.0)
        acc = tl.dot(av, bv, acc)
        k += BLOCK_K
    tl.store(C + b * M * N + rows[:, None] * N + cols[None, :], acc.to(tl.float16),
             mask=(rows[:, None] < M) & (cols[None, :] < N))
