"""A Jacobi sweep with coefficients of its own at every point; tiles are unpacked from one program id."""
import triton
import triton.language as tl


@triton.jit
def jacobi_coefficients_kernel(
    x_ptr, rhs_ptr, diag_ptr, north_ptr, south_ptr, west_ptr, east_ptr, out_ptr, ny, nx,
    BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_x = tl.cdiv(nx, BLOCK_X)
    by = pid // num_x
    bx = pid - by * num_x
    y = by * BLOCK_Y + tl.arange(0, BLOCK_Y)[:, None]
    x = bx * BLOCK_X + tl.arange(0, BLOCK_X)[None, :]
    inside = (y < ny) & (x < nx)
    at = y * nx + x
    total = tl.load(rhs_ptr + at, mask=inside, other=0.0)
    total -= tl.load(north_ptr + at, mask=inside, other=0.0) * tl.load(x_ptr + at - nx, mask=inside & (y > 0), other=0.0)
    total -= tl.load(south_ptr + at, mask=inside, other=0.0) * tl.load(x_ptr + at + nx, mask=inside & (y < ny - 1), other=0.0)
    total -= tl.load(west_ptr + at, mask=inside, other=0.0) * tl.load(x_ptr + at - 1, mask=inside & (x > 0), other=0.0)
    total -= tl.load(east_ptr + at, mask=inside, other=0.0) * tl.load(x_ptr + at + 1, mask=inside & (x < nx - 1), other=0.0)
    diag = tl.load(diag_ptr + at, mask=inside, other=1.0)
    tl.store(out_ptr + at, total / diag, mask=inside)
