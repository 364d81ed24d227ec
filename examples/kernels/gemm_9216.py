"""C = A B^T, bf16, both with K contiguous; tiles of 3 PART rows, column tile fastest.

A block has a power of two of rows, so that 192 rows are an upper part of 128 and a lower of 64.
All sizes are multiples of the tile's.
"""
import triton
import triton.language as tl


@triton.jit
def block_pointers(base_ptr, first, pitch, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Pointers to ROWS rows from `first` on, the first COLUMNS elements of each."""
    row = first + tl.arange(0, ROWS)
    return base_ptr + row[:, None] * pitch + tl.arange(0, COLUMNS)[None, :]


@triton.jit
def gemm_9216_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    N,
    K,
    PART: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    UPPER: tl.constexpr = 2 * PART
    column_tiles = N // BLOCK_N
    tile = tl.program_id(0)
    row = tile // column_tiles * (3 * PART)
    column = tile % column_tiles * BLOCK_N

    upper_ptrs = block_pointers(a_ptr, row, K, UPPER, BLOCK_K)
    lower_ptrs = block_pointers(a_ptr, row + UPPER, K, PART, BLOCK_K)
    b_ptrs = block_pointers(b_ptr, column, K, BLOCK_N, BLOCK_K)
    upper = tl.zeros((UPPER, BLOCK_N), dtype=tl.float32)
    lower = tl.zeros((PART, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        b = tl.load(b_ptrs).T
        upper = tl.dot(tl.load(upper_ptrs), b, upper)
        lower = tl.dot(tl.load(lower_ptrs), b, lower)
        upper_ptrs += BLOCK_K
        lower_ptrs += BLOCK_K
        b_ptrs += BLOCK_K

    tl.store(block_pointers(c_ptr + column, row, N, UPPER, BLOCK_N), upper.to(tl.bfloat16))
    tl.store(block_pointers(c_ptr + column, row + UPPER, N, PART, BLOCK_N), lower.to(tl.bfloat16))
