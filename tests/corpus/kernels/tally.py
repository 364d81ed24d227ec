"""One sum over all tiles: each adds a number of its own to the same cell."""
import triton
import triton.language as tl


@triton.jit
def tally_kernel(total_ptr, factor):
    tile = tl.program_id(0)
    tl.atomic_add(total_ptr, tile * factor + 1, sem="relaxed")
