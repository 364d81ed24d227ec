"""Prefix sums along rows: a block of rows goes from left to right and carries its sums."""
import triton
import triton.language as tl


@triton.jit
def cumsum_rows_kernel(
    x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    row_tile = tl.program_id(0)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    carry = tl.zeros((BLOCK_ROWS,), dtype=tl.float32)
    for start in range(0, columns, BLOCK_COLUMNS):
        column = start + tl.arange(0, BLOCK_COLUMNS)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        at = row[:, None] * columns + column[None, :]
        x = tl.load(x_ptr + at, mask=inside, other=0.0)
        sums = tl.cumsum(x, axis=1) + carry[:, None]
        tl.store(out_ptr + at, sums, mask=inside)
        carry += tl.sum(x, axis=1)
