"""Attention, forward, fp16, all heads of a block of queries next to each other in the launch.

Layout [sequence, head, size]; grid axis 0 is the head.
"""
import triton
import triton.language as tl


@triton.jit
def attention_heads_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    sequence,
    stride_token,
    stride_head,
    scale,
    BLOCK_QUERIES: tl.constexpr,
    BLOCK_KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    head = tl.program_id(0)
    first_query = tl.program_id(1) * BLOCK_QUERIES
    q_block = tl.make_block_ptr(
        q_ptr + head * stride_head, (sequence, SIZE), (stride_token, 1), (first_query, 0),
        (BLOCK_QUERIES, SIZE), (1, 0)
    )
    out_block = tl.make_block_ptr(
        out_ptr + head * stride_head, (sequence, SIZE), (stride_token, 1), (first_query, 0),
        (BLOCK_QUERIES, SIZE), (1, 0)
    )
    # Keys are read transposed: SIZE rows of BLOCK_KEYS.
    k_block = tl.make_block_ptr(
        k_ptr + head * stride_head, (SIZE, sequence), (1, stride_token), (0, 0),
        (SIZE, BLOCK_KEYS), (0, 1)
    )
    v_block = tl.make_block_ptr(
        v_ptr + head * stride_head, (sequence, SIZE), (stride_token, 1), (0, 0),
        (BLOCK_KEYS, SIZE), (1, 0)
    )

    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    highest = tl.full((BLOCK_QUERIES,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)
    for start in range(0, sequence, BLOCK_KEYS):
        k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
        scores = tl.dot(q, k) * scale
        key = start + tl.arange(0, BLOCK_KEYS)
        scores = tl.where(key[None, :] < sequence, scores, -float("inf"))
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2((scores - new_highest[:, None]) * 1.44269504)
        fade = tl.exp2((highest - new_highest) * 1.44269504)
        total = total * fade + tl.sum(weights, 1)
        out = out * fade[:, None]
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        out = tl.dot(weights.to(tl.float16), v, out)
        highest = new_highest
        k_block = tl.advance(k_block, (0, BLOCK_KEYS))
        v_block = tl.advance(v_block, (BLOCK_KEYS, 0))

    tl.store(out_block, (out / total[:, None]).to(tl.float16), boundary_check=(0,))
