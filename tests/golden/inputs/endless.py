x = tl.program_id(0)
while x >= 0:
    x = x + 0
pid = x
