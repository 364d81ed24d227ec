"""Causal attention, forward, fp16: a block of queries sees the keys up to itself.

Layout [batch, head, sequence, size]. Blocks of keys before the diagonal need no mask; those on it
do, so that one helper runs twice, with and without.
"""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.44269504)


@triton.jit
def attend(
    q,
    k_ptrs,
    v_ptrs,
    query,
    first_key,
    last_key,
    sequence,
    stride_token,
    state,
    BLOCK_KEYS: tl.constexpr,
    ON_DIAGONAL: tl.constexpr,
):
    """Adds the keys from first_key to before last_key to the running softmax."""
    highest, total, out = state
    for start in tl.range(first_key, last_key, BLOCK_KEYS):
        start = tl.multiple_of(start, BLOCK_KEYS)
        key = start + tl.arange(0, BLOCK_KEYS)
        k = tl.load(k_ptrs + start * stride_token, mask=key[None, :] < sequence, other=0.0)
        scores = tl.dot(q, k)
        if ON_DIAGONAL:
            scores = tl.where(query[:, None] >= key[None, :], scores, -1.0e6)
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_highest[:, None])
        fade = tl.math.exp2(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptrs + start * stride_token, mask=key[:, None] < sequence, other=0.0)
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        highest = new_highest
    return highest, total, out


@triton.jit
def attention_causal_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    lse_ptr,
    heads,
    sequence,
    stride_batch,
    stride_head,
    stride_token,
    scale,
    BLOCK_QUERIES: tl.constexpr,
    BLOCK_KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    tl.static_assert(BLOCK_QUERIES % BLOCK_KEYS == 0)
    query_block = tl.program_id(0)
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    base = batch.to(tl.int64) * stride_batch + head.to(tl.int64) * stride_head

    first_query = query_block * BLOCK_QUERIES
    query = first_query + tl.arange(0, BLOCK_QUERIES)
    key = tl.arange(0, BLOCK_KEYS)
    part = tl.arange(0, SIZE)
    q_offsets = base + query[:, None] * stride_token + part[None, :]
    k_ptrs = k_ptr + base + key[None, :] * stride_token + part[:, None]
    v_ptrs = v_ptr + base + key[:, None] * stride_token + part[None, :]

    q = tl.load(q_ptr + q_offsets, mask=query[:, None] < sequence, other=0.0)
    q = (q * (scale * LOG2_E)).to(q.dtype)
    highest = tl.full((BLOCK_QUERIES,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)

    state = (highest, total, out)
    state = attend(q, k_ptrs, v_ptrs, query, 0, first_query, sequence, stride_token, state,
                   BLOCK_KEYS, ON_DIAGONAL=False)
    last_key = tl.minimum(first_query + BLOCK_QUERIES, sequence)
    highest, total, out = attend(q, k_ptrs, v_ptrs, query, first_query, last_key, sequence,
                                 stride_token, state, BLOCK_KEYS, ON_DIAGONAL=True)

    out = out / total[:, None]
    tl.store(out_ptr + q_offsets, out.to(out_ptr.dtype.element_ty), mask=query[:, None] < sequence)
    lse_row = lse_ptr + tl.program_id(1) * sequence
    tl.store(lse_row + query, highest + tl.math.log2(total), mask=query < sequence)
