"""Causal attention on one axis, longest rows first: all heads of the last query tile start the launch."""
import triton
import triton.language as tl


@triton.jit
def causal_heavy_first(q_ptr, k_ptr, v_ptr, o_ptr, T, BH,
                       D: tl.constexpr, BT: tl.constexpr, BS: tl.constexpr):
    i = tl.program_id(0)
    NT = tl.cdiv(T, BT)
    i_t = NT - 1 - i // BH
    i_bh = i % BH

    base = i_bh * T * D
    t = i_t * BT + tl.arange(0, BT)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + t[:, None] * D + d[None, :], mask=t[:, None] < T, other=0.0)
    m = tl.full([BT], float("-inf"), tl.float32)
    z = tl.zeros([BT], tl.float32)
    o = tl.zeros([BT, D], tl.float32)
    for i_s in range(0, min((i_t + 1) * BT, T), BS):
        s = i_s + tl.arange(0, BS)
        k = tl.load(k_ptr + base + s[None, :] * D + d[:, None], mask=s[None, :] < T, other=0.0)
        w = tl.where(t[:, None] >= s[None, :], tl.dot(q, k), float("-inf"))
        m_next = tl.maximum(m, tl.max(w, 1))
        e = tl.exp(w - m_next[:, None])
        r = tl.exp(m - m_next)
        z = z * r + tl.sum(e, 1)
        v = tl.load(v_ptr + base + s[:, None] * D + d[None, :], mask=s[:, None] < T, other=0.0)
        o = o * r[:, None] + tl.dot(e.to(tl.bfloat16), v)
        m = m_next
    tl.store(o_ptr + base + t[:, None] * D + d[None, :], (o / z[:, None]).to(tl.bfloat16),
             mask=t[:, None] < T)
