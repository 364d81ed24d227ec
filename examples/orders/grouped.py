# Triton's grouped order on a 1-D launch: bands of BAND tile rows, each walked column by column.
launch = tl.program_id(0)
tiles_m = tl.cdiv(M, BLOCK_M)
tiles_n = tl.cdiv(N, BLOCK_N)
band_tiles = BAND * tiles_n
top = launch // band_tiles * BAND
height = min(tiles_m - top, BAND)  # the last band may be lower
within = launch % band_tiles
tile_m = top + within % height
tile_n = within // height
