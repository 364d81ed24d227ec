# The same idea with the remainder handled: the first `tall` dies take one tile more.
@triton.jit
def remap(pid, NUM_DIES: tl.constexpr = 8):
    num_pids = tl.num_programs(0)
    per_die = (num_pids + NUM_DIES - 1) // NUM_DIES
    tall = num_pids % NUM_DIES
    tall = NUM_DIES if tall == 0 else tall
    die = pid % NUM_DIES
    local = pid // NUM_DIES
    if die < tall:
        return die * per_die + local
    return tall * per_die + (die - tall) * (per_die - 1) + local


pid = remap(tl.program_id(0))
