"""Sums along columns: a block owns BLOCK_COLUMNS columns and goes down its share of the rows."""
import triton
import triton.language as tl


@triton.jit
def column_reduce_kernel(
    x_ptr, partial_ptr, rows, columns, rows_per_split,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    split = tl.program_id(1)
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    last = tl.minimum((split + 1) * rows_per_split, rows)
    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=tl.float32)
    for start in range(split * rows_per_split, last, BLOCK_ROWS):
        row = start + tl.arange(0, BLOCK_ROWS)
        inside = (row[:, None] < last) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
        total += x.to(tl.float32)
    tl.store(partial_ptr + split * columns + column, tl.sum(total, axis=0), mask=column < columns)
