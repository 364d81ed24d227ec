"""A copy that also writes far behind its target."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, elements, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < elements
    value = tl.load(source_ptr + index, mask=inside)
    tl.store(target_ptr + index, value, mask=inside)
    far = index.to(tl.int64) + (1 << 40)
    tl.store(target_ptr + far, value, mask=inside)
