"""Gated linear layer, tuned over the group size: bands of row tiles share the weights."""
import triton
import triton.language as tl


def search_space():
    return [
        triton.Config({"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": g},
                      num_stages=s, num_warps=4)
        for g in (4, 8) for s in (2, 3)
    ]


@triton.autotune(configs=search_space(), key=["M", "N", "K"])
@triton.jit
def gated_linear_kernel(
    x_ptr, w_ptr, gate_ptr, out_ptr,
    M, N, K,
    stride_xm, stride_xk, stride_wn, stride_wk, stride_om, stride_on,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)

    rows = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    cols = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    depth = tl.arange(0, BLOCK_SIZE_K)
    x_ptrs = x_ptr + (rows % M)[:, None] * stride_xm + depth[None, :] * stride_xk
    w_ptrs = w_ptr + (cols % N)[None, :] * stride_wn + depth[:, None] * stride_wk
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        left = K - step * BLOCK_SIZE_K
        x = tl.load(x_ptrs, mask=depth[None, :] < left, other=0.0)
        w = tl.load(w_ptrs, mask=depth[:, None] < left, other=0.0)
        total = tl.dot(x, w, total)
        x_ptrs += BLOCK_SIZE_K * stride_xk
        w_ptrs += BLOCK_SIZE_K * stride_wk

    inside = (rows[:, None] < M) & (cols[None, :] < N)
    where = stride_om * rows[:, None] + stride_on * cols[None, :]
    gate = tl.load(gate_ptr + where, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + where, (total * tl.sigmoid(gate)).to(tl.float16), mask=inside)
