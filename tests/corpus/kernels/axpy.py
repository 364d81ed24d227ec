"""out = 2 x + y on a line of blocks, with its host code."""
import torch
import triton
import triton.language as tl


@triton.jit
def axpy_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    index = pid * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside, other=0.0)
    y = tl.load(y_ptr + index, mask=inside, other=0.0)
    tl.store(out_ptr + index, 2.0 * x + y, mask=inside)


def axpy(x, y, n):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    axpy_kernel[grid](x, y, out, n, BLOCK=64)
    return out


def test_axpy():
    x = torch.randn(1300, device="cuda")
    y = torch.randn(1300, device="cuda")
    assert torch.allclose(axpy(x, y, 1300), 2.0 * x + y, rtol=1e-6)
