"""A mixture of experts with a fixed capacity: rows come through sorted token ids, blocks of rows share an expert."""
import triton
import triton.language as tl


@triton.jit
def moe_gemm_kernel(
    x_ptr, weight_ptr, out_ptr, sorted_ids_ptr, slots, capacity, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, TOP_K: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // tiles_n
    pid_n = pid % tiles_n
    place = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    slot = tl.load(sorted_ids_ptr + place, mask=place < slots, other=slots)
    live = slot < slots
    expert = (pid_m * BLOCK_M // capacity).to(tl.int64)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + (slot // TOP_K)[:, None] * K + step[None, :]
    w_ptrs = weight_ptr + expert * N * K + (column % N)[None, :] * K + step[:, None]

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=live[:, None] & (step[None, :] < K - k), other=0.0)
        w = tl.load(w_ptrs, mask=step[:, None] < K - k, other=0.0)
        total = tl.dot(x, w, total)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K

    out_ptrs = out_ptr + slot[:, None] * N + column[None, :]
    tl.store(out_ptrs, total.to(tl.bfloat16), mask=live[:, None] & (column[None, :] < N))
