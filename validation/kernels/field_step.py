"""A whole step of finite-difference time-domain in place: the magnetic field, then both electric ones, by one block."""
import triton
import triton.language as tl


@triton.jit
def field_step_kernel(
    ex_ptr, ey_ptr, hz_ptr, rows, columns, pitch, BLOCK: tl.constexpr,
):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    at = row * pitch + column

    inner = (row < rows - 1) & (column < columns - 1)
    curl = tl.load(ey_ptr + at + pitch, mask=inner) - tl.load(ey_ptr + at, mask=inner)
    curl -= tl.load(ex_ptr + at + 1, mask=inner) - tl.load(ex_ptr + at, mask=inner)
    hz = tl.load(hz_ptr + at, mask=inner) - 0.5 * curl
    tl.store(hz_ptr + at, hz, mask=inner)

    right = (row < rows) & (column > 0) & (column < columns)
    slope = tl.load(hz_ptr + at, mask=right) - tl.load(hz_ptr + at - 1, mask=right)
    ex = tl.load(ex_ptr + at, mask=right) - 0.5 * slope
    tl.store(ex_ptr + at, ex, mask=right)

    below = (row > 0) & (row < rows) & (column < columns)
    slope = tl.load(hz_ptr + at, mask=below) - tl.load(hz_ptr + at - pitch, mask=below)
    ey = tl.load(ey_ptr + at, mask=below) + 0.5 * slope
    tl.store(ey_ptr + at, ey, mask=below)
