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
    # hilbert: proved a permutation for every grid under 2^31 blocks
    # tiles: independent as traced on grid 256x32; M=4096, N=65536, K=4096, stride_am=4096,
    # stride_bk=65536, stride_cm=65536, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64
    p0 = tl.program_id(0)
    g0 = tl.num_programs(0)
    p1 = tl.program_id(1)
    g1 = tl.num_programs(1)
    test = g1 > g0
    ux2 = 0 if test else 1
    uy2 = 1 if test else 0
    t = p0 + p1 * g0
    x = 0
    y = 0
    ux = ux2
    uy = uy2
    vx = uy2
    vy = ux2
    w = g1 if test else g0
    h = g0 if test else g1
    while w > 1 and h > 1:
        w2 = w // 2
        h2 = h // 2
        if w > h + h2:
            w22 = w2 + 1 if w2 % 2 == 1 and w > 2 else w2
            product = w22 * h
            if t < product:
                w = w22
            else:
                t, x, y, w = t - product, x + ux * w22, y + uy * w22, w - w22
        else:
            h22 = h2 + 1 if h2 % 2 == 1 and h > 2 else h2
            product2 = w2 * h22
            if t < product2:
                ux, uy, vx, vy, w, h = vx, vy, ux, uy, h22, w2
            else:
                h3 = h - h22
                product3 = w * h3
                if t < product2 + product3:
                    t, x, y, h = t - product2, x + vx * h22, y + vy * h22, h3
                else:
                    difference = w - 1
                    difference2 = h22 - 1
                    next_vx = 0 - ux
                    next_vy = 0 - uy
                    next_h = w - w2
                    t = t - product2 - product3
                    x = x + ux * difference + vx * difference2
                    y = y + uy * difference + vy * difference2
                    ux = 0 - vx
                    uy = 0 - vy
                    vx = next_vx
                    vy = next_vy
                    w = h22
                    h = next_h
    if h == 1:
        hilbert = y + uy * t
        hilbert2 = x + ux * t
    else:
        hilbert = y + vy * t
        hilbert2 = x + vx * t
    column_tile = hilbert2
    row_tile = hilbert
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
