"""A pass as of a radix-4 Fourier transform, with one factor for all: four points far apart are combined."""
import triton
import triton.language as tl


@triton.jit
def fft_stage_kernel(
    re_ptr, im_ptr, cos_ptr, sin_ptr, out_re_ptr, out_im_ptr, quarter, BLOCK: tl.constexpr,
):
    tile = tl.program_id(0)
    signal = tl.program_id(1)
    i = tile * BLOCK + tl.arange(0, BLOCK)
    inside = i < quarter
    base = signal * 4 * quarter + i
    a_re = tl.load(re_ptr + base, mask=inside, other=0.0)
    b_re = tl.load(re_ptr + base + quarter, mask=inside, other=0.0)
    c_re = tl.load(re_ptr + base + 2 * quarter, mask=inside, other=0.0)
    d_re = tl.load(re_ptr + base + 3 * quarter, mask=inside, other=0.0)
    a_im = tl.load(im_ptr + base, mask=inside, other=0.0)
    b_im = tl.load(im_ptr + base + quarter, mask=inside, other=0.0)
    c_im = tl.load(im_ptr + base + 2 * quarter, mask=inside, other=0.0)
    d_im = tl.load(im_ptr + base + 3 * quarter, mask=inside, other=0.0)
    cos = tl.load(cos_ptr + i, mask=inside, other=0.0)
    sin = tl.load(sin_ptr + i, mask=inside, other=0.0)

    even_re = a_re + c_re
    even_im = a_im + c_im
    odd_re = b_re + d_re
    odd_im = b_im + d_im
    twist_re = (a_re - c_re) * cos - (b_im - d_im) * sin
    twist_im = (a_im - c_im) * cos + (b_re - d_re) * sin
    tl.store(out_re_ptr + base, even_re + odd_re, mask=inside)
    tl.store(out_re_ptr + base + quarter, twist_re, mask=inside)
    tl.store(out_re_ptr + base + 2 * quarter, even_re - odd_re, mask=inside)
    tl.store(out_re_ptr + base + 3 * quarter, -twist_re, mask=inside)
    tl.store(out_im_ptr + base, even_im + odd_im, mask=inside)
    tl.store(out_im_ptr + base + quarter, twist_im, mask=inside)
    tl.store(out_im_ptr + base + 2 * quarter, even_im - odd_im, mask=inside)
    tl.store(out_im_ptr + base + 3 * quarter, -twist_im, mask=inside)
