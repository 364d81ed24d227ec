"""Attention, forward, fp32: a block of queries against all keys, with a running softmax.

Layout [batch, sequence, head, size]. The sequence is a multiple of both block sizes.
"""
import triton
import triton.language as tl


@triton.jit
def attention_fwd_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    lse_ptr,
    sequence,
    stride_token,
    stride_head,
    scale,
    BLOCK_QUERIES: tl.constexpr,
    BLOCK_KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    # One axis: the blocks of queries of a head lie next to each other.
    query_blocks = tl.cdiv(sequence, BLOCK_QUERIES)
    query_block = tl.program_id(0) % query_blocks
    head = tl.program_id(0) // query_blocks

    query = query_block * BLOCK_QUERIES + tl.arange(0, BLOCK_QUERIES)
    key = tl.arange(0, BLOCK_KEYS)
    part = tl.arange(0, SIZE)
    rows = head * stride_head + query[:, None] * stride_token + part[None, :]
    k_ptrs = k_ptr + head * stride_head + key[:, None] * stride_token + part[None, :]
    v_ptrs = v_ptr + head * stride_head + key[:, None] * stride_token + part[None, :]

    q = tl.load(q_ptr + rows)
    highest = tl.full((BLOCK_QUERIES,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)

    for _ in range(0, sequence, BLOCK_KEYS):
        k = tl.load(k_ptrs)
        scores = tl.dot(q, tl.trans(k)) * scale
        new_highest = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - new_highest[:, None])
        fade = tl.exp(highest - new_highest)
        total = total * fade + tl.sum(weights, axis=1)
        v = tl.load(v_ptrs)
        out = out * fade[:, None] + tl.dot(weights, v)
        highest = new_highest
        k_ptrs += BLOCK_KEYS * stride_token
        v_ptrs += BLOCK_KEYS * stride_token

    tl.store(out_ptr + rows, out / total[:, None])
    tl.store(lse_ptr + head * sequence + query, highest + tl.log(total))
