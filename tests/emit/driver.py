"""Runs emitted Triton text as Python: the twin of driver.c, with the same requests (subject.h).

    python3 driver.py MODULE plain|typed REQUESTS [list]

MODULE holds one function per order, and the list ORDERS of (function, axes, own, results, names).
`plain` gives the emitted text Python's integers. `typed` gives it values that count as Triton's
do: fixed width, division toward zero, unsigned numbers that wrap, and signed ones that must not.
Only what Triton knows inside a kernel is known here: of Python's own functions min and max.
"""
import ast
import sys

BITS = {"int1": 1, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64}
RANK = {"int1": 0, "int32": 1, "uint32": 2, "int64": 3, "uint64": 4}


class Overflow(Exception):
    pass


class Scalar:
    """One value of a Triton type."""

    __slots__ = ("value", "type")

    def __init__(self, value, kind):
        if kind.startswith("u"):
            value %= 1 << BITS[kind]
        elif kind != "int1" and not -(1 << (BITS[kind] - 1)) <= value < 1 << (BITS[kind] - 1):
            raise Overflow(f"{value} does not fit {kind}")
        self.value = value
        self.type = kind

    def to(self, kind):
        value = self.value
        if kind.startswith("int") and self.type.startswith("u") and kind != "int1":
            bits = BITS[kind]
            value %= 1 << bits
            value -= 1 << bits if value >= 1 << (bits - 1) else 0
        return Scalar(value, kind)

    def _with(self, other, make, compare=False, swapped=False):
        if isinstance(other, bool):
            other = Scalar(int(other), "int1")
        if isinstance(other, int):
            kind = self.type
            if kind in ("int1", "int32") and not -(1 << 31) <= other < 1 << 31:
                kind = "int64"
            elif kind == "int1":
                kind = "int32"
            left = self.to(kind).value
            right = other % (1 << BITS[kind]) if kind.startswith("u") else other
        else:
            kind = max(self.type, other.type, key=RANK.get)
            left, right = self.to(kind).value, other.to(kind).value
        if swapped:
            left, right = right, left
        return Scalar(int(make(left, right)), "int1" if compare else kind)

    def __bool__(self):
        return self.value != 0

    def __neg__(self):
        return 0 - self

    def __invert__(self):
        return Scalar(~self.value, self.type)


def quotient(a, b):
    magnitude = abs(a) // abs(b)
    return -magnitude if (a < 0) != (b < 0) else magnitude


def remainder(a, b):
    return a - quotient(a, b) * b


def add_operators():
    makers = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "floordiv": quotient, "mod": remainder,
        "lshift": lambda a, b: a << b, "rshift": lambda a, b: a >> b,
        "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    }
    for name, make in makers.items():
        setattr(Scalar, f"__{name}__", lambda self, other, make=make: self._with(other, make))
        setattr(Scalar, f"__r{name}__",
                lambda self, other, make=make: self._with(other, make, swapped=True))
    comparisons = {
        "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
        "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    }
    for name, make in comparisons.items():
        setattr(Scalar, f"__{name}__",
                lambda self, other, make=make: self._with(other, make, compare=True))


add_operators()


def choose(first, a, b):
    """min and max: of the common type."""
    if isinstance(a, Scalar):
        return a._with(b, lambda x, y: first(x, y))
    if isinstance(b, Scalar):
        return b._with(a, lambda x, y: first(y, x))
    return first(a, b)


class ChoicesAtRunTime(ast.NodeTransformer):
    """`a if c else b` with c known at run time only is a Triton value, even where a is a number."""

    def visit_IfExp(self, node):
        self.generic_visit(node)
        no_arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[],
                                     defaults=[])
        sides = [ast.Lambda(args=no_arguments, body=side) for side in (node.body, node.orelse)]
        function = ast.Name(id="chosen_at_run_time", ctx=ast.Load())
        call = ast.Call(func=function, args=[node.test, *sides], keywords=[])
        return ast.copy_location(call, node)


def chosen_at_run_time(test, then, otherwise):
    value = then() if test else otherwise()
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return at_run_time(value) if isinstance(test, Scalar) and is_number else value


def at_run_time(value):
    return Scalar(value, "int32" if abs(value) < 1 << 31 else "int64")


class Language:
    """What `tl` offers to emitted text."""

    int32, uint32, int64, uint64 = "int32", "uint32", "int64", "uint64"
    block = grid = (0, 0, 0)

    def __init__(self, wrap):
        self.wrap = wrap

    def program_id(self, axis):
        return self.wrap(self.block[axis])

    def num_programs(self, axis):
        return self.wrap(self.grid[axis])

    @staticmethod
    def abs(value):
        return -value if value < 0 else value


def tile_at(index, block, extents, axes, own):
    """-1 where the block did nothing, -2 outside."""
    if index is None:
        return -1
    index = [int(getattr(value, "value", value)) for value in index]
    count = 1
    for extent in extents[:axes]:
        count *= extent
    if len(index) == 1:
        return index[0] if 0 <= index[0] < count else -2
    tile, stride = 0, 1
    for step in range(axes):
        axis = axes - 1 - step if own else step
        value = index[axis] if axis < len(index) else block[axis]
        if not 0 <= value < extents[axis]:
            return -2
        tile += value * stride
        stride *= extents[axis]
    return tile


def main():
    module, mode, requests = sys.argv[1:4]
    listing = len(sys.argv) > 4
    typed = mode == "typed"
    wrap = at_run_time if typed else int
    language = Language(wrap)
    known = {"min": min, "max": max}
    if typed:
        known = {"min": lambda a, b: choose(min, a, b), "max": lambda a, b: choose(max, a, b)}
    scope = {"__builtins__": known, "tl": language, "chosen_at_run_time": chosen_at_run_time}
    with open(module, encoding="utf-8") as text:
        tree = ast.parse(text.read(), module)
    if typed:
        tree = ast.fix_missing_locations(ChoicesAtRunTime().visit(tree))
    exec(compile(tree, module, "exec"), scope)
    with open(requests, encoding="utf-8") as lines:
        for line in lines:
            numbers = list(map(int, line.split()))
            function, axes, own, names, constants = scope["ORDERS"][numbers[0]]
            grid, extents = numbers[1:4], numbers[4:7]
            first, step, count = numbers[7:10]
            language.grid = grid
            sizes = [wrap(extents[axes - k]) if axes >= k else None for k in (2, 1, 3)]
            bound = [value if name in constants else wrap(value)
                     for name, value in zip(names, numbers[10:])]
            value = 14695981039346656037
            for launch in range(first, first + step * count, step):
                line, column = divmod(launch, grid[0])
                block = language.block = (column, line % grid[1], line // grid[1])
                try:
                    tile = tile_at(function(*sizes, *bound), block, extents, axes, own)
                except (Overflow, ZeroDivisionError):
                    tile = -3
                if listing:
                    print(tile)
                value = (value ^ ((tile + 7) % (1 << 64))) * 1099511628211 % (1 << 64)
            if not listing:
                print(value)


if __name__ == "__main__":
    main()
