"""Kernels that cannot take another order, and one that can."""
import triton
import triton.language as tl


@triton.jit
def own_row(n):
    return tl.program_id(0) * n


@triton.jit
def by_helper(x_ptr, n):
    tl.store(x_ptr + own_row(n), tl.program_id(1))


@triton.jit
def by_argument(x_ptr, axis):
    tl.store(x_ptr, tl.program_id(axis))


@triton.jit
def alone(x_ptr, n):
    tl.store(x_ptr, n)


@triton.jit
def scale(x_ptr, n, ROWS, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.program_id(axis=1)  # a block a tile
    index = column * BLOCK + tl.arange(0, BLOCK)
    if n > 0:
        tl.store(x_ptr + row * n + index, ROWS, mask=index < n)


def launch(x):
    scale[(4, 4)](x, 128, 4, BLOCK=32)
