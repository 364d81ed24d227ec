"""A 1 x 1 convolution, channels first: out[image, f, p] = sum over c of weight[f, c] * x[image, c, p]."""
import triton
import triton.language as tl


@triton.jit
def conv_1x1_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, channels, filters, pixels,
    BLOCK_F: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_C: tl.constexpr,
):
    f = tl.program_id(0) * BLOCK_F + tl.arange(0, BLOCK_F)
    p = tl.program_id(1) * BLOCK_P + tl.arange(0, BLOCK_P)
    image = tl.program_id(2)
    x_base = x_ptr + image * channels * pixels
    out_base = out_ptr + image * filters * pixels
    total = tl.zeros((BLOCK_F, BLOCK_P), dtype=tl.float32)
    for start in range(0, channels, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        w = tl.load(weight_ptr + f[:, None] * channels + c[None, :],
                    mask=(f[:, None] < filters) & (c[None, :] < channels), other=0.0)
        x = tl.load(x_base + c[:, None] * pixels + p[None, :],
                    mask=(c[:, None] < channels) & (p[None, :] < pixels), other=0.0)
        total = tl.dot(w, x, total)
    bias = tl.load(bias_ptr + f, mask=f < filters, other=0.0)
    total += bias[:, None]
    tl.store(out_base + f[:, None] * pixels + p[None, :], total.to(tl.float16),
             mask=(f[:, None] < filters) & (p[None, :] < pixels))
