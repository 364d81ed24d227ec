"""Softmax along the middle axis of [outer, axis, inner]: a block owns some inner positions, two passes down the axis."""
import triton
import triton.language as tl


@triton.jit
def softmax_strided_kernel(
    x_ptr, y_ptr, axis, inner, BLOCK_A: tl.constexpr, BLOCK_I: tl.constexpr,
):
    i = tl.program_id(0) * BLOCK_I + tl.arange(0, BLOCK_I)
    outer = tl.program_id(1)
    base = outer * axis * inner
    top = tl.full((BLOCK_I,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_I,), dtype=tl.float32)
    for a0 in range(0, axis, BLOCK_A):
        a = a0 + tl.arange(0, BLOCK_A)
        inside = (a[:, None] < axis) & (i[None, :] < inner)
        x = tl.load(x_ptr + base + a[:, None] * inner + i[None, :], mask=inside, other=-1.0e30).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top[None, :]), axis=0)
        top = new_top
    for a0 in range(0, axis, BLOCK_A):
        a = a0 + tl.arange(0, BLOCK_A)
        inside = (a[:, None] < axis) & (i[None, :] < inner)
        x = tl.load(x_ptr + base + a[:, None] * inner + i[None, :], mask=inside, other=-1.0e30).to(tl.float32)
        y = tl.exp(x - top[None, :]) / total[None, :]
        tl.store(y_ptr + base + a[:, None] * inner + i[None, :], y, mask=inside)
