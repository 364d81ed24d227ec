"""Decoding: one query a sequence; each block takes a split of the keys and writes its partial sums."""
import triton
import triton.language as tl


@triton.jit
def attention_decode_kernel(
    q_ptr, k_ptr, v_ptr, partial_ptr, lse_ptr, kv_heads, keys, scale,
    GROUP: tl.constexpr, BLOCK_KEYS: tl.constexpr, SPLITS: tl.constexpr, SIZE: tl.constexpr,
):
    split = tl.program_id(0)
    kv_head = tl.program_id(1)
    batch = tl.program_id(2)
    part = tl.arange(0, SIZE)
    row = (batch * kv_heads + kv_head) * GROUP + tl.arange(0, GROUP)
    q = tl.load(q_ptr + row[:, None] * SIZE + part[None, :])
    stride_token = kv_heads * SIZE
    base = batch.to(tl.int64) * keys * stride_token + kv_head * SIZE
    share = tl.cdiv(keys, BLOCK_KEYS * SPLITS) * BLOCK_KEYS
    first = split * share
    last = tl.minimum(first + share, keys)

    highest = tl.full((GROUP,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((GROUP,), dtype=tl.float32)
    out = tl.zeros((GROUP, SIZE), dtype=tl.float32)
    for start in range(first, last, BLOCK_KEYS):
        key = start + tl.arange(0, BLOCK_KEYS)
        k = tl.load(k_ptr + base + key[None, :] * stride_token + part[:, None],
                    mask=key[None, :] < last, other=0.0)
        scores = tl.where(key[None, :] < last, tl.dot(q, k) * scale, -1.0e30)
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_highest[:, None])
        fade = tl.math.exp2(highest - new_highest)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptr + base + key[:, None] * stride_token + part[None, :],
                    mask=key[:, None] < last, other=0.0)
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        highest = new_highest

    slot = row * SPLITS + split
    out = out / tl.where(total > 0.0, total, 1.0)[:, None]  # a split may have no keys
    tl.store(partial_ptr + slot[:, None] * SIZE + part[None, :], out)
    tl.store(lse_ptr + slot, highest + tl.math.log2(total))
