"""Attention with a matrix of biases for each head, which all batches share."""
import triton
import triton.language as tl


@triton.jit
def attention_bias_matrix_kernel(
    q_ptr, k_ptr, v_ptr, bias_ptr, out_ptr, heads, length, scale,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, SIZE: tl.constexpr,
):
    q_block = tl.program_id(0)
    head = tl.program_id(1)
    batch = tl.program_id(2)
    base = (batch * heads + head) * length * SIZE
    bias_base = bias_ptr + head * length * length
    i = q_block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    d = tl.arange(0, SIZE)
    q = tl.load(q_ptr + base + i[:, None] * SIZE + d[None, :], mask=i[:, None] < length, other=0.0)
    peak = tl.full((BLOCK_Q,), -1.0e30, dtype=tl.float32)
    norm = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_Q, SIZE), dtype=tl.float32)
    for start in range(0, length, BLOCK_K):
        j = start + tl.arange(0, BLOCK_K)
        k = tl.load(k_ptr + base + j[None, :] * SIZE + d[:, None], mask=j[None, :] < length, other=0.0)
        bias = tl.load(bias_base + i[:, None] * length + j[None, :],
                       mask=(i[:, None] < length) & (j[None, :] < length), other=0.0)
        s = tl.dot(q, k) * scale + bias.to(tl.float32)
        s = tl.where(j[None, :] < length, s, -1.0e30)
        new_peak = tl.maximum(peak, tl.max(s, 1))
        p = tl.exp(s - new_peak[:, None])
        fade = tl.exp(peak - new_peak)
        norm = norm * fade + tl.sum(p, 1)
        v = tl.load(v_ptr + base + j[:, None] * SIZE + d[None, :], mask=j[:, None] < length, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * fade[:, None])
        peak = new_peak
    acc = acc / norm[:, None]
    tl.store(out_ptr + base + i[:, None] * SIZE + d[None, :], acc.to(tl.float16), mask=i[:, None] < length)
