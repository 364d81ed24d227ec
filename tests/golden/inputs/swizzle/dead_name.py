pid = tl.program_id(0)
lane = pid % 4
half = tl.num_programs(0) // 2
tile = (pid % 2) * half + pid // 2
