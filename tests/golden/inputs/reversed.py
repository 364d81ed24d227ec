pid = tl.program_id(0)

pid_m = tl.num_programs(0) - 1 - pid
pid_n = tl.program_id(1)
