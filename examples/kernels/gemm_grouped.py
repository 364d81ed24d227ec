"""C = A B in groups: GROUP_M rows of tiles are walked column by column, so that they share B."""
import triton
import triton.language as tl


@triton.jit
def grouped_tile(tile, row_tiles, column_tiles, GROUP_M: tl.constexpr):
    """The row and column of a tile; the last group may have fewer rows."""
    group_size = GROUP_M * column_tiles
    first_row = tile // group_size * GROUP_M
    group_rows = min(row_tiles - first_row, GROUP_M)
    inside = tile % group_size
    return first_row + inside % group_rows, inside // group_rows


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 16, "GROUP_M": 2}, num_warps=2),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def gemm_grouped_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    row_tile, column_tile = grouped_tile(
        tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M
    )
    row = row_tile * BLOCK_M + tl.arange(0, BLOCK_M)
    column = column_tile * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    # Rows and columns beyond the edge wrap around: read again rather than masked, stored by nobody.
    a_ptrs = a_ptr + (row % M)[:, None] * stride_am + step[None, :] * stride_ak
    b_ptrs = b_ptr + step[:, None] * stride_bk + (column % N)[None, :] * stride_bn

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=step[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=step[:, None] < K - k * BLOCK_K, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    c_ptrs = c_ptr + row[:, None] * stride_cm + column[None, :] * stride_cn
    tl.store(c_ptrs, total.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))
