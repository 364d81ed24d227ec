"""Attention, backward: a block of keys gathers its gradients dK and dV from all queries that saw it."""
import triton
import triton.language as tl


@triton.jit
def attention_dkdv_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, sequence, scale,
    BLOCK_QUERIES: tl.constexpr, BLOCK_KEYS: tl.constexpr, SIZE: tl.constexpr,
):
    key_block = tl.program_id(0)
    head = tl.program_id(1)
    base = head.to(tl.int64) * sequence * SIZE
    rows = head.to(tl.int64) * sequence
    key = key_block * BLOCK_KEYS + tl.arange(0, BLOCK_KEYS)
    part = tl.arange(0, SIZE)
    k_offsets = base + key[:, None] * SIZE + part[None, :]
    k = tl.load(k_ptr + k_offsets, mask=key[:, None] < sequence, other=0.0)
    v = tl.load(v_ptr + k_offsets, mask=key[:, None] < sequence, other=0.0)

    dk = tl.zeros((BLOCK_KEYS, SIZE), dtype=tl.float32)
    dv = tl.zeros((BLOCK_KEYS, SIZE), dtype=tl.float32)
    first_query = key_block * BLOCK_KEYS // BLOCK_QUERIES * BLOCK_QUERIES
    for start in range(first_query, sequence, BLOCK_QUERIES):
        query = start + tl.arange(0, BLOCK_QUERIES)
        inside = query < sequence
        q_offsets = base + query[:, None] * SIZE + part[None, :]
        q = tl.load(q_ptr + q_offsets, mask=inside[:, None], other=0.0)
        dout = tl.load(dout_ptr + q_offsets, mask=inside[:, None], other=0.0)
        lse = tl.load(lse_ptr + rows + query, mask=inside, other=0.0)
        delta = tl.load(delta_ptr + rows + query, mask=inside, other=0.0)
        weights = tl.math.exp2(tl.dot(k, tl.trans(q)) * scale - lse[None, :])
        weights = tl.where((key[:, None] <= query[None, :]) & inside[None, :], weights, 0.0)
        dv = tl.dot(weights.to(dout.dtype), dout, dv)
        dscores = weights * (tl.dot(v, tl.trans(dout)) - delta[None, :])
        dk = tl.dot(dscores.to(q.dtype), q, dk)

    tl.store(dk_ptr + k_offsets, (dk * scale).to(tl.float16), mask=key[:, None] < sequence)
    tl.store(dv_ptr + k_offsets, dv.to(tl.float16), mask=key[:, None] < sequence)
