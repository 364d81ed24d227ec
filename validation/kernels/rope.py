"""Rotary embedding: the two halves of every head are turned by angles that depend on the token alone."""
import triton
import triton.language as tl


@triton.jit
def rope_kernel(
    x_ptr, cos_ptr, sin_ptr, out_ptr, tokens, heads, BLOCK_TOKENS: tl.constexpr, HALF: tl.constexpr,
):
    token_tile = tl.program_id(0)
    head = tl.program_id(1)
    token = token_tile * BLOCK_TOKENS + tl.arange(0, BLOCK_TOKENS)[:, None]
    part = tl.arange(0, HALF)[None, :]
    inside = token < tokens
    cos = tl.load(cos_ptr + token * HALF + part, mask=inside, other=0.0)
    sin = tl.load(sin_ptr + token * HALF + part, mask=inside, other=0.0)
    at = (token * heads + head) * 2 * HALF + part
    first = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(x_ptr + at + HALF, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + at, (first * cos - second * sin).to(tl.bfloat16), mask=inside)
    tl.store(out_ptr + at + HALF, (second * cos + first * sin).to(tl.bfloat16), mask=inside)
