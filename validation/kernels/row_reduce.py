"""Sums along rows, a piece of BLOCK_COLUMNS columns a block; a later kernel adds the pieces."""
import triton
import triton.language as tl


@triton.jit
def row_reduce_kernel(
    x_ptr, partial_ptr, rows, columns,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr, STEP: tl.constexpr,
):
    piece = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    total = tl.zeros((BLOCK_ROWS, STEP), dtype=tl.float32)
    for start in range(0, BLOCK_COLUMNS, STEP):
        column = piece * BLOCK_COLUMNS + start + tl.arange(0, STEP)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
        total += tl.abs(x.to(tl.float32))
    tl.store(partial_ptr + piece * rows + row, tl.sum(total, axis=1), mask=row < rows)
