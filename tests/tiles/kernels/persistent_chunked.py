"""Persistent GEMM: each block owns a run of neighbouring tiles; the first blocks have one more."""
import triton
import triton.language as tl


@triton.jit
def chunked_gemm(x, w, y, rows, cols, depth, NUM_CTAS: tl.constexpr,
                 TR: tl.constexpr, TC: tl.constexpr, TD: tl.constexpr):
    cta = tl.program_id(0)
    row_tiles = (rows + TR - 1) // TR
    col_tiles = (cols + TC - 1) // TC
    total = row_tiles * col_tiles
    base = total // NUM_CTAS
    extra = total % NUM_CTAS
    begin = cta * base + min(cta, extra)
    count = base
    if cta < extra:
        count += 1
    for t in range(begin, begin + count):
        c_tile = t // row_tiles
        r_tile = t - c_tile * row_tiles
        r = r_tile * TR + tl.arange(0, TR)
        c = c_tile * TC + tl.arange(0, TC)
        acc = tl.zeros((TR, TC), dtype=tl.float32)
        for d0 in tl.range(0, depth, TD, num_stages=3):
            d = d0 + tl.arange(0, TD)
            acc += tl.dot(tl.load(x + r[:, None] * depth + d[None, :], mask=r[:, None] < rows, other=0.0),
                          tl.load(w + d[:, None] * cols + c[None, :], mask=c[None, :] < cols, other=0.0))
        tl.store(y + r[:, None] * cols + c[None, :], acc.to(tl.float16),
                 mask=(r[:, None] < rows) & (c[None, :] < cols))
