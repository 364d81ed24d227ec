"""The same idea on a plane: axis 0 counts query tiles from the end; the head is axis 1."""
import triton
import triton.language as tl


@triton.jit
def causal_plane(q, k, out, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m_block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1)
    q += head * T * D
    k += head * T * D
    out += head * T * T
    om = m_block * BM + tl.arange(0, BM)
    od = tl.arange(0, D)
    x = tl.load(q + om[:, None] * D + od[None, :])
    for n in range(0, (m_block + 1) * BM, BN):
        on = n + tl.arange(0, BN)
        s = tl.dot(x, tl.load(k + on[None, :] * D + od[:, None]))
        tl.store(out + om[:, None] * T + on[None, :], s, mask=om[:, None] >= on[None, :])
