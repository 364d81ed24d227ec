"""Grouped-query attention, forward, fp16: GROUP query heads share the keys of one head.

Layout [head, sequence, size], read and written through tensor descriptors, which leave out what
lies beyond the sequence. Grid: query blocks, query heads.
"""
import triton
import triton.language as tl


@triton.jit
def attention_gqa_kernel(
    q_desc,
    k_desc,
    v_desc,
    out_desc,
    sequence,
    scale,
    GROUP: tl.constexpr,
    BLOCK_QUERIES: tl.constexpr,
    BLOCK_KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    first_query = tl.program_id(0) * BLOCK_QUERIES
    head = tl.program_id(1)
    key_head = head // GROUP

    q = q_desc.load([head, first_query, 0]).reshape(BLOCK_QUERIES, SIZE)
    highest = tl.full([BLOCK_QUERIES], float("-inf"), tl.float32)
    total = tl.full([BLOCK_QUERIES], 0.0, tl.float32)
    out = tl.zeros([BLOCK_QUERIES, SIZE], tl.float32)
    start = 0
    while start < sequence:
        k = tl.reshape(k_desc.load([key_head, start, 0]), (BLOCK_KEYS, SIZE))
        scores = tl.dot(q, k.T) * scale
        key = start + tl.arange(0, BLOCK_KEYS)
        scores += tl.where(key < sequence, 0.0, float("-inf"))[None, :]
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp(scores - new_highest[:, None])
        fade = tl.exp(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.reshape(v_desc.load([key_head, start, 0]), (BLOCK_KEYS, SIZE))
        out = tl.dot(weights.to(tl.float16), v, out * fade[:, None])
        highest = new_highest
        start += BLOCK_KEYS

    out = (out / total[:, None]).to(tl.float16)
    out_desc.store([head, first_query, 0], out.reshape(1, BLOCK_QUERIES, SIZE))
