# Bands of GROUP rows, each walked column by column; the last band may be lower.
pid = tl.program_id(0)
num_rows = tl.cdiv(M, BLOCK_M)
num_cols = tl.cdiv(N, BLOCK_N)
per_band = GROUP * num_cols
first_row = pid // per_band * GROUP
height = min(num_rows - first_row, GROUP)
row = first_row + pid % per_band % height
col = pid % per_band // height
