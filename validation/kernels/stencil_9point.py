"""A nine-point stencil in two dimensions; zero outside the array."""
import triton
import triton.language as tl


@triton.jit
def stencil_9point_kernel(
    in_ptr, out_ptr, rows, columns, stride_row,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    column = column_tile * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=tl.float32)
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            y = row + dy
            x = column + dx
            inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
            value = tl.load(in_ptr + y * stride_row + x, mask=inside, other=0.0)
            total += value * (0.5 if dx == 0 and dy == 0 else 0.0625)
    tl.store(out_ptr + row * stride_row + column, total, mask=(row < rows) & (column < columns))
