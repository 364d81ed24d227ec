"""A copy whose first block waits for a value that nobody writes."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, elements, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < elements
    tl.store(target_ptr + index, tl.load(source_ptr + index, mask=inside), mask=inside)
    waiting = elements
    while waiting > 0:
        waiting = elements + tl.load(source_ptr, volatile=True).to(tl.int32) * 0
