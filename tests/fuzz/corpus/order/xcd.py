pid = tl.program_id(0)
x = pid % 8
pid = x * (g0 // 8) + pid // 8
