# Each of 4 groups of blocks takes one run of rows.
pid = tl.program_id(0)
groups = 4
run = ROWS // groups
pid = (pid % groups) * run + pid // groups
