"""Retention in its parallel form: causal scores with a decay of each head, no softmax; values in tiles of columns."""
import triton
import triton.language as tl


@triton.jit
def retention_kernel(
    q_ptr, k_ptr, v_ptr, log_decay_ptr, out_ptr, length, value_size,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr, KEY_SIZE: tl.constexpr,
):
    v_tile = tl.program_id(0)
    q_tile = tl.program_id(1)
    head = tl.program_id(2)
    log_decay = tl.load(log_decay_ptr + head)
    i = q_tile * BLOCK_Q + tl.arange(0, BLOCK_Q)
    d = tl.arange(0, KEY_SIZE)
    e = v_tile * BLOCK_V + tl.arange(0, BLOCK_V)
    qk_base = head * length * KEY_SIZE
    v_base = head * length * value_size
    q = tl.load(q_ptr + qk_base + i[:, None] * KEY_SIZE + d[None, :], mask=i[:, None] < length, other=0.0)
    acc = tl.zeros((BLOCK_Q, BLOCK_V), dtype=tl.float32)
    for start in range(0, tl.minimum((q_tile + 1) * BLOCK_Q, length), BLOCK_K):
        j = start + tl.arange(0, BLOCK_K)
        k = tl.load(k_ptr + qk_base + j[None, :] * KEY_SIZE + d[:, None], mask=j[None, :] < length, other=0.0)
        v = tl.load(v_ptr + v_base + j[:, None] * value_size + e[None, :],
                    mask=(j[:, None] < length) & (e[None, :] < value_size), other=0.0)
        distance = i[:, None] - j[None, :]
        weight = tl.where(distance >= 0, tl.exp2(-tl.abs(log_decay) * distance.to(tl.float32)), 0.0)
        s = tl.dot(q, k) * weight
        acc = tl.dot(s.to(tl.bfloat16), v, acc)
    tl.store(out_ptr + v_base + i[:, None] * value_size + e[None, :], acc.to(tl.bfloat16),
             mask=(i[:, None] < length) & (e[None, :] < value_size))
