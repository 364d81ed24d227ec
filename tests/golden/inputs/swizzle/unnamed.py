pid = tl.program_id(0)
a = pid // 15
b = pid % 15
