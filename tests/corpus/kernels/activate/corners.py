"""Where curves bend."""
import triton.language as tl

CORNER = tl.constexpr(0.0)
