"""Gravity between all pairs: a block of bodies against its share of the others, in tiles."""
import triton
import triton.language as tl


@triton.jit
def n_body_kernel(
    x_ptr, y_ptr, z_ptr, mass_ptr, force_ptr, bodies, softening,
    BLOCK_TARGETS: tl.constexpr, BLOCK_SOURCES: tl.constexpr, SPLITS: tl.constexpr,
):
    target_tile = tl.program_id(0)
    split = tl.program_id(1)
    target = target_tile * BLOCK_TARGETS + tl.arange(0, BLOCK_TARGETS)
    live = target < bodies
    x = tl.load(x_ptr + target, mask=live, other=0.0)[:, None]
    y = tl.load(y_ptr + target, mask=live, other=0.0)[:, None]
    z = tl.load(z_ptr + target, mask=live, other=0.0)[:, None]
    share = tl.cdiv(bodies, BLOCK_SOURCES * SPLITS) * BLOCK_SOURCES
    last = tl.minimum((split + 1) * share, bodies)

    fx = tl.zeros((BLOCK_TARGETS,), dtype=tl.float32)
    fy = tl.zeros((BLOCK_TARGETS,), dtype=tl.float32)
    fz = tl.zeros((BLOCK_TARGETS,), dtype=tl.float32)
    for start in range(split * share, last, BLOCK_SOURCES):
        source = start + tl.arange(0, BLOCK_SOURCES)
        inside = source < last
        dx = tl.load(x_ptr + source, mask=inside, other=0.0)[None, :] - x
        dy = tl.load(y_ptr + source, mask=inside, other=0.0)[None, :] - y
        dz = tl.load(z_ptr + source, mask=inside, other=0.0)[None, :] - z
        mass = tl.load(mass_ptr + source, mask=inside, other=0.0)[None, :]
        inverse = tl.rsqrt(dx * dx + dy * dy + dz * dz + softening)
        pull = mass * inverse * inverse * inverse
        fx += tl.sum(pull * dx, axis=1)
        fy += tl.sum(pull * dy, axis=1)
        fz += tl.sum(pull * dz, axis=1)

    out = force_ptr + split * 3 * bodies + target
    tl.store(out, fx, mask=live)
    tl.store(out + bodies, fy, mask=live)
    tl.store(out + 2 * bodies, fz, mask=live)
