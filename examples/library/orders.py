"""Checks orders from Python, and asks which order a Triton kernel should take.

    python3 orders.py KERNEL.py      needs triton and torch, or anything that looks like them
"""
import sys

import heddle

for order in ("xcd(8)", "(p0 % 8) * (g0 // 8) + p0 // 8"):
    result = heddle.check(order, grid="67")
    print(f"{order}: {result.verdict}, {result['distinct_tiles']} tiles")
try:
    heddle.check("xcd(8, 2)", grid="64")
except heddle.Error as error:
    print(f"error {error.exit_code}: {error.message}")

if len(sys.argv) > 1:
    import importlib.util

    import torch

    spec = importlib.util.spec_from_file_location("kernel", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x, y = torch.empty(65536), torch.empty(65536)
    print(heddle.check(module.add, (x, y, 65536), grid=(64,), BLOCK=1024).verdict)
    found = heddle.optimize(module.add, (x, y, 65536), gpu="mi300x", grid=lambda meta: (65536 // meta["BLOCK"],),
                            BLOCK=1024, effort="low", no_history=True)
    print(found["kernel"], found["grid"], found["answer"])
    print("shows a page:", found._repr_html_().startswith("<iframe"))
