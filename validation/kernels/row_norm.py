"""Layer normalisation of a row by one block that holds it whole; every lane keeps its own mean and variance."""
import triton
import triton.language as tl


@triton.jit
def row_norm_kernel(
    x_ptr, y_ptr, weight_ptr, bias_ptr, columns, pitch, eps, BLOCK: tl.constexpr,
):
    x_row = x_ptr + tl.program_id(0) * pitch
    y_row = y_ptr + tl.program_id(0) * pitch
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        x = tl.load(x_row + column, mask=column < columns, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
        squares += tl.sum(x * x, axis=0)
    mean = total / columns
    scale = 1 / tl.sqrt(squares / columns - mean * mean + eps)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < columns
        x = tl.load(x_row + column, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + column, mask=inside)
        bias = tl.load(bias_ptr + column, mask=inside)
        y = (x - mean) * scale * weight + bias
        tl.store(y_row + column, y.to(y_ptr.dtype.element_ty), mask=inside)
