"""A matrix of dense 64 x 64 blocks, a fixed number in each block row, times a dense matrix."""
import triton
import triton.language as tl


@triton.jit
def block_sparse_gemm_kernel(
    blocks_ptr, lut_ptr, b_ptr, c_ptr, N,
    PER_ROW: tl.constexpr, BLOCK: tl.constexpr, BLOCK_N: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    block_row = pid // tiles_n
    tile_n = pid % tiles_n
    i = tl.arange(0, BLOCK)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK, BLOCK_N), dtype=tl.float32)
    for e in range(PER_ROW):
        entry = block_row * PER_ROW + e
        block_col = tl.load(lut_ptr + entry)
        a = tl.load(blocks_ptr + entry * (BLOCK * BLOCK) + i[:, None] * BLOCK + i[None, :])
        b = tl.load(b_ptr + (block_col * BLOCK + i)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + (block_row * BLOCK + i)[:, None] * N + n[None, :], acc.to(tl.float16), mask=n[None, :] < N)
