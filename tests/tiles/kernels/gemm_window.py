"""HipKittens' window: chunks of ids per die, then windows of W rows walked column by column."""
import triton
import triton.language as tl


@triton.jit
def gemm_window_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr,
                       NUM_XCDS: tl.constexpr, CHUNK: tl.constexpr, WINDOW: tl.constexpr):
    wgid = tl.program_id(0)
    num_wgs = tl.num_programs(0)
    cycle: tl.constexpr = NUM_XCDS * CHUNK
    limit = (num_wgs // cycle) * cycle
    if wgid < limit:
        xcd = wgid % NUM_XCDS
        local = wgid // NUM_XCDS
        wgid = (local // CHUNK) * cycle + xcd * CHUNK + local % CHUNK

    num_rows = tl.cdiv(M, BLOCK)
    num_cols = tl.cdiv(N, BLOCK)
    window_tiles = WINDOW * num_cols
    window = wgid // window_tiles
    first_row = window * WINDOW
    win_h = min(num_rows - first_row, WINDOW)
    local = wgid % window_tiles
    row = first_row + local % win_h
    col = local // win_h

    r = row * BLOCK + tl.arange(0, BLOCK)
    c = col * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for kk in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + r[:, None] * K + (kk + k)[None, :], mask=r[:, None] < M, other=0.0)
        b = tl.load(b_ptr + c[None, :] * K + (kk + k)[:, None], mask=c[None, :] < N, other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + r[:, None] * N + c[None, :], acc.to(tl.bfloat16),
             mask=(r[:, None] < M) & (c[None, :] < N))
