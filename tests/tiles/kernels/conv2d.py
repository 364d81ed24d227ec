"""Convolution as an implicit GEMM, channels last: a row of the product is one output pixel."""
import triton
import triton.language as tl


@triton.jit
def conv2d_nhwc(x, w, y, N, H, W, C, K, P, Q,
                R: tl.constexpr, S: tl.constexpr, STRIDE: tl.constexpr, PAD: tl.constexpr,
                BLOCK_NPQ: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_C: tl.constexpr,
                GROUP: tl.constexpr):
    pid = tl.program_id(0)
    pixels = N * P * Q
    num_npq = tl.cdiv(pixels, BLOCK_NPQ)
    num_k = tl.cdiv(K, BLOCK_K)
    group_width = GROUP * num_k
    g = pid // group_width
    g_size = min(num_npq - g * GROUP, GROUP)
    pid_npq = g * GROUP + (pid % group_width) % g_size
    pid_k = (pid % group_width) // g_size

    pixel = pid_npq * BLOCK_NPQ + tl.arange(0, BLOCK_NPQ)
    image = pixel // (P * Q)
    pq = pixel % (P * Q)
    p = pq // Q
    q = pq % Q
    kout = pid_k * BLOCK_K + tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_NPQ, BLOCK_K), dtype=tl.float32)
    for r in tl.static_range(R):
        for s in tl.static_range(S):
            h = p * STRIDE + r - PAD
            v = q * STRIDE + s - PAD
            live = (pixel < pixels) & (h >= 0) & (h < H) & (v >= 0) & (v < W)
            base = ((image * H + h) * W + v) * C
            for c0 in range(0, C, BLOCK_C):
                c = c0 + tl.arange(0, BLOCK_C)
                xs = tl.load(x + base[:, None] + c[None, :], mask=live[:, None] & (c[None, :] < C), other=0.0)
                ws = tl.load(w + ((kout[None, :] * R + r) * S + s) * C + c[:, None],
                             mask=(kout[None, :] < K) & (c[:, None] < C), other=0.0)
                acc += tl.dot(xs, ws)
    tl.store(y + pixel[:, None] * K + kout[None, :], acc.to(tl.float16),
             mask=(pixel[:, None] < pixels) & (kout[None, :] < K))
