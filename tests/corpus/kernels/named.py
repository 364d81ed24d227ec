"""Rows scaled by a number that a text picks; some texts are no characters."""
import torch
import triton
import triton.language as tl

SCALES = {"\ud800": 0.5, "\udc00": 2.0, "\u00e9": 4.0, "\U0001f600": 8.0}
MODES = {"\udfff": "square", "\udffe": "plain"}
NAME = "\ud800"


@triton.jit
def named_kernel(x_ptr, y_ptr, n, scale, MODE: tl.constexpr, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    index = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < n, other=0.0)
    if MODE == "square":
        x = x * x
    tl.store(y_ptr + index, scale * x, mask=index < n)


def named(x, n):
    y = torch.empty_like(x)
    mode = MODES["\udfff"]
    named_kernel[(triton.cdiv(n, 64),)](x, y, n, SCALES[NAME], MODE=mode, BLOCK=64)
    return y
