"""Smooths an array in place. Wrong on purpose: a tile reads the border of its neighbours, which
they may have overwritten or not, so that the result depends on the order of the blocks."""
import triton
import triton.language as tl


@triton.jit
def in_place_kernel(x_ptr, rows, columns, BLOCK: tl.constexpr):
    row = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (row > 0) & (row < rows - 1) & (column > 0) & (column < columns - 1)
    here = x_ptr + row * columns + column
    above = tl.load(here - columns, mask=inside, other=0.0)
    below = tl.load(here + columns, mask=inside, other=0.0)
    left = tl.load(here - 1, mask=inside, other=0.0)
    right = tl.load(here + 1, mask=inside, other=0.0)
    tl.store(here, 0.25 * (above + below + left + right), mask=inside)
