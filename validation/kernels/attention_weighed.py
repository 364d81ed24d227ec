"""Attention of a block of queries to the keys up to its own, weights normalised block by block."""
import triton
import triton.language as tl


@triton.jit
def attention_weighed_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, sequence, scale,
    BLOCK_QUERIES: tl.constexpr, BLOCK_KEYS: tl.constexpr, SIZE: tl.constexpr,
):
    tile = tl.program_id(0)
    base = tl.program_id(1) * sequence * SIZE
    query = tile * BLOCK_QUERIES + tl.arange(0, BLOCK_QUERIES)
    key = tl.arange(0, BLOCK_KEYS)
    part = tl.arange(0, SIZE)
    at = base + query[:, None] * SIZE + part[None, :]
    q = tl.load(q_ptr + at, mask=query[:, None] < sequence, other=0.0)
    total = tl.full((BLOCK_QUERIES,), float("-inf"), dtype=tl.float32)
    highest = tl.full((BLOCK_QUERIES,), float("-inf"), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)
    for start in range(0, (tile + 1) * BLOCK_QUERIES, BLOCK_KEYS):
        inside = start + key < sequence
        k = tl.load(k_ptr + base + (start + key)[None, :] * SIZE + part[:, None],
                    mask=inside[None, :], other=0.0)
        score = tl.dot(q, k) / scale
        peak = tl.max(score, 1)
        weight = tl.exp(score - peak[:, None])
        weights = tl.sum(weight, 1)
        new_highest = tl.maximum(highest, peak)
        new_total = tl.exp(highest - new_highest) * total + tl.exp(peak - new_highest) * weights
        v = tl.load(v_ptr + base + (start + key)[:, None] * SIZE + part[None, :],
                    mask=inside[:, None], other=0.0)
        keep = tl.where(total == 0, 0, total / new_total)
        out = out * keep[:, None]
        out += tl.dot((weight / weights[:, None]).to(v.dtype), v)
        total = new_total
        highest = new_highest
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=query[:, None] < sequence)
