"""Batched product on a 3-D launch; nothing is unpacked, x is the column tile."""
import triton
import triton.language as tl


@triton.jit
def bmm3(q, k, s, M, N, D: tl.constexpr, scale, BM: tl.constexpr, BN: tl.constexpr):
    i_n, i_m, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    bos = i_b.to(tl.int64)
    p_q = tl.make_block_ptr(q + bos * M * D, (M, D), (D, 1), (i_m * BM, 0), (BM, D), (1, 0))
    p_k = tl.make_block_ptr(k + bos * N * D, (D, N), (1, D), (0, i_n * BN), (D, BN), (0, 1))
    p_s = tl.make_block_ptr(s + bos * M * N, (M, N), (N, 1), (i_m * BM, i_n * BN), (BM, BN), (1, 0))
    b_s = tl.dot(tl.load(p_q, boundary_check=(0,)), tl.load(p_k, boundary_check=(1,))) * scale
    tl.store(p_s, b_s.to(p_s.dtype.element_ty), boundary_check=(0, 1))
