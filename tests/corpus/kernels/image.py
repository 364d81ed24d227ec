"""Filters of 3 x 3 pixels over images, as a product of matrices."""
import triton
import triton.language as tl


@triton.jit
def image(x, w, y, N, C, H, W, F, OH, OW, R: tl.constexpr, S: tl.constexpr, BP: tl.constexpr,
          BF: tl.constexpr, BC: tl.constexpr):
    pid_p = tl.program_id(0)
    pid_f = tl.program_id(1)
    p = pid_p * BP + tl.arange(0, BP)
    f = pid_f * BF + tl.arange(0, BF)
    n = p // (OH * OW)
    oh = (p // OW) % OH
    ow = p % OW
    acc = tl.zeros((BP, BF), dtype=tl.float32)
    for r in range(R):
        for s in range(S):
            for c0 in range(0, C, BC):
                c = c0 + tl.arange(0, BC)
                a = tl.load(x + ((n[:, None] * H + oh[:, None] + r) * W + ow[:, None] + s) * C + c[None, :],
                            mask=(n[:, None] < N) & (c[None, :] < C), other=0.0)
                b = tl.load(w + ((f[None, :] * R + r) * S + s) * C + c[:, None],
                            mask=(f[None, :] < F) & (c[:, None] < C), other=0.0)
                acc += tl.dot(a, b)
    tl.store(y + p[:, None] * F + f[None, :], acc, mask=(p[:, None] < N * OH * OW) & (f[None, :] < F))
