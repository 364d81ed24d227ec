"""Two 4-bit weights of each byte become fp16, with a scale and a zero for each group of 128 rows and each column."""
import triton
import triton.language as tl


@triton.jit
def dequant_int4_kernel(
    packed_ptr, scale_ptr, zero_ptr, out_ptr, half_rows, columns,
    GROUP: tl.constexpr, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr,
):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)[:, None]
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)[None, :]
    inside = (r < half_rows) & (c < columns)
    byte = tl.load(packed_ptr + r * columns + c, mask=inside, other=0).to(tl.int32)
    group = (2 * r) // GROUP
    scale = tl.load(scale_ptr + group * columns + c, mask=inside, other=0.0).to(tl.float32)
    zero = tl.load(zero_ptr + group * columns + c, mask=inside, other=0.0).to(tl.float32)
    low = ((byte & 15).to(tl.float32) - zero) * scale
    high = (((byte >> 4) & 15).to(tl.float32) - zero) * scale
    tl.store(out_ptr + (2 * r) * columns + c, low.to(tl.float16), mask=inside)
    tl.store(out_ptr + (2 * r + 1) * columns + c, high.to(tl.float16), mask=inside)
