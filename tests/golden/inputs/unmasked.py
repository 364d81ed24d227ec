import triton
import triton.language as tl


@triton.jit
def unmasked(x_ptr, y_ptr, rows, columns, heads, groups, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    head = tl.program_id(1)
    shared = head // (heads // groups)
    for column in range(columns):
        place = at * columns + column
        value = tl.load(x_ptr + shared * rows * columns + place)
        tl.store(y_ptr + head * rows * columns + place, value)


raise SystemExit("a bundle must not run this")
