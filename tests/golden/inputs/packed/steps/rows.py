import triton
import triton.language as tl

from ..values import twice


@triton.jit
def double(x, y, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, twice(tl.load(x + at)))
