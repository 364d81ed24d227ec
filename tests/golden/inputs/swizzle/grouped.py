# Bands of BAND tile rows, column by column; hints for the compiler at the end.
launch = tl.program_id(axis=0)
tiles_m = tl.cdiv(M, BLOCK_M)
tiles_n = tl.cdiv(N, BLOCK_N)
band_tiles = BAND * tiles_n
top = (launch // band_tiles) * BAND
height = min(tiles_m - top, BAND)
within = launch % band_tiles
tile_m = top + within % height
tile_n = within // height
tl.assume(tile_m >= 0)
tl.assume(tile_n >= 0)
