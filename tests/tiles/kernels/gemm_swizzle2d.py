"""The grouped order through tl.swizzle2d, operands through block pointers."""
import triton
import triton.language as tl


@triton.jit
def gemm_blockptr(a, b, c, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr,
                  GROUP: tl.constexpr):
    tile = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, TM), tl.cdiv(N, TN)
    i, j = tl.swizzle2d(tile // tiles_n, tile % tiles_n, tiles_m, tiles_n, GROUP)

    pa = tl.make_block_ptr(a, shape=(M, K), strides=(K, 1), offsets=(i * TM, 0),
                           block_shape=(TM, TK), order=(1, 0))
    pb = tl.make_block_ptr(b, shape=(K, N), strides=(N, 1), offsets=(0, j * TN),
                           block_shape=(TK, TN), order=(1, 0))
    acc = tl.zeros((TM, TN), tl.float32)
    for _ in range(0, K, TK):
        acc += tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0, 1)))
        pa = tl.advance(pa, (0, TK))
        pb = tl.advance(pb, (TK, 0))
    pc = tl.make_block_ptr(c, shape=(M, N), strides=(N, 1), offsets=(i * TM, j * TN),
                           block_shape=(TM, TN), order=(1, 0))
    tl.store(pc, acc.to(c.dtype.element_ty), boundary_check=(0, 1))
