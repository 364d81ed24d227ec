"""Chunked linear attention, state pass: axis 2 packs batch and head, the varlen way is off."""
import triton
import triton.language as tl


@triton.heuristics({"USE_G": lambda args: args["g"] is not None})
@triton.jit
def chunk_state(k, v, g, h, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr):
    i_kv, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    NV = tl.cdiv(V, BV)
    i_k, i_v = i_kv // NV, i_kv % NV
    i_b, i_h = i_bh // H, i_bh % H
    NT = tl.cdiv(T, BT)
    p_k = tl.make_block_ptr(k + (i_b * T * H + i_h) * K, (K, T), (1, H * K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
    p_v = tl.make_block_ptr(v + (i_b * T * H + i_h) * V, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_h = tl.make_block_ptr(h + ((i_b * NT + i_t) * H + i_h) * K * V, (K, V), (V, 1),
                            (i_k * BK, i_v * BV), (BK, BV), (1, 0))
    b_k = tl.load(p_k, boundary_check=(0, 1))
    b_v = tl.load(p_v, boundary_check=(0, 1))
    if USE_G:
        t = i_t * BT + tl.arange(0, BT)
        b_v = (b_v * tl.exp(tl.load(g + (i_b * T + t) * H + i_h, mask=t < T, other=0.0))[:, None]).to(b_v.dtype)
    tl.store(p_h, tl.dot(b_k, b_v).to(p_h.dtype.element_ty), boundary_check=(0, 1))
