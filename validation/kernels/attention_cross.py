"""Cross attention, forward, bf16: queries and keys have different lengths; layout [batch, token, head, size]."""
import triton
import triton.language as tl


@triton.jit
def attention_cross_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, heads, queries, keys, scale,
    BLOCK_QUERIES: tl.constexpr, BLOCK_KEYS: tl.constexpr, SIZE: tl.constexpr,
):
    query_block = tl.program_id(0)
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    query = query_block * BLOCK_QUERIES + tl.arange(0, BLOCK_QUERIES)
    part = tl.arange(0, SIZE)
    stride_token = heads * SIZE
    q_base = batch * queries * stride_token + head * SIZE
    k_base = batch * keys * stride_token + head * SIZE
    q_offsets = q_base + query[:, None] * stride_token + part[None, :]
    q = tl.load(q_ptr + q_offsets, mask=query[:, None] < queries, other=0.0)

    highest = tl.full((BLOCK_QUERIES,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)
    for start in range(0, keys, BLOCK_KEYS):
        key = start + tl.arange(0, BLOCK_KEYS)
        k = tl.load(k_ptr + k_base + key[None, :] * stride_token + part[:, None],
                    mask=key[None, :] < keys, other=0.0)
        scores = tl.where(key[None, :] < keys, tl.dot(q, k) * scale, -1.0e30)
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_highest[:, None])
        fade = tl.math.exp2(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptr + k_base + key[:, None] * stride_token + part[None, :],
                    mask=key[:, None] < keys, other=0.0)
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        highest = new_highest

    out = out / total[:, None]
    tl.store(out_ptr + q_offsets, out.to(tl.bfloat16), mask=query[:, None] < queries)
