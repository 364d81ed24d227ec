"""A copy whose last block forgets its mask and writes a little too far."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, elements, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < elements
    value = tl.load(source_ptr + index, mask=inside, other=1.0)
    tl.store(target_ptr + index, value, mask=inside)
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.store(target_ptr + elements + tl.arange(0, BLOCK), value)
