"""Scores of queries against keys, normalised: blocks of queries by heads."""
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, sequence, QUERIES: tl.constexpr,
                     KEYS: tl.constexpr, SIZE: tl.constexpr):
    block = tl.program_id(0)
    head = tl.program_id(1)
    size = tl.arange(0, SIZE)
    query = block * QUERIES + tl.arange(0, QUERIES)
    first = head * sequence * SIZE
    q = tl.load(q_ptr + first + query[:, None] * SIZE + size[None, :],
                mask=query[:, None] < sequence, other=0.0)
    total = tl.zeros((QUERIES, SIZE), dtype=tl.float32)
    weights = tl.zeros((QUERIES,), dtype=tl.float32)
    for start in range(0, sequence, KEYS):
        key = start + tl.arange(0, KEYS)
        present = key[:, None] < sequence
        k = tl.load(k_ptr + first + key[:, None] * SIZE + size[None, :], mask=present, other=0.0)
        v = tl.load(v_ptr + first + key[:, None] * SIZE + size[None, :], mask=present, other=0.0)
        score = tl.exp(tl.dot(q, tl.trans(k)) * 0.125)
        score = tl.where(key[None, :] < sequence, score, 0.0)
        weights += tl.sum(score, axis=1)
        total += tl.dot(score.to(tl.float16), v)
    total = total / weights[:, None]
    tl.store(o_ptr + first + query[:, None] * SIZE + size[None, :], total.to(tl.float16),
             mask=query[:, None] < sequence)


def attention(q, k, v, heads, sequence):
    o = torch.empty_like(q)
    grid = (triton.cdiv(sequence, 32), heads)
    attention_kernel[grid](q, k, v, o, sequence, QUERIES=32, KEYS=32, SIZE=16)
    return o
