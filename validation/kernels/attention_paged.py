"""Decoding with a paged cache: a page table says where the keys of a sequence lie."""
import triton
import triton.language as tl


@triton.jit
def attention_paged_kernel(
    q_ptr, k_cache_ptr, v_cache_ptr, page_table_ptr, out_ptr, kv_heads, pages_per_sequence, scale,
    GROUP: tl.constexpr, PAGE: tl.constexpr, SIZE: tl.constexpr,
):
    kv_head = tl.program_id(0)
    sequence = tl.program_id(1)
    part = tl.arange(0, SIZE)
    slot = tl.arange(0, PAGE)
    row = (sequence * kv_heads + kv_head) * GROUP + tl.arange(0, GROUP)
    q = tl.load(q_ptr + row[:, None] * SIZE + part[None, :])

    highest = tl.full((GROUP,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((GROUP,), dtype=tl.float32)
    out = tl.zeros((GROUP, SIZE), dtype=tl.float32)
    for index in range(pages_per_sequence):
        page = tl.load(page_table_ptr + sequence * pages_per_sequence + index).to(tl.int64)
        token = (page * PAGE + slot) * kv_heads + kv_head
        k = tl.load(k_cache_ptr + token[None, :] * SIZE + part[:, None])
        scores = tl.dot(q, k) * scale
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_highest[:, None])
        fade = tl.math.exp2(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_cache_ptr + token[:, None] * SIZE + part[None, :])
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        highest = new_highest

    out = out / total[:, None]
    tl.store(out_ptr + row[:, None] * SIZE + part[None, :], out.to(tl.float16))
