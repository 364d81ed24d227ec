# Bands of 4 rows, each walked column by column, on a 2-D launch (columns are axis 0).
# No sum or product passes the number of blocks, so nothing overflows at any size.
x = tl.program_id(0)
y = tl.program_id(1)
cols = tl.num_programs(0)
rows = tl.num_programs(1)
pid = y * cols + x
band = min(4, rows)
first = pid // (band * cols) * band
height = min(rows - first, band)
inside = pid % (band * cols)
y = first + inside % height
x = inside // height
