"""Rows divided by their root mean square; a module, a server and tests around the kernel."""
import asyncio

import torch
import triton
import triton.language as tl

EPSILON = tl.constexpr(1e-5)


@triton.jit
def row_norm_kernel(x_ptr, weight_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=0.0)
    weight = tl.load(weight_ptr + column, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + EPSILON)
    tl.store(y_ptr + row * columns + column, x * scale * weight, mask=inside)


def row_norm(x, weight, rows, columns):
    y = torch.empty_like(x)
    row_norm_kernel[(rows,)](x, weight, y, columns, BLOCK=128)
    return y


class RowNorm(torch.nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(columns, device="cuda"))

    def forward(self, x):
        return row_norm(x, self.weight, x.shape[0], x.shape[1])


async def serve(requests, answers):
    module = RowNorm(100)
    while True:
        answers.put_nowait(module(await requests.get()))


def install():
    global reference

    def reference(x, weight):
        def root(values):
            return torch.sqrt((values * values).mean(dim=1, keepdim=True) + 1e-5)

        return x / root(x) * weight


install()
try:
    from reference_norm import exact
except ImportError:
    def exact(x, weight):
        return globals()["reference"](x.double(), weight.double()).float()

if torch.cuda.is_available():
    def test_ones():
        x = torch.ones((3, 100), device="cuda")
        assert torch.allclose(RowNorm(100)(x), x, rtol=globals().get("TOLERANCE", 1e-5))


def test_row_norm():
    x = torch.randn((21, 100), device="cuda")
    weight = torch.randn(100, device="cuda")
    assert torch.allclose(row_norm(x, weight, 21, 100), exact(x, weight), rtol=1e-5)


def test_serve():
    asyncio.run(asyncio.wait_for(serve(asyncio.Queue(), asyncio.Queue()), 0.1))
