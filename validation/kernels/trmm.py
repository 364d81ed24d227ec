"""A lower triangular matrix times a dense one: later rows of tiles go further along K."""
import triton
import triton.language as tl


@triton.jit
def trmm_kernel(
    l_ptr, b_ptr, c_ptr, n, width, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    tile_m = tl.program_id(1)
    tile_n = tl.program_id(0)
    i = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    end = tl.minimum((tile_m + 1) * BLOCK_M, n)
    for k0 in range(0, end, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K)
        lower = (i[:, None] < n) & (k[None, :] <= i[:, None])
        a = tl.load(l_ptr + i[:, None] * n + k[None, :], mask=lower, other=0.0)
        b = tl.load(b_ptr + k[:, None] * width + j[None, :], mask=(k[:, None] < n) & (j[None, :] < width), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * width + j[None, :], acc.to(tl.float16),
             mask=(i[:, None] < n) & (j[None, :] < width))
