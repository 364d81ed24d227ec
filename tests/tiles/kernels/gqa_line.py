"""Grouped-query attention launched on one axis: query tile fastest, then the head, then the sequence."""
import triton
import triton.language as tl


@triton.jit
def gqa_forward(Q, K, V, O, scale, seq, heads, kv_heads,
                D: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_KV: tl.constexpr):
    pid = tl.program_id(0)
    q_tiles = tl.cdiv(seq, BLOCK_Q)
    q_tile = pid % q_tiles
    pid //= q_tiles
    head = pid % heads
    batch = pid // heads
    kv_head = head // (heads // kv_heads)

    rows = q_tile * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dims = tl.arange(0, D)
    q_base = (batch * heads + head).to(tl.int64) * seq * D
    kv_base = (batch * kv_heads + kv_head).to(tl.int64) * seq * D
    q = tl.load(Q + q_base + rows[:, None] * D + dims[None, :], mask=rows[:, None] < seq, other=0.0)
    best = tl.full((BLOCK_Q,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_Q, D), dtype=tl.float32)
    for start in range(0, seq, BLOCK_KV):
        cols = start + tl.arange(0, BLOCK_KV)
        k = tl.load(K + kv_base + cols[None, :] * D + dims[:, None], mask=cols[None, :] < seq, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] < seq, s, float("-inf"))
        new_best = tl.maximum(best, tl.max(s, 1))
        p = tl.exp(s - new_best[:, None])
        fade = tl.exp(best - new_best)
        total = total * fade + tl.sum(p, 1)
        v = tl.load(V + kv_base + cols[:, None] * D + dims[None, :], mask=cols[:, None] < seq, other=0.0)
        acc = acc * fade[:, None] + tl.dot(p.to(v.dtype), v)
        best = new_best
    tl.store(O + q_base + rows[:, None] * D + dims[None, :], (acc / total[:, None]).to(tl.float16),
             mask=rows[:, None] < seq)
