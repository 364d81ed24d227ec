"""Symmetric product A A^T: only tiles on and below the diagonal; the id counts them row by row."""
import triton
import triton.language as tl


@triton.jit
def syrk_lower(a, c, N, K, B: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    # row of a triangular number
    row = ((tl.sqrt(8.0 * pid + 1.0) - 1.0) * 0.5).to(tl.int32)
    row = tl.where((row + 1) * (row + 2) // 2 <= pid, row + 1, row)
    row = tl.where(row * (row + 1) // 2 > pid, row - 1, row)
    col = pid - row * (row + 1) // 2
    rm = row * B + tl.arange(0, B)
    rn = col * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + rm[:, None] * K + rk[None, :]), tl.load(a + rn[None, :] * K + rk[:, None]))
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=rm[:, None] >= rn[None, :])
