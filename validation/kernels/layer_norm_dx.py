"""Layer norm, backward: dx of a few rows a block, and the block's share of the weight's gradient."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_dx_kernel(
    x_ptr, dy_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_part_ptr, rows, cols,
    ROWS_PER_BLOCK: tl.constexpr, BLOCK: tl.constexpr,
):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < cols
    w = tl.load(w_ptr + c, mask=ok, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    for r in range(ROWS_PER_BLOCK):
        row = pid * ROWS_PER_BLOCK + r
        live = ok & (row < rows)
        x = tl.load(x_ptr + row * cols + c, mask=live, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * cols + c, mask=live, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row, mask=row < rows, other=0.0)
        rstd = tl.load(rstd_ptr + row, mask=row < rows, other=0.0)
        xhat = tl.where(live, (x - mean) * rstd, 0.0)
        wdy = w * dy
        c1 = tl.sum(xhat * wdy, axis=0) / cols
        c2 = tl.sum(wdy, axis=0) / cols
        dx = (wdy - (xhat * c1 + c2)) * rstd
        tl.store(dx_ptr + row * cols + c, dx.to(tl.bfloat16), mask=live)
        dw += dy * xhat
    tl.store(dw_part_ptr + pid * cols + c, dw, mask=ok)
