"""One step of lattice Boltzmann, D2Q9: nine populations come from the neighbours, relax and are stored."""
import triton
import triton.language as tl


@triton.jit
def lattice_boltzmann_kernel(
    in_ptr, out_ptr, rows, columns, omega, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    y = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    x = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    inside = (y < rows) & (x < columns)
    cells = rows * columns
    up = tl.where(y == 0, rows - 1, y - 1)
    down = tl.where(y == rows - 1, 0, y + 1)
    left = tl.where(x == 0, columns - 1, x - 1)
    right = tl.where(x == columns - 1, 0, x + 1)

    f0 = tl.load(in_ptr + y * columns + x, mask=inside, other=0.0)
    f1 = tl.load(in_ptr + cells + y * columns + left, mask=inside, other=0.0)
    f2 = tl.load(in_ptr + 2 * cells + up * columns + x, mask=inside, other=0.0)
    f3 = tl.load(in_ptr + 3 * cells + y * columns + right, mask=inside, other=0.0)
    f4 = tl.load(in_ptr + 4 * cells + down * columns + x, mask=inside, other=0.0)
    f5 = tl.load(in_ptr + 5 * cells + up * columns + left, mask=inside, other=0.0)
    f6 = tl.load(in_ptr + 6 * cells + up * columns + right, mask=inside, other=0.0)
    f7 = tl.load(in_ptr + 7 * cells + down * columns + right, mask=inside, other=0.0)
    f8 = tl.load(in_ptr + 8 * cells + down * columns + left, mask=inside, other=0.0)

    density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + 1.0e-6
    ux = (f1 + f5 + f8 - f3 - f6 - f7) / density
    uy = (f2 + f5 + f6 - f4 - f7 - f8) / density
    rest = 1.0 - 1.5 * (ux * ux + uy * uy)
    straight = density / 9.0
    slanted = density / 36.0
    plus = ux + uy
    minus = ux - uy
    at = out_ptr + y * columns + x
    tl.store(at, f0 + omega * (density * 4.0 / 9.0 * rest - f0), mask=inside)
    tl.store(at + cells, f1 + omega * (straight * (rest + 3.0 * ux + 4.5 * ux * ux) - f1), mask=inside)
    tl.store(at + 2 * cells, f2 + omega * (straight * (rest + 3.0 * uy + 4.5 * uy * uy) - f2), mask=inside)
    tl.store(at + 3 * cells, f3 + omega * (straight * (rest - 3.0 * ux + 4.5 * ux * ux) - f3), mask=inside)
    tl.store(at + 4 * cells, f4 + omega * (straight * (rest - 3.0 * uy + 4.5 * uy * uy) - f4), mask=inside)
    tl.store(at + 5 * cells, f5 + omega * (slanted * (rest + 3.0 * plus + 4.5 * plus * plus) - f5), mask=inside)
    tl.store(at + 6 * cells, f6 + omega * (slanted * (rest - 3.0 * minus + 4.5 * minus * minus) - f6), mask=inside)
    tl.store(at + 7 * cells, f7 + omega * (slanted * (rest - 3.0 * plus + 4.5 * plus * plus) - f7), mask=inside)
    tl.store(at + 8 * cells, f8 + omega * (slanted * (rest + 3.0 * minus + 4.5 * minus * minus) - f8), mask=inside)
