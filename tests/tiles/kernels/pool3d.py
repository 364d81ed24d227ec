"""3-D average pooling; depth, row and column tile come from one program id."""
import triton
import triton.language as tl


@triton.jit
def avg_pool3d(src, dst, D, H, W, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    pid = tl.program_id(0)
    out_h = H // 2
    out_w = W // 2
    tiles_w = tl.cdiv(out_w, BLOCK_W)
    tiles_h = tl.cdiv(out_h, BLOCK_H)
    x = pid % tiles_w
    y = (pid // tiles_w) % tiles_h
    z = pid // (tiles_w * tiles_h)

    h = y * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    w = x * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    live = (h < out_h) & (w < out_w)
    acc = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
    for dz in tl.static_range(2):
        for dy in tl.static_range(2):
            for dx in tl.static_range(2):
                at = ((2 * z + dz) * H + 2 * h + dy) * W + 2 * w + dx
                acc += tl.load(src + at, mask=live, other=0.0)
    tl.store(dst + (z * out_h + h) * out_w + w, acc * 0.125, mask=live)
