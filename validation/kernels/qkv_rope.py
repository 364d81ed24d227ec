"""Rotary embedding of neighbouring pairs on packed [token, 3, head, size]; queries and keys turn, values are copied."""
import triton
import triton.language as tl


@triton.jit
def qkv_rope_kernel(
    qkv_ptr, cos_ptr, sin_ptr, out_ptr, tokens, heads, BLOCK_T: tl.constexpr, HALF: tl.constexpr,
):
    part = tl.program_id(0)
    head = tl.program_id(1)
    t = tl.program_id(2) * BLOCK_T + tl.arange(0, BLOCK_T)
    h = tl.arange(0, HALF)
    live = t[:, None] < tokens
    at = ((t[:, None] * 3 + part) * heads + head) * (2 * HALF) + 2 * h[None, :]
    even = tl.load(qkv_ptr + at, mask=live, other=0.0).to(tl.float32)
    odd = tl.load(qkv_ptr + at + 1, mask=live, other=0.0).to(tl.float32)
    cos = tl.load(cos_ptr + t[:, None] * HALF + h[None, :], mask=live, other=1.0)
    sin = tl.load(sin_ptr + t[:, None] * HALF + h[None, :], mask=live, other=0.0)
    turn = part < 2
    new_even = tl.where(turn, even * cos - odd * sin, even)
    new_odd = tl.where(turn, odd * cos + even * sin, odd)
    tl.store(out_ptr + at, new_even.to(tl.bfloat16), mask=live)
    tl.store(out_ptr + at + 1, new_odd.to(tl.bfloat16), mask=live)
