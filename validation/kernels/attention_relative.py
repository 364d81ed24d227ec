"""Attention with a relative position bias: a table [head, 2 * length - 1] is read at j - i; heads on axis 0."""
import triton
import triton.language as tl


@triton.jit
def attention_relative_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, out_ptr, length, scale,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, SIZE: tl.constexpr,
):
    head = tl.program_id(0)
    q_block = tl.program_id(1)
    base = head * length * SIZE
    table = table_ptr + head * (2 * length - 1) + length - 1
    i = q_block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    d = tl.arange(0, SIZE)
    q = tl.load(q_ptr + base + i[:, None] * SIZE + d[None, :], mask=i[:, None] < length, other=0.0)
    m = tl.full((BLOCK_Q,), -1.0e30, dtype=tl.float32)
    l = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    o = tl.zeros((BLOCK_Q, SIZE), dtype=tl.float32)
    for start in range(0, length, BLOCK_K):
        j = start + tl.arange(0, BLOCK_K)
        k = tl.load(k_ptr + base + j[None, :] * SIZE + d[:, None], mask=j[None, :] < length, other=0.0)
        inside = (i[:, None] < length) & (j[None, :] < length)
        bias = tl.load(table + (j[None, :] - i[:, None]), mask=inside, other=0.0)
        s = tl.where(inside, tl.dot(q, k) * scale + bias, -1.0e30)
        m_next = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - m_next[:, None])
        decay = tl.exp(m - m_next)
        l = l * decay + tl.sum(p, 1)
        v = tl.load(v_ptr + base + j[:, None] * SIZE + d[None, :], mask=j[:, None] < length, other=0.0)
        o = tl.dot(p.to(tl.float16), v, o * decay[:, None])
        m = m_next
    o = o / l[:, None]
    tl.store(out_ptr + base + i[:, None] * SIZE + d[None, :], o.to(tl.float16), mask=i[:, None] < length)
