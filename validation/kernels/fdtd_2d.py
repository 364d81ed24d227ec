"""A half step of finite-difference time-domain: the magnetic field from the curl of the electric one, in place."""
import triton
import triton.language as tl


@triton.jit
def fdtd_2d_kernel(
    ex_ptr, ey_ptr, hz_ptr, rows, columns, factor,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    row_tile = tl.program_id(0)
    column_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    inside = (row < rows - 1) & (column < columns - 1)
    at = row * columns + column
    curl = tl.load(ex_ptr + at + columns, mask=inside, other=0.0) - tl.load(ex_ptr + at, mask=inside, other=0.0)
    curl -= tl.load(ey_ptr + at + 1, mask=inside, other=0.0) - tl.load(ey_ptr + at, mask=inside, other=0.0)
    hz = tl.load(hz_ptr + at, mask=inside, other=0.0)
    tl.store(hz_ptr + at, hz + factor * curl, mask=inside)
