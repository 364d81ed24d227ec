@triton.jit
def kernel(M, N, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, GROUP_SIZE_M: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    group = GROUP_SIZE_M * num_pid_n
    pid_n = (pid % group) // GROUP_SIZE_M
    pid_m = (pid // group) * GROUP_SIZE_M + pid % GROUP_SIZE_M
