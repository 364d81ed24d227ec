"""The first half of a gated MLP: silu(X W_gate^T) * (X W_up^T), two products in one block."""
import triton
import triton.language as tl


@triton.jit
def gemm_swiglu_kernel(
    x_ptr, gate_ptr, up_ptr, out_ptr, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // tiles_n
    pid_n = pid % tiles_n
    row = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    column = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    weights = (column % N)[None, :] * K + step[:, None]
    x_ptrs = x_ptr + (row % M)[:, None] * K + step[None, :]
    gate_ptrs = gate_ptr + weights
    up_ptrs = up_ptr + weights

    gate = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=step[None, :] < K - k, other=0.0)
        wg = tl.load(gate_ptrs, mask=step[:, None] < K - k, other=0.0)
        wu = tl.load(up_ptrs, mask=step[:, None] < K - k, other=0.0)
        gate = tl.dot(x, wg, gate)
        up = tl.dot(x, wu, up)
        x_ptrs += BLOCK_K
        gate_ptrs += BLOCK_K
        up_ptrs += BLOCK_K

    result = gate * tl.sigmoid(gate) * up
    out_ptrs = out_ptr + row[:, None] * N + column[None, :]
    tl.store(out_ptrs, result.to(tl.bfloat16), mask=(row[:, None] < M) & (column[None, :] < N))
