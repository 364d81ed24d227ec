"""A copy that adds the number of the tile: what a block works on is data here."""
import triton
import triton.language as tl


@triton.jit
def tagged_copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    index = tile % tl.num_programs(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside, other=0.0)
    tl.store(out_ptr + index, x + tile, mask=inside)
