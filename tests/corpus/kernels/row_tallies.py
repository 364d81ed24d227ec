"""A sum for each row of tiles: the address is the row's, the number is the column's."""
import triton
import triton.language as tl


@triton.jit
def row_tallies_kernel(weights_ptr, totals_ptr, highest_ptr):
    row = tl.program_id(0)
    column = tl.program_id(1)
    weight = tl.load(weights_ptr + row)
    tl.atomic_add(totals_ptr + row, weight * (column * column + 1), sem="relaxed")
    tl.atomic_max(highest_ptr, row * 100 + column, sem="relaxed")
