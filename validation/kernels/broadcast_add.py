"""Element-wise with broadcasts: a matrix, times a number for each row, plus a vector along columns."""
import triton
import triton.language as tl


@triton.jit
def broadcast_add_kernel(
    x_ptr, scale_ptr, bias_ptr, out_ptr, rows, columns,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    at = row[:, None] * columns + column[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.load(scale_ptr + row, mask=row < rows, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
    tl.store(out_ptr + at, (x * scale[:, None] + bias[None, :]).to(tl.bfloat16), mask=inside)
