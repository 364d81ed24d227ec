"""A transpose into rows with padding, in tiles that are longer than wide."""
import triton
import triton.language as tl


@triton.jit
def transpose_padded_kernel(
    in_ptr, out_ptr, rows, columns, stride_in, stride_out,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(in_ptr + row[:, None] * stride_in + column[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + column[:, None] * stride_out + row[None, :], tl.trans(x), mask=tl.trans(inside))
