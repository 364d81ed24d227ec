"""Several products in one launch: programs walk the tiles of problem after problem, sizes in memory."""
import triton
import triton.language as tl


@triton.jit
def multi_gemm(a_ptr, b_ptr, c_ptr, row_begin, problems, N, K, NUM_SM: tl.constexpr,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    seen = 0
    n_tiles = tl.cdiv(N, BN)
    for g in range(problems):
        top = tl.load(row_begin + g)
        bottom = tl.load(row_begin + g + 1)
        here = tl.cdiv(bottom - top, BM) * n_tiles
        while tile >= seen and tile < seen + here:
            local = tile - seen
            tm = local // n_tiles
            tn = local % n_tiles
            rm = top + tm * BM + tl.arange(0, BM)
            rn = tn * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), tl.float32)
            for k in range(0, K, BK):
                rk = k + tl.arange(0, BK)
                acc += tl.dot(tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=rm[:, None] < bottom, other=0.0),
                              tl.load(b_ptr + (g * K + rk)[:, None] * N + rn[None, :]))
            tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=rm[:, None] < bottom)
            tile += NUM_SM
        seen += here
