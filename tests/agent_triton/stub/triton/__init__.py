"""A stand-in for Triton: kernels are Python functions that load and store single elements."""
import inspect
import os
import types

import torch

from . import language, runtime

__version__ = "stub"


class JITFunction(runtime.JITFunction):
    def __init__(self, function):
        self.fn = function

    def options(self, arguments):
        options = {name: arguments.pop(name, None) for name in ("num_warps", "num_stages")}
        inspect.signature(self.fn).bind(**arguments)
        return options

    def warmup(self, *, grid, **arguments):
        self.options(arguments)
        if "STUB_COMPILED" in os.environ:  # whoever compiled it
            with open(os.environ["STUB_COMPILED"], "a", encoding="utf-8") as file:
                file.write(f"{os.getpid()} {self.fn.__code__.co_filename}\n")
        return types.SimpleNamespace(n_regs=32, n_spills=0, _init_handles=lambda: None,
                                     metadata=types.SimpleNamespace(shared=1024))

    def __getitem__(self, grid):
        return lambda **arguments: self.run(grid, arguments)

    def run(self, grid, arguments):
        arguments = dict(arguments)
        self.options(arguments)
        torch.cuda.now_us += 10
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    language.program = (x, y, z)
                    self.fn(**arguments)


def jit(function):
    return JITFunction(function)


class Wrapped:
    def __init__(self, fn):
        self.fn = fn


def autotune(configs, key):
    return Wrapped


def heuristics(values):
    return Wrapped
