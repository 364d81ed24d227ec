#!/usr/bin/env python3
"""Random Triton kernels with their jobs, the same for the same seed.

    random_kernels.py SEED FOLDER      writes FOLDER/kernel_SEED.py and FOLDER/job_SEED.toml

Most of what they compute is affine in program ids, loop variables and arange blocks, as in real
kernels; the rest is what breaks affine analysis: %, //, minimum, where, gathers. Every kernel is
one that Triton would accept. Addresses are masked, wrapped or clamped into the tensor, or, for the
fault paths, left alone.
"""
import dataclasses
import math
import pathlib
import sys

from random_expressions import Expr, Expressions


@dataclasses.dataclass
class TensorSpec:
    name: str
    dtype: str
    shape: tuple
    strides: tuple = None
    contents: str = None
    seed: int = 0

    def span(self):
        if self.strides is None:
            return math.prod(self.shape)
        return sum((n - 1) * s for n, s in zip(self.shape, self.strides)) + 1


class Generator(Expressions):
    def __init__(self, seed, runnable=False):
        super().__init__(seed)
        self.seed = seed
        self.runnable = runnable  # on a GPU: no address outside of its tensor
        self.loop_depth = 0
        self.accesses = 0
        self.tensors = []
        self.helpers = []

    def tensor(self, dtype, shape, **more):
        spec = TensorSpec(f"t{len(self.tensors)}_ptr", dtype, shape, **more)
        self.tensors.append(spec)
        return spec

    # ---- memory ----
    def into_tensor(self, expr, spec):
        """An index into a tensor, and a mask or None."""
        size = spec.span()
        choice = self.random.random()
        if choice < 0.5:
            index = self.assign("i", expr)
            mask = f"({index.text} >= 0) & ({index.text} < {size})"
            if self.chance(0.4):
                mask = f"{mask} & {self.mask(expr.shape)}"
            return index, mask
        if choice < 0.65:
            index = self.assign("i", dataclasses.replace(
                expr, text=f"(({expr.text}) % {size} + {size}) % {size}", bound=size))
            return index, self.mask(expr.shape) if self.chance(0.4) else None
        if choice < 0.8:
            text = f"tl.minimum(tl.maximum({expr.text}, 0), {size - 1})"
            index = self.assign("i", dataclasses.replace(expr, text=text, bound=size))
            return index, self.mask(expr.shape) if self.chance(0.4) else None
        if choice < 0.93:
            index = self.assign("i", expr)
            return index, f"({index.text} >= 0) & ({index.text} < {size})"
        index = self.assign("i", expr)
        if self.runnable:
            return index, f"({index.text} >= 0) & ({index.text} < {size})"
        return index, None

    def access(self):
        self.accesses += 1
        choice = self.random.random()
        if choice < 0.12:
            self.block_pointer_access()
        elif choice < 0.24:
            self.gather_access()
        elif choice < 0.30:
            self.two_pointer_access()
        elif choice < 0.38:
            self.scalar_access()
        elif choice < 0.43 and not self.runnable:
            self.descriptor_access()
        else:
            shape = self.block_shape()
            self.plain_access(self.random.choice(self.data_tensors()), self.block(shape))

    def data_tensors(self):
        return [spec for spec in self.tensors if spec.contents is None]

    def plain_access(self, spec, expr):
        index, mask = self.into_tensor(expr, spec)
        pointer = f"{spec.name} + {index.text}"
        if self.chance(0.3):
            name = self.fresh("p")
            self.line(f"{name} = {pointer}")
            pointer = name
        self.touch(spec, pointer, mask)

    def touch(self, spec, pointer, mask):
        masked = f", mask={mask}" if mask else ""
        choice = self.random.random()
        if choice < 0.6:
            other = ", other=0" if mask and self.chance(0.5) else ""
            self.line(f"{self.fresh('v')} = tl.load({pointer}{masked}{other})")
        elif choice < 0.9 or spec.dtype not in ("int32", "float32"):
            self.line(f"tl.store({pointer}, {self.pick('1', '0')}{masked})")
        else:
            self.line(f"tl.atomic_{self.pick('add', 'max')}({pointer}, 1{masked})")

    def scalar_access(self):
        spec = self.random.choice(self.data_tensors())
        index = self.as_scalar_name(self.scalar())
        size = spec.span()
        if self.chance(0.5):
            self.line(f"if ({index.text} >= 0) & ({index.text} < {size}):")
            self.line(f"    {self.fresh('v')} = tl.load({spec.name} + {index.text})")
        else:
            place = f"({index.text} % {size} + {size}) % {size}"
            self.line(f"tl.store({spec.name} + {place}, 1)")

    def gather_access(self):
        """An index loaded from memory."""
        table = next(spec for spec in self.tensors if spec.contents)
        size = table.span()
        shape = self.block_shape()
        expr = self.block(shape)
        name = self.fresh("g")
        place = f"(({expr.text}) % {size} + {size}) % {size}"
        mask = self.mask(shape) if self.chance(0.5) else None
        tail = f", mask={mask}, other=0" if mask else ""
        self.line(f"{name} = tl.load({table.name} + {place}{tail})")
        bound = int(table.contents.split(",")[1].rstrip(")"))
        loaded = Expr(name, shape, bound)
        if self.chance(0.5):
            loaded = self.combine_with(self.combine_with(loaded, "*", self.positive()), "+",
                                       self.axis_block(shape, self.random.randrange(len(shape))))
        self.plain_access(self.random.choice(self.data_tensors()), self.full_shape(loaded, shape))

    def two_pointer_access(self):
        """tl.where between two places of one tensor."""
        spec = self.random.choice(self.data_tensors())
        shape = self.block_shape()
        size = spec.span()
        parts = []
        for _ in range(2):
            expr = self.affine_block(shape)
            parts.append(f"{spec.name} + (({expr.text}) % {size} + {size}) % {size}")
        pointer = self.fresh("p")
        self.line(f"{pointer} = tl.where({self.mask(shape)}, {parts[0]}, {parts[1]})")
        self.touch(spec, pointer, self.mask(shape) if self.chance(0.5) else None)

    def block_pointer_access(self):
        spec = self.random.choice([s for s in self.data_tensors() if len(s.shape) == 2])
        strides = spec.strides or (spec.shape[1], 1)
        block = (1 << self.random.randint(0, 4), 1 << self.random.randint(0, 3))
        starts = [self.narrow(self.scalar(1)).text for _ in range(2)]
        name = self.fresh("b")
        self.line(f"{name} = tl.make_block_ptr({spec.name}, {spec.shape}, {strides}, "
                  f"({starts[0]}, {starts[1]}), {block}, (1, 0))")
        check = self.pick("(0, 1)", "(0, 1)", "(0, 1)", "(0,)", "(1,)")
        check = "(0, 1)" if self.runnable else check
        if self.chance(0.5):
            loop = self.fresh("j")
            self.line(f"for {loop} in range({self.random.randint(1, 3)}):")
            self.line(f"    {self.fresh('v')} = tl.load({name}, boundary_check={check})")
            step = (self.pick(0, block[0], -block[0], 3), self.pick(0, block[1], 1))
            if self.chance(0.5):
                self.line(f"    {name} = tl.advance({name}, {step})")
            else:
                self.line(f"    {name} = {name}.advance({step})")
        elif self.chance(0.5):
            self.line(f"tl.store({name}, tl.zeros({list(block)}, tl.{spec.dtype}), "
                      f"boundary_check={check})")
        else:
            self.line(f"{self.fresh('v')} = tl.load({name}, boundary_check={check})")

    def descriptor_access(self):
        """Made in the kernel; on a GPU that needs memory from the host."""
        spec = self.random.choice([s for s in self.data_tensors() if len(s.shape) == 2])
        strides = spec.strides or (spec.shape[1], 1)
        block = [1 << self.random.randint(0, 4), 8]
        starts = [self.narrow(self.scalar(1)).text for _ in range(2)]
        name = self.fresh("d")
        self.line(f"{name} = tl.make_tensor_descriptor({spec.name}, shape={list(spec.shape)}, "
                  f"strides={list(strides)}, block_shape={block})")
        if self.chance(0.6):
            self.line(f"{self.fresh('v')} = {name}.load([{starts[0]}, {starts[1]}])")
        else:
            zeros = f"tl.zeros({block}, tl.{spec.dtype})"
            self.line(f"{name}.store([{starts[0]}, {starts[1]}], {zeros})")

    # ---- statements ----
    def body(self, statements):
        for _ in range(statements):
            choice = self.random.random()
            if choice < 0.25 and self.loop_depth < 2:
                self.loop()
            elif choice < 0.35:
                self.branch()
            elif choice < 0.45:
                self.known.append(self.assign("s", self.scalar()))
            elif choice < 0.52 and self.helpers:
                self.call_helper()
            elif choice < 0.62 and self.loop_depth < 2:
                self.walking_pointers()
            else:
                self.access()

    def nested(self, statements):
        """A block of statements; what it names does not leave it."""
        before = list(self.known)
        self.indent += 1
        count = len(self.lines)
        self.body(statements)
        if len(self.lines) == count:
            self.access()
        self.indent -= 1
        self.known = before

    def loop(self):
        self.loop_depth += 1
        name = self.fresh("k")
        kind = self.random.random()
        trips = self.random.randint(1, 4)
        if kind < 0.2:
            self.line(f"for {name} in tl.static_range({trips}):")
            self.known.append(Expr(name, (), trips, constant=True))
            self.nested(1)
            self.known.pop()
        elif kind < 0.35:
            self.line(f"{name} = {self.random.randint(0, 2)}")
            self.line(f"while {name} < {trips}:")
            self.known.append(Expr(name, (), 6))
            self.nested(1)
            self.known.pop()
            self.line(f"    {name} += {self.random.randint(1, 2)}")
        elif kind < 0.45:
            self.line(f"for {name} in range(tl.program_id(0), {trips + 3}, tl.num_programs(0)):")
            self.known.append(Expr(name, (), trips + 3))
            self.nested(1)
            self.known.pop()
        elif kind < 0.55:
            # How often, and where from, stands in memory.
            table = next(spec for spec in self.tensors if spec.contents)
            place = f"({self.known[0].text} * 3 + {trips}) % {table.span()}"
            limit = self.assign("m", Expr(f"tl.load({table.name} + {place}) % 5", (), 5))
            self.line(f"for {name} in range({limit.text}, {limit.text} + {limit.text}, 2):")
            self.known.append(Expr(name, (), 10))
            self.nested(1)
            self.known.pop()
        else:
            start = self.as_scalar_name(self.scalar_leaf()) if self.chance(0.4) else None
            step = self.random.randint(1, 5)
            first = start.text if start else str(self.random.randint(-3, 3))
            bound = (start.bound if start else 3) + trips * step
            if self.chance(0.15) and not start:
                self.line(f"for {name} in range({trips * step}, {first}, -{step}):")
                bound = trips * step + 3
            else:
                call = self.pick("range", "range", "tl.range")
                self.line(f"for {name} in {call}({first}, {first} + {trips * step}, {step}):")
            self.known.append(Expr(name, (), bound, bits=start.bits if start else 32))
            self.nested(self.pick(1, 1, 2))
            self.known.pop()
        self.loop_depth -= 1

    def branch(self):
        self.line(f"if {self.condition()}:")
        self.nested(1)
        if self.chance(0.5):
            self.line("else:")
            self.nested(1)

    def walking_pointers(self):
        """ptrs += step in a loop, as matrix products do."""
        self.accesses += 1
        spec = self.random.choice(self.data_tensors())
        shape = self.block_shape()
        index = self.assign("i", self.affine_block(shape))
        pointers, loop = self.fresh("p"), self.fresh("k")
        trips, step = self.random.randint(1, 4), self.random.randint(-7, 30)
        self.line(f"{pointers} = {spec.name} + {index.text}")
        self.line(f"for {loop} in range({trips}):")
        place = f"({index.text} + {loop} * ({step}))"
        mask = f"({place} >= 0) & ({place} < {spec.span()})"
        if self.chance(0.3):
            mask += f" & {self.mask(shape)}"
        self.indent += 1
        self.touch(spec, pointers, mask)
        self.line(f"{pointers} += {step}")
        self.indent -= 1

    def make_helper(self):
        name = f"helper{len(self.helpers)}"
        kind = self.pick("offsets", "load")
        if kind == "offsets":
            text = [f"def {name}(start, pitch, ROWS: tl.constexpr, COLUMNS: tl.constexpr = 4):",
                    "    rows = start + tl.arange(0, ROWS)",
                    "    return rows[:, None] * pitch + tl.arange(0, COLUMNS)[None, :]"]
        else:
            text = [f"def {name}(pointer, index, limit):",
                    "    inside = (index >= 0) & (index < limit)",
                    "    return tl.load(pointer + index, mask=inside, other=0), inside"]
        self.helpers.append((name, kind, text))

    def call_helper(self):
        name, kind, _ = self.random.choice(self.helpers)
        self.accesses += 1
        spec = self.random.choice(self.data_tensors())
        if kind == "offsets":
            rows = 1 << self.random.randint(0, 4)
            start, pitch = self.scalar_leaf(), self.scalar_leaf()
            result = self.fresh("o")
            self.line(f"{result} = {name}({start.text}, {pitch.text}, {rows})")
            bound = (start.bound + rows) * pitch.bound + 4
            self.plain_access(spec, Expr(result, (rows, 4), bound))
        else:
            expr = self.block(self.block_shape())
            value, inside = self.fresh("v"), self.fresh("m")
            self.line(f"{value}, {inside} = {name}({spec.name}, {expr.text}, {spec.span()})")
            if self.chance(0.3):
                index = self.assign("i", expr)
                self.line(f"tl.store({spec.name} + {index.text}, {value}, mask={inside})")

    # ---- the whole ----
    def kernel(self):
        grid = [self.random.randint(1, 4) for _ in range(self.pick(1, 1, 2, 2, 3))]
        for dtype in ("float16", "float32"):
            shape = (self.random.randint(5, 40), self.random.randint(5, 40))
            strides = (shape[1] + self.random.randint(1, 9), 1) if self.chance(0.4) else None
            self.tensor(dtype, shape, strides=strides)
        self.tensor(self.pick("int8", "int32", "int64"), (self.random.randint(50, 900),))
        entries = self.random.randint(20, 200)
        self.tensor("int32", (entries,), contents=f"uniform(0, {self.random.randint(2, 700)})",
                    seed=self.random.randint(0, 99))
        for value in (1 << self.random.randint(1, 5), self.random.randint(2, 9)):
            self.constant(value)
        for _ in range(2):
            self.argument(2, 40)
        if self.chance(0.2):
            self.argument(-50, -1)
        for _ in range(self.pick(0, 1, 2)):
            self.make_helper()
        for axis, extent in enumerate(grid):
            self.known.append(self.assign("pid", Expr(f"tl.program_id({axis})", (), extent)))
        if self.chance(0.3):
            self.known.append(self.assign("np", Expr("tl.num_programs(0)", (), grid[0])))
        self.known.append(Expr("C1", (), self.constants["C1"], constant=True))
        if self.chance(0.1):
            self.line(f"if {self.condition()}:")
            self.line("    return")
        self.body(self.random.randint(2, 5))
        while self.accesses < 2:
            self.access()
        return self.source(), self.job(grid)

    def source(self):
        text = ["import triton", "import triton.language as tl", ""]
        for _, _, lines in self.helpers:
            text += ["", "@triton.jit", *lines, ""]
        parameters = [spec.name for spec in self.tensors] + list(self.scalars)
        parameters += [f"{name}: tl.constexpr" for name in self.constants]
        text += ["", "@triton.jit", f"def kernel_{self.seed}({', '.join(parameters)}):"]
        return "\n".join(text + self.lines) + "\n"

    def job(self, grid):
        text = [f'kernel = "kernel_{self.seed}.py"', f'function = "kernel_{self.seed}"',
                f"grid = {grid}"]
        for spec in self.tensors:
            text += ["", f"[tensors.{spec.name}]", f'dtype = "{spec.dtype}"',
                     f"shape = {list(spec.shape)}"]
            if spec.strides:
                text.append(f"strides = {list(spec.strides)}")
            if spec.contents:
                text += [f'contents = "{spec.contents}"', f"seed = {spec.seed}"]
        text += ["", "[scalars]"] + [f"{name} = {value}" for name, value in self.scalars.items()]
        text += ["", "[constexprs]"]
        text += [f"{name} = {value}" for name, value in self.constants.items()]
        return "\n".join(text) + "\n"


def write(seed, folder, runnable=False):
    """Writes the kernel and its job; gives the job's path."""
    source, job = Generator(seed, runnable).kernel()
    folder = pathlib.Path(folder)
    (folder / f"kernel_{seed}.py").write_text(source, encoding="utf-8")
    path = folder / f"job_{seed}.toml"
    path.write_text(job, encoding="utf-8")
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(write(int(sys.argv[1]), sys.argv[2]))
