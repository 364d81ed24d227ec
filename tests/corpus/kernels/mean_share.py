"""out = x / blocks along axis 0, on a plane of blocks that is used as a line."""
import torch
import triton
import triton.language as tl


@triton.jit
def mean_share_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    index = pid * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside, other=0.0)
    tl.store(out_ptr + index, x / tl.num_programs(0), mask=inside)


def mean_share(x, n):
    out = torch.empty_like(x)
    grid = (triton.cdiv(n, 64), 1)
    mean_share_kernel[grid](x, out, n, BLOCK=64)
    return out
