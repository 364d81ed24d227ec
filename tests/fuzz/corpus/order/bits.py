i = 0
while i < 4:
    i += 1
tile = p0 ^ (i & 1) << 1
