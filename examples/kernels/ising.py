"""One Metropolis step of the Ising model on a torus; every spin is +1 or -1 in one byte."""
import triton
import triton.language as tl


@triton.jit
def ising_kernel(
    spins_ptr,
    next_ptr,
    rows,
    columns,
    beta,
    seed,
    BLOCK: tl.constexpr,
):
    row_tile = tl.program_id(0)
    column_tile = tl.program_id(1)
    row = row_tile * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = column_tile * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < columns)

    # The borders are periodic: the neighbour of the last column is the first one.
    left = (column + columns - 1) % columns
    right = (column + 1) % columns
    above = (row + rows - 1) % rows
    below = (row + 1) % rows

    spin = tl.load(spins_ptr + row * columns + column, mask=inside, other=0).to(tl.int32)
    around = tl.load(spins_ptr + row * columns + left, mask=inside, other=0).to(tl.int32)
    around += tl.load(spins_ptr + row * columns + right, mask=inside, other=0).to(tl.int32)
    around += tl.load(spins_ptr + above * columns + column, mask=inside, other=0).to(tl.int32)
    around += tl.load(spins_ptr + below * columns + column, mask=inside, other=0).to(tl.int32)

    # Counter-based: the number of a site depends on the seed and the site, not on the block.
    chance = tl.rand(seed, row * columns + column)
    cost = (2 * spin * around).to(tl.float32)
    flip = chance < tl.exp(-beta * cost)
    result = tl.where(flip, -spin, spin)
    tl.store(next_ptr + row * columns + column, result.to(tl.int8), mask=inside)
