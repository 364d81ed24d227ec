"""Decoding with split KV: axis 0 packs sequence and KV head, axis 1 is the split. Lengths are loaded."""
import triton
import triton.language as tl


@triton.jit
def decode_stage1(Q, K_cache, V_cache, block_table, seq_lens, Mid, kv_heads, max_pages,
                  GROUP: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr, SPLITS: tl.constexpr):
    pid = tl.program_id(0)
    split = tl.program_id(1)
    seq = pid // kv_heads
    kv_head = pid % kv_heads
    length = tl.load(seq_lens + seq)
    pages = tl.cdiv(length, PAGE)
    pages_per_split = tl.cdiv(pages, SPLITS)
    begin = split * pages_per_split
    end = tl.minimum(begin + pages_per_split, pages)
    if begin >= end:
        return
    g = tl.arange(0, GROUP)
    d = tl.arange(0, D)
    q_head = kv_head * GROUP + g
    q = tl.load(Q + (seq * kv_heads * GROUP + q_head)[:, None] * D + d[None, :])
    acc = tl.zeros((GROUP, D), tl.float32)
    for page in range(begin, end):
        physical = tl.load(block_table + seq * max_pages + page).to(tl.int64)
        slot = tl.arange(0, PAGE)
        live = page * PAGE + slot < length
        kv = (physical * PAGE + slot) * kv_heads + kv_head
        k = tl.load(K_cache + kv[None, :] * D + d[:, None], mask=live[None, :], other=0.0)
        v = tl.load(V_cache + kv[:, None] * D + d[None, :], mask=live[:, None], other=0.0)
        p = tl.exp(tl.dot(q, k))
        acc += tl.dot(p.to(v.dtype), v)
    out = ((seq * kv_heads * GROUP + q_head) * SPLITS + split)[:, None] * D + d[None, :]
    tl.store(Mid + out, acc)
