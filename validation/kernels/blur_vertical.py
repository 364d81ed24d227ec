"""One half of a separable blur: each pixel sums 2 * RADIUS + 1 rows above and below it."""
import triton
import triton.language as tl


@triton.jit
def blur_vertical_kernel(
    in_ptr, weight_ptr, out_ptr, rows, columns,
    RADIUS: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=tl.float32)
    for tap in range(2 * RADIUS + 1):
        source = row + tap - RADIUS
        inside = (source >= 0) & (source < rows) & (column < columns)
        weight = tl.load(weight_ptr + tap)
        total += weight * tl.load(in_ptr + source * columns + column, mask=inside, other=0.0)
    tl.store(out_ptr + row * columns + column, total, mask=(row < rows) & (column < columns))
