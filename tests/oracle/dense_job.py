"""Job files for the dense interpreter: TOML and Python expressions, evaluated by Python.

    job = Job(path, {"M": "64"})       the second: what --set says
    job.kernel, job.grid, job.tensors, job.arguments
"""
import inspect
import math
import pathlib
import tomllib

import dense_contents
import dense_source
from dense_memory import Descriptor
from dense_source import cdiv, next_power_of_2
from dense_values import (ALL_TYPES, Block, DenseError, Pointer, as_block, count, float32, int1,
                          int32, int64, row_major, to_type)

DTYPES = {dtype.name: dtype for dtype in ALL_TYPES}
DTYPES |= {dtype.name.replace("fp", "float"): dtype for dtype in ALL_TYPES if dtype.bits > 8}
DTYPES |= {"bfloat16": DTYPES["bf16"], "bool": int1}
FIRST_ADDRESS = 0x7F0000000000
LARGE = 1 << 20
LARGE_ALIGNMENT = 2 << 20
SMALL_ALIGNMENT = 512


class Tensor:
    """What expressions see as T.shape[i], T.stride(i), T.numel()."""

    def __init__(self, name, dtype, shape, strides):
        self.name = name
        self.dtype = dtype
        self.shape = list(shape)
        self.strides = list(strides)
        self.address = 0
        self.contents = None
        self.block = None
        span = sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides)) + 1
        self.bytes = span * dtype.bytes if count(self.shape) else 0

    def holds(self, address):
        return self.address <= address < self.address + self.bytes

    def stride(self, axis):
        return self.strides[axis]

    def numel(self):
        return count(self.shape)

    def element_size(self):
        return self.dtype.bytes


class Names(dict):
    """Names of the job's expressions, evaluated when they are asked for."""

    def __init__(self, job, overrides):
        super().__init__(
            min=min, max=max, abs=abs, int=int, float=float, len=len, cdiv=cdiv,
            next_power_of_2=next_power_of_2,
            csr_nnz=lambda *numbers: len(dense_contents.make_csr(*numbers)[1]))
        self.waiting = {}
        for table in ("sizes", "scalars", "constexprs"):
            for name, value in job.get(table, {}).items():
                self.waiting[name] = value["value"] if isinstance(value, dict) else value
        self.waiting |= overrides  # those of the kernel's own config included
        self.overrides = overrides
        self.tensor_tables = dict(job.get("tensors", {}))
        self.tensors = {}

    def __missing__(self, name):
        if name in self.tensor_tables:
            self[name] = self.make_tensor(name)
            return self[name]
        if name not in self.waiting:
            raise DenseError(f"there is no name {name}")
        value = self.waiting.pop(name)
        self[name] = self.evaluate(value)
        return self[name]

    def evaluate(self, value):
        if isinstance(value, str):
            language = dense_source.fake_modules()["triton.language"]
            return eval(value, {"__builtins__": {}, "tl": language}, self)
        if isinstance(value, list):
            return [self.evaluate(part) for part in value]
        return value

    def make_tensor(self, name):
        table = self.tensor_tables[name]
        shape = self.evaluate(table["shape"])
        strides = self.evaluate(table["strides"]) if "strides" in table else row_major(shape)
        tensor = Tensor(name, DTYPES[table["dtype"]], shape, strides)
        if "block" in table:
            tensor.block = self.evaluate(table["block"])
        return tensor


class Job:
    def __init__(self, path, overrides=None):
        path = pathlib.Path(path)
        self.folder = path.parent
        with open(path, "rb") as file:
            self.table = tomllib.load(file)
        self.kernel = dense_source.load_kernel(self.folder / self.table["kernel"],
                                               self.table.get("function"))
        self.names = Names(self.table, overrides or {})
        self.constants = set(self.table.get("constexprs", {}))
        self._choose_config()
        self.tensors = [self.names[name] for name in self.table.get("tensors", {})]
        self._lay_out()
        self._fill()
        self._use_heuristics()
        grid = self.table["grid"]
        grid = self.names.evaluate(grid if isinstance(grid, list) else [grid])
        self.grid = tuple(int(extent) for extent in grid) + (1,) * (3 - len(grid))
        self.arguments = self._arguments()

    def _choose_config(self):
        if not self.kernel.configs:
            return
        wanted = self.table.get("config", 0)
        if isinstance(wanted, dict):
            wanted = next(i for i, config in enumerate(self.kernel.configs)
                          if all(config.kwargs.get(name) == self.names.evaluate(value)
                                 for name, value in wanted.items()))
        for name, value in self.kernel.configs[wanted].kwargs.items():
            if name not in self.names.overrides:
                self.names[name] = value
            self.constants.add(name)

    def _lay_out(self):
        """One after the other, large ones on 2 MiB. Records hold offsets, so that where exactly a
        tensor lies matters to no comparison."""
        place = FIRST_ADDRESS
        for tensor in self.tensors:
            alignment = LARGE_ALIGNMENT if tensor.bytes >= LARGE else SMALL_ALIGNMENT
            place = -(-place // alignment) * alignment
            table = self.table["tensors"][tensor.name]
            tensor.address = self.names.evaluate(table.get("address", place))
            place = max(place, tensor.address + max(tensor.bytes, 1))

    def _fill(self):
        addresses = {tensor.name: tensor.address for tensor in self.tensors}
        for tensor in self.tensors:
            table = self.table["tensors"][tensor.name]
            if "contents" not in table:
                continue
            kind, _, rest = table["contents"].partition("(")
            arguments = []
            if rest and kind == "addresses":
                arguments = [name.strip() for name in rest.rstrip(") ").split(",")]
            elif rest:
                arguments = list(self.names.evaluate("(" + rest.rstrip()[:-1] + ",)"))
            seed = self.names.evaluate(table.get("seed", 0))
            tensor.contents = dense_contents.make(kind.strip(), arguments, tensor, seed,
                                                  self.folder, addresses)

    def _use_heuristics(self):
        if not self.kernel.heuristics:
            return
        seen = {}
        for name in inspect.signature(self.kernel.function).parameters:
            if name not in self.kernel.heuristics:
                seen[name] = self.names[name]
        for name, rule in self.kernel.heuristics.items():
            self.names[name] = seen[name] = rule(seen)
            self.constants.add(name)

    def _arguments(self):
        arguments = {}
        for name, parameter in inspect.signature(self.kernel.function).parameters.items():
            try:
                value = self.names[name]
            except DenseError:
                if parameter.default is inspect.Parameter.empty:
                    raise
                value = parameter.default
            constant = name in self.constants or "constexpr" in str(parameter.annotation)
            declared = self.table.get("scalars", {}).get(name)
            dtype = declared.get("dtype") if isinstance(declared, dict) else None
            arguments[name] = value if constant else argument(value, dtype)
        return arguments


def argument(value, dtype=None):
    """A run-time argument as the kernel sees it."""
    if isinstance(value, Tensor):
        base = Block((), Pointer(value.dtype), [value.address], {value})
        if value.block is not None:
            return Descriptor(base, value.shape, value.strides, value.block)
        return base
    if isinstance(value, (list, tuple)):
        return tuple(argument(part) for part in value)
    if isinstance(value, bool):
        return as_block(value)
    if isinstance(value, int):
        held = DTYPES[dtype] if dtype else (int32 if -2**31 <= value < 2**31 else int64)
        return Block((), held, [to_type(value, held)])
    if isinstance(value, float):
        held = DTYPES[dtype] if dtype else float32
        return Block((), held, [to_type(value, held)])
    return value


def tiles(grid):
    """All tiles, the first axis fastest: the order of launch ids."""
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                yield x, y, z


def tile_count(grid):
    return math.prod(grid)
