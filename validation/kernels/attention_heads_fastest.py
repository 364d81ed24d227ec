"""Causal attention on one axis, heads fastest; tensors are [token, head, size]."""
import triton
import triton.language as tl


@triton.jit
def attention_heads_fastest_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, heads, scale,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, SIZE: tl.constexpr,
):
    pid = tl.program_id(0)
    head = pid % heads
    q_block = pid // heads
    pitch = heads * SIZE
    d = tl.arange(0, SIZE)
    rows = q_block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    q = tl.load(q_ptr + rows[:, None] * pitch + head * SIZE + d[None, :], mask=rows[:, None] < tokens, other=0.0)
    m_i = tl.full((BLOCK_Q,), -1.0e30, dtype=tl.float32)
    l_i = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_Q, SIZE), dtype=tl.float32)
    end = tl.minimum((q_block + 1) * BLOCK_Q, tokens)
    for k0 in range(0, end, BLOCK_K):
        cols = k0 + tl.arange(0, BLOCK_K)
        k = tl.load(k_ptr + cols[None, :] * pitch + head * SIZE + d[:, None], mask=cols[None, :] < tokens, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(cols[None, :] <= rows[:, None], s, -1.0e30)
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + cols[:, None] * pitch + head * SIZE + d[None, :], mask=cols[:, None] < tokens, other=0.0)
        acc = tl.dot(p.to(tl.bfloat16), v, acc * alpha[:, None])
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(out_ptr + rows[:, None] * pitch + head * SIZE + d[None, :], acc.to(tl.bfloat16),
             mask=rows[:, None] < tokens)
