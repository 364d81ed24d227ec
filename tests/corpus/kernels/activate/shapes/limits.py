"""The largest result."""
import triton
import triton.language as tl

from . import HIGHEST

TOP = tl.constexpr(HIGHEST)


@triton.jit
def clamp(x):
    return tl.minimum(x, TOP)
