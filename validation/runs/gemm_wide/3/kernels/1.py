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
    # digits(y1=4 x1 y0 x0=4 -> y1 y0, x1 x0): proved a permutation for every grid under 2^31 blocks
    # tiles: independent as traced on grid 256x32; M=4096, N=65536, K=4096, stride_am=4096,
    # stride_bk=65536, stride_cm=65536, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64
    p0 = tl.program_id(0)
    g0 = tl.num_programs(0)
    p1 = tl.program_id(1)
    g1 = tl.num_programs(1)
    t = p0 + p1 * g0
    many_rows = g1 // 4
    whole_rows = many_rows * 4
    many_cols = g0 // 4
    whole_cols = many_cols * 4
    whole = whole_rows * whole_cols
    if t < whole:
        rest = t // 4
        digit_x0 = t - rest * 4
        rest2 = rest // many_rows
        digit_y0 = rest - rest2 * many_rows
        rest3 = rest2 // many_cols
        digit_x1 = rest2 - rest3 * many_cols
        row2 = rest3 * many_rows + digit_y0
        col2 = digit_x1 * 4 + digit_x0
    else:
        rest4 = t - whole
        beside = g0 - whole_cols
        product = whole_rows * beside
        if rest4 < product:
            row3 = rest4 // beside
            row = row3
            col = whole_cols + (rest4 - row3 * beside)
        else:
            rest5 = rest4 - product
            quotient = rest5 // g0
            row = whole_rows + quotient
            col = rest5 - quotient * g0
        row2 = row
        col2 = col
    column_tile = col2
    row_tile = row2
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
