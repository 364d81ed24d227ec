"""Rows of a matrix, which need not follow one another in memory, less their mean."""
import triton
import triton.language as tl


@triton.jit
def centre_rows(x_ptr, y_ptr, x_stride, y_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x_row = x_ptr + row * x_stride
    y_row = y_ptr + row * y_stride
    x = tl.load(x_row + column, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    tl.store(y_row + column, x - mean, mask=inside)
