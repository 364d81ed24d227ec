"""All 27 neighbours in space, weighted by their kind: centre, face, edge or corner."""
import triton
import triton.language as tl


@triton.jit
def stencil_3d_27point_kernel(
    u_ptr, out_ptr, nz, ny, nx, w_centre, w_face, w_edge, w_corner,
    BY: tl.constexpr, BX: tl.constexpr,
):
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    z = tl.program_id(2)
    plane = ny * nx
    total = tl.zeros((BY, BX), dtype=tl.float32)
    for dz in tl.static_range(-1, 2):
        for dy in tl.static_range(-1, 2):
            for dx in tl.static_range(-1, 2):
                zz = z + dz
                yy = y + dy
                xx = x + dx
                ok = (zz >= 0) & (zz < nz) & (yy >= 0) & (yy < ny) & (xx >= 0) & (xx < nx)
                v = tl.load(u_ptr + zz * plane + yy * nx + xx, mask=ok, other=0.0)
                if dx * dx + dy * dy + dz * dz == 0:
                    total += w_centre * v
                elif dx * dx + dy * dy + dz * dz == 1:
                    total += w_face * v
                elif dx * dx + dy * dy + dz * dz == 2:
                    total += w_edge * v
                else:
                    total += w_corner * v
    tl.store(out_ptr + z * plane + y * nx + x, total, mask=(y < ny) & (x < nx))
