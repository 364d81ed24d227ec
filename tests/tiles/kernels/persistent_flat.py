"""Persistent GEMM with tiles and K steps in one loop: the tile changes when the step wraps."""
import triton
import triton.language as tl


@triton.jit
def flat_persistent(a_ptr, b_ptr, c_ptr, M, N, K,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                    GROUP_M: tl.constexpr, NUM_SMS: tl.constexpr):
    start_pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    k_tiles = tl.cdiv(K, BLOCK_K)
    num_tiles = num_pid_m * num_pid_n
    tiles_per_sm = num_tiles // NUM_SMS
    if start_pid < num_tiles % NUM_SMS:
        tiles_per_sm += 1

    tile_id = start_pid - NUM_SMS
    ki = -1
    num_pid_in_group = GROUP_M * num_pid_n
    pid_m = 0
    pid_n = 0
    offs_k = tl.arange(0, BLOCK_K)
    rm = tl.arange(0, BLOCK_M)
    rn = tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, k_tiles * tiles_per_sm):
        ki = tl.where(ki == k_tiles - 1, 0, ki + 1)
        if ki == 0:
            tile_id += NUM_SMS
            group_id = tile_id // num_pid_in_group
            first_pid_m = group_id * GROUP_M
            group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
            pid_m = first_pid_m + (tile_id % group_size_m)
            pid_n = (tile_id % num_pid_in_group) // group_size_m
        m = pid_m * BLOCK_M + rm
        n = pid_n * BLOCK_N + rn
        a = tl.load(a_ptr + m[:, None] * K + (ki * BLOCK_K + offs_k)[None, :], mask=m[:, None] < M, other=0.0)
        b = tl.load(b_ptr + (ki * BLOCK_K + offs_k)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(a, b, acc)
        if ki == k_tiles - 1:
            tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16),
                     mask=(m[:, None] < M) & (n[None, :] < N))
            acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
