"""Attention, forward, fp16, all heads of a block of queries next to each other in the launch.

Layout [sequence, head, size]; grid axis 0 is the head.
"""
import triton
import triton.language as tl


@triton.jit
def attention_heads_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    sequence,
    stride_token,
    stride_head,
    scale,
    BLOCK_QUERIES: tl.constexpr,
    BLOCK_KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    # digits(x1 x2=2 x0=2 y -> y, x2 x1 x0): proved a permutation for every grid under 2^31 blocks
    # tiles: independent as traced on grid 64x64; sequence=8192, stride_token=8192, stride_head=128,
    # BLOCK_QUERIES=128, BLOCK_KEYS=64, SIZE=128
    p0 = tl.program_id(0)
    g0 = tl.num_programs(0)
    p1 = tl.program_id(1)
    g1 = tl.num_programs(1)
    t = p0 + p1 * g0
    many_cols = g0 // 4
    whole_cols = many_cols * 4
    whole = g1 * whole_cols
    if t < whole:
        rest = t // g1
        rest2 = rest // 2
        digit_x0 = rest - rest2 * 2
        rest3 = rest2 // 2
        digit_x2 = rest2 - rest3 * 2
        row = t - rest * g1
        col = (digit_x2 * many_cols + rest3) * 2 + digit_x0
    else:
        rest4 = t - whole
        beside = g0 - whole_cols
        row2 = rest4 // beside
        row = row2
        col = whole_cols + (rest4 - row2 * beside)
    tile_y = row
    head = col
    first_query = tile_y * BLOCK_QUERIES
    q_block = tl.make_block_ptr(
        q_ptr + head * stride_head, (sequence, SIZE), (stride_token, 1), (first_query, 0),
        (BLOCK_QUERIES, SIZE), (1, 0)
    )
    out_block = tl.make_block_ptr(
        out_ptr + head * stride_head, (sequence, SIZE), (stride_token, 1), (first_query, 0),
        (BLOCK_QUERIES, SIZE), (1, 0)
    )
    # Keys are read transposed: SIZE rows of BLOCK_KEYS.
    k_block = tl.make_block_ptr(
        k_ptr + head * stride_head, (SIZE, sequence), (1, stride_token), (0, 0),
        (SIZE, BLOCK_KEYS), (0, 1)
    )
    v_block = tl.make_block_ptr(
        v_ptr + head * stride_head, (sequence, SIZE), (stride_token, 1), (0, 0),
        (BLOCK_KEYS, SIZE), (1, 0)
    )

    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    highest = tl.full((BLOCK_QUERIES,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_QUERIES,), dtype=tl.float32)
    out = tl.zeros((BLOCK_QUERIES, SIZE), dtype=tl.float32)
    for start in range(0, sequence, BLOCK_KEYS):
        k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
        scores = tl.dot(q, k) * scale
        key = start + tl.arange(0, BLOCK_KEYS)
        scores = tl.where(key[None, :] < sequence, scores, -float("inf"))
        new_highest = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2((scores - new_highest[:, None]) * 1.44269504)
        fade = tl.exp2((highest - new_highest) * 1.44269504)
        total = total * fade + tl.sum(weights, 1)
        out = out * fade[:, None]
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        out = tl.dot(weights.to(tl.float16), v, out)
        highest = new_highest
        k_block = tl.advance(k_block, (0, BLOCK_KEYS))
        v_block = tl.advance(v_block, (BLOCK_KEYS, 0))

    tl.store(out_block, (out / total[:, None]).to(tl.float16), boundary_check=(0,))
