"""Flash attention on a plane: query tile on axis 0, batch and head packed on axis 1; causal."""
import triton
import triton.language as tl


@triton.jit
def inner_loop(acc, l_i, m_i, q, k_ptrs, v_ptrs, offs_m, offs_n, lo, hi, stride_kn, stride_vn,
               BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(k_ptrs + start_n * stride_kn)
        qk = tl.dot(q, k)
        if MASKED:
            qk = tl.where(offs_m[:, None] >= (start_n + offs_n)[None, :], qk, -1.0e6)
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_new[:, None])
        alpha = tl.math.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs + start_n * stride_vn)
        acc = tl.dot(p.to(tl.float16), v, acc)
        m_i = m_new
    return acc, l_i, m_i


@triton.jit
def attention_kernel(Q, K, V, Out, sm_scale,
                     stride_qz, stride_qh, stride_qm, stride_kz, stride_kh, stride_kn,
                     stride_vz, stride_vh, stride_vn, stride_oz, stride_oh, stride_om,
                     Z, H, N_CTX, HEAD_DIM: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    q_offset = off_z.to(tl.int64) * stride_qz + off_h.to(tl.int64) * stride_qh
    k_offset = off_z.to(tl.int64) * stride_kz + off_h.to(tl.int64) * stride_kh
    v_offset = off_z.to(tl.int64) * stride_vz + off_h.to(tl.int64) * stride_vh
    o_offset = off_z.to(tl.int64) * stride_oz + off_h.to(tl.int64) * stride_oh

    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(Q + q_offset + offs_m[:, None] * stride_qm + offs_d[None, :])
    q = (q * (sm_scale * 1.44269504)).to(tl.float16)
    k_ptrs = K + k_offset + offs_n[None, :] * stride_kn + offs_d[:, None]
    v_ptrs = V + v_offset + offs_n[:, None] * stride_vn + offs_d[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    acc, l_i, m_i = inner_loop(acc, l_i, m_i, q, k_ptrs, v_ptrs, offs_m, offs_n, 0, start_m * BLOCK_M,
                               stride_kn, stride_vn, BLOCK_N, False)
    acc, l_i, m_i = inner_loop(acc, l_i, m_i, q, k_ptrs, v_ptrs, offs_m, offs_n, start_m * BLOCK_M,
                               (start_m + 1) * BLOCK_M, stride_kn, stride_vn, BLOCK_N, True)
    tl.store(Out + o_offset + offs_m[:, None] * stride_om + offs_d[None, :],
             (acc / l_i[:, None]).to(tl.float16))
