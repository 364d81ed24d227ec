"""The outer product of two vectors: nearly nothing is read, a whole matrix is written."""
import triton
import triton.language as tl


@triton.jit
def outer_product_kernel(
    x_ptr, y_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    x = tl.load(x_ptr + row, mask=row < rows, other=0.0)
    y = tl.load(y_ptr + column, mask=column < columns, other=0.0)
    tl.store(out_ptr + row[:, None] * columns + column[None, :], x[:, None] * y[None, :],
             mask=(row[:, None] < rows) & (column[None, :] < columns))
