"""MoE layer: rows come through sorted token ids, a block of rows belongs to one expert."""
import triton
import triton.language as tl


@triton.jit
def moe_gemm_kernel(
    x_ptr, w_ptr, y_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_padded_ptr,
    N, K, EM, num_valid_tokens,
    stride_xm, stride_we, stride_wn, stride_ym,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr, TOP_K: tl.constexpr, MUL_WEIGHT: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    m_tiles = tl.cdiv(EM, BLOCK_SIZE_M)
    n_tiles = tl.cdiv(N, BLOCK_SIZE_N)
    per_group = GROUP_SIZE_M * n_tiles
    group = pid // per_group
    first = group * GROUP_SIZE_M
    height = min(m_tiles - first, GROUP_SIZE_M)
    pid_m = first + ((pid % per_group) % height)
    pid_n = (pid % per_group) // height

    padded = tl.load(num_tokens_padded_ptr)
    if pid_m * BLOCK_SIZE_M >= padded:
        return
    token_slot = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M).to(tl.int64)
    token = tl.load(sorted_token_ids_ptr + token_slot)
    token_mask = token < num_valid_tokens
    expert = tl.load(expert_ids_ptr + pid_m).to(tl.int64)

    n = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N).to(tl.int64)) % N
    k = tl.arange(0, BLOCK_SIZE_K)
    x_ptrs = x_ptr + (token[:, None] // TOP_K * stride_xm + k[None, :])
    w_ptrs = w_ptr + expert * stride_we + (n[None, :] * stride_wn + k[:, None])
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        x = tl.load(x_ptrs, mask=token_mask[:, None] & (k[None, :] < K - step * BLOCK_SIZE_K), other=0.0)
        w = tl.load(w_ptrs, mask=k[:, None] < K - step * BLOCK_SIZE_K, other=0.0)
        acc += tl.dot(x, w)
        x_ptrs += BLOCK_SIZE_K
        w_ptrs += BLOCK_SIZE_K
    if MUL_WEIGHT:
        acc = acc * tl.load(topk_weights_ptr + token, mask=token_mask, other=0)[:, None]
    cols = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    tl.store(y_ptr + stride_ym * token[:, None] + cols[None, :], acc.to(tl.bfloat16),
             mask=token_mask[:, None] & (cols[None, :] < N))
