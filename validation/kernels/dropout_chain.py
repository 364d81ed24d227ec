"""An element-wise chain: gelu, dropout with Philox numbers, a residual."""
import triton
import triton.language as tl


@triton.jit
def dropout_chain_kernel(
    x_ptr, residual_ptr, out_ptr, count, seed, keep, BLOCK: tl.constexpr,
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=inside, other=0.0).to(tl.float32)
    x = x * tl.sigmoid(1.702 * x)
    kept = tl.rand(seed, at) < keep
    out = tl.where(kept, x / keep, 0.0) + residual
    tl.store(out_ptr + at, out.to(tl.float16), mask=inside)
