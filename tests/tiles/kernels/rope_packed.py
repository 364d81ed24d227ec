"""Rotary embedding; a program is one token and one block of heads, packed on one axis."""
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, tokens, heads, head_dim: tl.constexpr, BLOCK_HEADS: tl.constexpr):
    pid = tl.program_id(0)
    head_blocks = tl.cdiv(heads, BLOCK_HEADS)
    token = pid // head_blocks
    block = pid % head_blocks
    half: tl.constexpr = head_dim // 2
    d = tl.arange(0, half)
    h = block * BLOCK_HEADS + tl.arange(0, BLOCK_HEADS)
    cos = tl.load(cos_ptr + token * half + d)[None, :]
    sin = tl.load(sin_ptr + token * half + d)[None, :]
    low = x_ptr + token * heads * head_dim + h[:, None] * head_dim + d[None, :]
    live = (h < heads)[:, None] & (d < half)[None, :]
    a = tl.load(low, mask=live, other=0.0)
    b = tl.load(low + half, mask=live, other=0.0)
    tl.store(low, a * cos - b * sin, mask=live)
    tl.store(low + half, b * cos + a * sin, mask=live)
