"""Tiles that are done twice from 5,000 tiles on."""
import triton
import triton.language as tl


@triton.jit
def late_kernel(x_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    num_n = tl.cdiv(N, BN)
    if tl.cdiv(M, BM) * num_n > 5000:
        pid = pid // 2
    pid_m = pid // num_n
    pid_n = pid % num_n
    rows = pid_m * BM + tl.arange(0, BM)
    columns = pid_n * BN + tl.arange(0, BN)
    tl.store(x_ptr + rows[:, None] * N + columns[None, :], 1.0,
             mask=(rows[:, None] < M) & (columns[None, :] < N))
