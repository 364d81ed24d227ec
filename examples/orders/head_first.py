# Attention: every die works through whole heads, one query block after the other.
# Needs as many heads as a multiple of 8.
workgroup = tl.program_id(0)
head = workgroup % 8 * (HEADS // 8) + workgroup // (8 * BLOCKS)
block = workgroup % (8 * BLOCKS) // 8
