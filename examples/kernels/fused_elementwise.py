"""out = silu(gate + bias) * up + residual: four tensors in, one out, only bias is reused."""
import triton
import triton.language as tl


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def fused_elementwise_kernel(
    gate_ptr,
    up_ptr,
    bias_ptr,
    residual_ptr,
    out_ptr,
    elements,
    columns,
    BLOCK: tl.constexpr,
):
    start = tl.program_id(0).to(tl.int64) * BLOCK
    index = start + tl.arange(0, BLOCK)
    inside = index < elements
    gate = tl.load(gate_ptr + index, mask=inside, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + index % columns, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(up_ptr + index, mask=inside, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + index, mask=inside, other=0.0).to(tl.float32)
    out = silu(gate + bias) * up + residual
    tl.store(out_ptr + index, out.to(tl.float16), mask=inside)
