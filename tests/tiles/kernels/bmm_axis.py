"""Batched product: the batch on axis 1, a grouped plane on axis 0. Offsets of the batch in int64."""
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(x, y, out, M, N, K, sxb, sxm, sxk, syb, syk, syn, sob, som, son,
               BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
               GROUP_M: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    pid = tl.program_id(0)
    grid_m = tl.cdiv(M, BLOCK_M)
    grid_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // (group_size)

    x += batch * sxb
    y += batch * syb
    out += batch * sob
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    X = x + ram[:, None] * sxm + rk[None, :] * sxk
    Y = y + rk[:, None] * syk + rbn[None, :] * syn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(X, mask=rk[None, :] < k, other=0.0)
        b = tl.load(Y, mask=rk[:, None] < k, other=0.0)
        acc += tl.dot(a, b)
        X += BLOCK_K * sxk
        Y += BLOCK_K * syk
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(out + rm[:, None] * som + rn[None, :] * son, acc, mask=mask)
