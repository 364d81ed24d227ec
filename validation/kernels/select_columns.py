"""Columns of a matrix by index: out[r, j] = x[r, index[j]]."""
import triton
import triton.language as tl


@triton.jit
def select_columns_kernel(
    x_ptr, index_ptr, out_ptr, rows, columns, picked, BLOCK_R: tl.constexpr, BLOCK_J: tl.constexpr,
):
    j = tl.program_id(0) * BLOCK_J + tl.arange(0, BLOCK_J)
    r = tl.program_id(1) * BLOCK_R + tl.arange(0, BLOCK_R)
    source = tl.load(index_ptr + j, mask=j < picked, other=0)
    inside = (r[:, None] < rows) & (j[None, :] < picked)
    v = tl.load(x_ptr + r[:, None] * columns + source[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + r[:, None] * picked + j[None, :], v, mask=inside)
