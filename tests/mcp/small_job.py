"""A small job that the tests of heddle's servers and clients run."""
KERNEL = '''import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * columns + column, mask=inside)
    tl.store(y_ptr + row * columns + column, x + 1, mask=inside)
'''
JOB = '''kernel = "add.py"
grid = ["cdiv(columns, BLOCK)", "cdiv(rows, BLOCK)"]

[tensors.x_ptr]
dtype = "fp32"
shape = ["rows", "columns"]

[tensors.y_ptr]
dtype = "fp32"
shape = ["rows", "columns"]

[scalars]
rows = 256
columns = 256

[constexprs]
BLOCK = 32
'''
