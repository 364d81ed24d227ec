"""The potential of many masses at every point of a grid, mass by mass."""
import triton
import triton.language as tl


@triton.jit
def potential_map_kernel(
    out_ptr, mass_ptr, place_ptr, rows, columns, masses, pitch, BLOCK: tl.constexpr,
):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for one in range(masses):
        mass = tl.load(mass_ptr + one)
        down = row - tl.load(place_ptr + one)
        along = column - tl.load(place_ptr + masses + one)
        total -= mass / tl.sqrt(down * down + along * along + 1e-6)
    tl.store(out_ptr + row * pitch + column, total, mask=(row < rows) & (column < columns))
