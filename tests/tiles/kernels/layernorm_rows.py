"""Layer norm, one row a program: a line of tiles that stays a line."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_fwd(X, Y, W, B, Mean, Rstd, row_stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    X += row * row_stride
    Y += row * row_stride
    cols = tl.arange(0, BLOCK)
    live = cols < n_cols
    x = tl.load(X + cols, mask=live, other=0.0, eviction_policy="evict_first").to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(live, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n_cols + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    w = tl.load(W + cols, mask=live, other=0.0, eviction_policy="evict_last")
    b = tl.load(B + cols, mask=live, other=0.0, eviction_policy="evict_last")
    tl.store(Y + cols, centred * rstd * w + b, mask=live)
