"""out = input^T in square tiles: read along rows, written along the other array's rows."""
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(
    input_ptr,
    output_ptr,
    rows,
    columns,
    stride_input,
    stride_output,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tile = tl.load(input_ptr + row[:, None] * stride_input + column[None, :], mask=inside)
    tl.store(
        output_ptr + column[:, None] * stride_output + row[None, :],
        tl.trans(tile),
        mask=tl.trans(inside),
    )
