"""Sampled dense-dense product: out[row, e] = a[row, :] . b[column[row, e], :], 32 entries of a row at a time."""
import triton
import triton.language as tl


@triton.jit
def sddmm_kernel(
    a_ptr, b_ptr, column_ptr, out_ptr, entries, depth,
    BLOCK_E: tl.constexpr, BLOCK_D: tl.constexpr,
):
    part = tl.program_id(0)
    row = tl.program_id(1)
    e = part * BLOCK_E + tl.arange(0, BLOCK_E)
    live = e < entries
    column = tl.load(column_ptr + row * entries + e, mask=live, other=0)
    acc = tl.zeros((BLOCK_E,), dtype=tl.float32)
    for d0 in range(0, depth, BLOCK_D):
        d = d0 + tl.arange(0, BLOCK_D)
        a = tl.load(a_ptr + row * depth + d, mask=d < depth, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + column[:, None] * depth + d[None, :],
                    mask=live[:, None] & (d[None, :] < depth), other=0.0).to(tl.float32)
        acc += tl.sum(a[None, :] * b, axis=1)
    tl.store(out_ptr + row * entries + e, acc, mask=live)
