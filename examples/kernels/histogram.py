"""Counts of values, with atomic additions; each block takes every num_programs-th piece."""
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(values_ptr, counts_ptr, elements, bins, BLOCK: tl.constexpr):
    pieces = tl.cdiv(elements, BLOCK)
    for piece in range(tl.program_id(0), pieces, tl.num_programs(0)):
        index = piece * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(values_ptr + index, mask=index < elements, other=-1)
        counted = (value >= 0) & (value < bins)
        tl.atomic_add(counts_ptr + value, 1, mask=counted, sem="relaxed")
