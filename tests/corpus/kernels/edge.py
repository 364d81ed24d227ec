"""Differences of neighbours; the last one has a neighbour that is not in the tensor."""
import triton
import triton.language as tl


@triton.jit
def edge_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    index = tile * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    here = tl.load(x_ptr + index, mask=inside, other=0.0)
    there = tl.load(x_ptr + index + 1, mask=inside, other=0.0)
    tl.store(y_ptr + index, there - here, mask=inside)
