"""A plain copy: every byte is read once and written once."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, elements, BLOCK: tl.constexpr):
    # xcd(8): proved a permutation for every grid under 2^31 blocks
    # tiles: independent as traced on grid 16385; elements=16777217, BLOCK=1024
    p0 = tl.program_id(0)
    g0 = tl.num_programs(0)
    quotient = p0 // 8
    die = p0 - quotient * 8
    quotient2 = g0 // 8
    tile = die * quotient2 + min(die, g0 - quotient2 * 8) + quotient
    index = tile * BLOCK + tl.arange(0, BLOCK)
    inside = index < elements
    tl.store(target_ptr + index, tl.load(source_ptr + index, mask=inside), mask=inside)
