"""A plain copy: every byte is read once and written once."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, elements, BLOCK: tl.constexpr):
    # digits(a0 a1=5 -> a1 a0): proved a permutation for every grid under 2^31 blocks
    # tiles: independent as traced on grid 16385; elements=16777217, BLOCK=1024
    p0 = tl.program_id(0)
    g0 = tl.num_programs(0)
    many_n = g0 // 5
    if p0 < many_n * 5:
        rest = p0 // 5
        digit_a1 = p0 - rest * 5
        tile2 = digit_a1 * many_n + rest
    else:
        tile2 = p0
    tile = tile2
    index = tile * BLOCK + tl.arange(0, BLOCK)
    inside = index < elements
    tl.store(target_ptr + index, tl.load(source_ptr + index, mask=inside), mask=inside)
