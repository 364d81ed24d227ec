"""C = A B with block pointers; column tiles along grid axis 0, so they run first."""
import triton
import triton.language as tl


@triton.jit
def gemm_wide_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_bk,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    # digits(y x0=2 x1 -> y, x1 x0): proved a permutation for every grid under 2^31 blocks
    # tiles: independent as traced on grid 256x32; M=4096, N=65536, K=4096, stride_am=4096,
    # stride_bk=65536, stride_cm=65536, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64
    p0 = tl.program_id(0)
    g0 = tl.num_programs(0)
    p1 = tl.program_id(1)
    g1 = tl.num_programs(1)
    t = p0 + p1 * g0
    many_cols = g0 // 2
    whole_cols = many_cols * 2
    whole = g1 * whole_cols
    if t < whole:
        rest = t // many_cols
        digit_x1 = t - rest * many_cols
        rest2 = rest // 2
        digit_x0 = rest - rest2 * 2
        row = rest2
        col = digit_x1 * 2 + digit_x0
    else:
        rest3 = t - whole
        beside = g0 - whole_cols
        row2 = rest3 // beside
        row = row2
        col = whole_cols + (rest3 - row2 * beside)
    column_tile = col
    row_tile = row
    a_block = tl.make_block_ptr(
        base=a_ptr,
        shape=(M, K),
        strides=(stride_am, 1),
        offsets=(row_tile * BLOCK_M, 0),
        block_shape=(BLOCK_M, BLOCK_K),
        order=(1, 0),
    )
    b_block = tl.make_block_ptr(
        base=b_ptr,
        shape=(K, N),
        strides=(stride_bk, 1),
        offsets=(0, column_tile * BLOCK_N),
        block_shape=(BLOCK_K, BLOCK_N),
        order=(1, 0),
    )

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        total += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = b_block.advance((BLOCK_K, 0))

    c_block = tl.make_block_ptr(
        base=c_ptr,
        shape=(M, N),
        strides=(stride_cm, 1),
        offsets=(row_tile * BLOCK_M, column_tile * BLOCK_N),
        block_shape=(BLOCK_M, BLOCK_N),
        order=(1, 0),
    )
    tl.store(c_block, total.to(tl.float16), boundary_check=(0, 1))
