"""Attention over a sliding window of keys, forward, fp16: neighbouring blocks share most of them."""
import triton
import triton.language as tl


@triton.jit
def attention_window_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, sequence, window, scale,
    BLOCK_QUERIES: tl.constexpr, BLOCK_KEYS: tl.constexpr, SIZE: tl.constexpr,
):
    query_block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    base = head * sequence * SIZE
    query = query_block * BLOCK_QUERIES + tl.arange(0, BLOCK_QUERIES)
    part = tl.arange(0, SIZE)
    q_offsets = base + query[:, None] * SIZE + part[None, :]
    q = tl.load(q_ptr + q_offsets, mask=query[:, None] < sequence, other=0.0)

    highest = tl.full((BLOCK_QUERIES,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)
    first_key = tl.maximum(query_block * BLOCK_QUERIES - window, 0) // BLOCK_KEYS * BLOCK_KEYS
    last_key = tl.minimum((query_block + 1) * BLOCK_QUERIES, sequence)
    for start in range(first_key, last_key, BLOCK_KEYS):
        key = start + tl.arange(0, BLOCK_KEYS)
        k = tl.load(k_ptr + base + key[None, :] * SIZE + part[:, None], mask=key[None, :] < sequence, other=0.0)
        seen = (query[:, None] >= key[None, :]) & (query[:, None] - key[None, :] <= window)
        scores = tl.where(seen, tl.dot(q, k) * scale, -1.0e30)
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_highest[:, None])
        fade = tl.math.exp2(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptr + base + key[:, None] * SIZE + part[None, :], mask=key[:, None] < sequence, other=0.0)
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        highest = new_highest

    out = out / total[:, None]
    tl.store(out_ptr + q_offsets, out.to(tl.float16), mask=query[:, None] < sequence)
