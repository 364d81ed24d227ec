"""A step of Gray-Scott reaction and diffusion, two substances, periodic borders; rows of tiles on axis 0."""
import triton
import triton.language as tl


@triton.jit
def gray_scott_kernel(
    u_ptr, v_ptr, u_out_ptr, v_out_ptr, n, m, feed, kill, du, dv,
    BI: tl.constexpr, BJ: tl.constexpr,
):
    i = tl.program_id(0) * BI + tl.arange(0, BI)[:, None]
    j = tl.program_id(1) * BJ + tl.arange(0, BJ)[None, :]
    ok = (i < n) & (j < m)
    up = tl.where(i == 0, n - 1, i - 1) * m + j
    down = tl.where(i == n - 1, 0, i + 1) * m + j
    left = i * m + tl.where(j == 0, m - 1, j - 1)
    right = i * m + tl.where(j == m - 1, 0, j + 1)
    at = i * m + j
    u = tl.load(u_ptr + at, mask=ok, other=0.0)
    v = tl.load(v_ptr + at, mask=ok, other=0.0)
    lap_u = -4.0 * u
    lap_u += tl.load(u_ptr + up, mask=ok, other=0.0)
    lap_u += tl.load(u_ptr + down, mask=ok, other=0.0)
    lap_u += tl.load(u_ptr + left, mask=ok, other=0.0)
    lap_u += tl.load(u_ptr + right, mask=ok, other=0.0)
    lap_v = -4.0 * v
    lap_v += tl.load(v_ptr + up, mask=ok, other=0.0)
    lap_v += tl.load(v_ptr + down, mask=ok, other=0.0)
    lap_v += tl.load(v_ptr + left, mask=ok, other=0.0)
    lap_v += tl.load(v_ptr + right, mask=ok, other=0.0)
    react = u * v * v
    tl.store(u_out_ptr + at, u + du * lap_u - react + feed * (1.0 - u), mask=ok)
    tl.store(v_out_ptr + at, v + dv * lap_v + react - (feed + kill) * v, mask=ok)
