pid = tl.program_id(0)
pid = (pid % 8 * 4 + pid // 8
tile = pid
