"""XCD remap, then the grouped order, each in a helper of its own."""
import triton
import triton.language as tl


@triton.jit
def spread_over_dies(tile, total, XCDS: tl.constexpr):
    q = total // XCDS
    r = total % XCDS
    die = tile % XCDS
    return die * q + tl.minimum(die, r) + tile // XCDS


@triton.jit
def into_groups(tile, rows, cols, G: tl.constexpr = 1):
    if G == 1:
        r = tile // cols
        c = tile % cols
    else:
        per_group = G * cols
        g = tile // per_group
        first = g * G
        height = min(rows - first, G)
        r = first + (tile % per_group) % height
        c = (tile % per_group) // height
    return r, c


@triton.jit
def _gemm_a16_w16(
    a, b, c, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr, NUM_XCDS: tl.constexpr, EVEN_K: tl.constexpr,
):
    tl.assume(stride_am > 0)
    tl.assume(stride_bk > 0)
    tl.assume(stride_cm > 0)
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    pid = spread_over_dies(pid, num_pid_m * num_pid_n, XCDS=NUM_XCDS)
    pid_m, pid_n = into_groups(pid, num_pid_m, num_pid_n, G=GROUP_SIZE_M)
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)

    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a + offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b + offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        if EVEN_K:
            av = tl.load(a_ptrs)
            bv = tl.load(b_ptrs)
        else:
            av = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
            bv = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        acc += tl.dot(av, bv, input_precision="ieee")
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    offs_cm = pid_m.to(tl.int64) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n.to(tl.int64) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    tl.store(c + offs_cm[:, None] * stride_cm + offs_cn[None, :] * stride_cn,
             acc.to(c.type.element_ty),
             mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))
