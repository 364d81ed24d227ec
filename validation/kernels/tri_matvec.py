"""Lower triangular matrices times vectors: rows are read as far as the diagonal, so blocks grow in length."""
import triton
import triton.language as tl


@triton.jit
def tri_matvec_kernel(l_ptr, x_ptr, y_ptr, n, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    pid = tl.program_id(0)
    blocks = tl.cdiv(n, BLOCK_R)
    system = pid // blocks
    block = pid % blocks
    r = block * BLOCK_R + tl.arange(0, BLOCK_R)
    base = l_ptr + system * n * n
    acc = tl.zeros((BLOCK_R, BLOCK_C), dtype=tl.float32)
    end = tl.minimum((block + 1) * BLOCK_R, n)
    for c0 in range(0, end, BLOCK_C):
        c = c0 + tl.arange(0, BLOCK_C)
        lower = (r[:, None] < n) & (c[None, :] <= r[:, None])
        a = tl.load(base + r[:, None] * n + c[None, :], mask=lower, other=0.0)
        x = tl.load(x_ptr + system * n + c, mask=c < n, other=0.0)
        acc += a.to(tl.float32) * x.to(tl.float32)[None, :]
    tl.store(y_ptr + system * n + r, tl.sum(acc, axis=1), mask=r < n)
