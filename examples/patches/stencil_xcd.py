"""A five-point stencil: out = centre / 2 + (the four neighbours) / 8, zero outside the array."""
import triton
import triton.language as tl


@triton.jit
def stencil_2d_kernel(
    input_ptr,
    output_ptr,
    rows,
    columns,
    stride_row,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLUMNS: tl.constexpr,
):
    # A run of tiles for each of eight dies; the first ones take what is left over.
    launch_id = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    tiles = tl.num_programs(0) * tl.num_programs(1)
    die = launch_id % 8
    tile = die * (tiles // 8) + min(die, tiles % 8) + launch_id // 8
    row_tile = tile % tl.num_programs(0)
    column_tile = tile // tl.num_programs(0)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    inside = (row < rows) & (column < columns)

    here = input_ptr + row * stride_row + column
    centre = tl.load(here, mask=inside, other=0.0)
    above = tl.load(here - stride_row, mask=inside & (row > 0), other=0.0)
    below = tl.load(here + stride_row, mask=inside & (row < rows - 1), other=0.0)
    left = tl.load(here - 1, mask=inside & (column > 0), other=0.0)
    right = tl.load(here + 1, mask=inside & (column < columns - 1), other=0.0)

    result = 0.5 * centre + 0.125 * (above + below + left + right)
    tl.store(output_ptr + row * stride_row + column, result, mask=inside)
