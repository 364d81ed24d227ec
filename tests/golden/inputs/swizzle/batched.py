pid = tl.program_id(0)
num_pid_m = tl.cdiv(M, BLOCK_M)
num_pid_n = tl.cdiv(N, BLOCK_N)
batch = pid // (num_pid_m * num_pid_n)
inside = pid % (num_pid_m * num_pid_n)
pid_n = inside // num_pid_m
pid_m = inside % num_pid_m
