"""Persistent GEMM over descriptors; a helper unpacks the grouped tile, the epilogue unpacks it again."""
import triton
import triton.language as tl


@triton.jit
def unflatten(t, tiles_m, tiles_n, GROUP: tl.constexpr):
    span = GROUP * tiles_n
    top = t // span * GROUP
    tall = min(tiles_m - top, GROUP)
    return top + t % tall, t % span // tall


@triton.jit
def persistent_tma_gemm(
    a_ptr, bt_ptr, d_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr, NUM_SMS: tl.constexpr,
):
    first = tl.program_id(axis=0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    tiles = tiles_m * tiles_n
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(bt_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    d_desc = tl.make_tensor_descriptor(d_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])

    # The epilogue has a counter of its own, so that stores of one tile overlap loads of the next.
    done = first - NUM_SMS
    for t in tl.range(first, tiles, NUM_SMS, flatten=True):
        m, n = unflatten(t, tiles_m, tiles_n, GROUP)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(a_desc.load([m * BM, k * BK]), b_desc.load([n * BN, k * BK]).T, acc)
        done += NUM_SMS
        m_out, n_out = unflatten(done, tiles_m, tiles_n, GROUP)
        d_desc.store([m_out * BM, n_out * BN], acc.to(tl.float16))
