"""Grouped-query attention, forward, fp16: GROUP heads of queries share one head of keys."""
import triton
import triton.language as tl


@triton.jit
def attention_gqa_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, heads, sequence, scale,
    GROUP: tl.constexpr, BLOCK_QUERIES: tl.constexpr, BLOCK_KEYS: tl.constexpr, SIZE: tl.constexpr,
):
    query_block = tl.program_id(0)
    head = tl.program_id(1)
    batch = tl.program_id(2)
    query = query_block * BLOCK_QUERIES + tl.arange(0, BLOCK_QUERIES)
    part = tl.arange(0, SIZE)
    q_base = (batch * heads + head).to(tl.int64) * sequence * SIZE
    k_base = (batch * tl.cdiv(heads, GROUP) + head // GROUP).to(tl.int64) * sequence * SIZE
    q_offsets = q_base + query[:, None] * SIZE + part[None, :]
    q = tl.load(q_ptr + q_offsets, mask=query[:, None] < sequence, other=0.0)

    highest = tl.full((BLOCK_QUERIES,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)
    for start in range(0, sequence, BLOCK_KEYS):
        key = start + tl.arange(0, BLOCK_KEYS)
        inside = key < sequence
        k = tl.load(k_ptr + k_base + key[None, :] * SIZE + part[:, None], mask=inside[None, :], other=0.0)
        scores = tl.where(inside[None, :], tl.dot(q, k) * scale, -1.0e30)
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_highest[:, None])
        fade = tl.math.exp2(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptr + k_base + key[:, None] * SIZE + part[None, :], mask=inside[:, None], other=0.0)
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        highest = new_highest

    out = out / total[:, None]
    tl.store(out_ptr + q_offsets, out.to(tl.float16), mask=query[:, None] < sequence)
