"""Merges a low-rank update into a weight: out = w + scale * down @ up; tiles run down the columns first."""
import triton
import triton.language as tl


@triton.jit
def lora_merge_kernel(
    w_ptr, down_ptr, up_ptr, out_ptr, rows, cols, scale,
    RANK: tl.constexpr, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr,
):
    pid = tl.program_id(0)
    row_blocks = tl.cdiv(rows, BLOCK_R)
    pid_c = pid // row_blocks
    pid_r = pid % row_blocks
    r = pid_r * BLOCK_R + tl.arange(0, BLOCK_R)
    c = pid_c * BLOCK_C + tl.arange(0, BLOCK_C)
    d = tl.arange(0, RANK)
    down = tl.load(down_ptr + r[:, None] * RANK + d[None, :], mask=r[:, None] < rows, other=0.0)
    up = tl.load(up_ptr + d[:, None] * cols + c[None, :], mask=c[None, :] < cols, other=0.0)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    w = tl.load(w_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    delta = tl.dot(down, up)
    merged = w.to(tl.float32) + scale * delta
    tl.store(out_ptr + r[:, None] * cols + c[None, :], merged.to(tl.bfloat16), mask=inside)
