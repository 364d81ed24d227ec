#!/usr/bin/env python3
"""Counts the tiles of all orders once more, without heddle, and compares with the labels.

    enumerate_orders.py [NAME ...]

Triton texts are run as Python with numbers that divide and overflow as int32 does; `and` and `or`
compute both sides, and what a helper returns is a run-time value. C texts are compiled by gcc, as C
with nested functions, and stop at a division by zero. Named families and claims for all sizes are
only tried on small grids, so a cheat among those may pass; everything else must agree with its label.
"""
import ast
import ctypes
import functools
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
SMALL = {1: range(1, 70), 2: range(1, 8), 3: range(1, 5)}


class Fault(Exception):
    pass


class Int:
    """An integer of 32 or 64 bits that faults where it overflows and divides toward zero."""

    def __init__(self, value, bits=32):
        if not -(1 << bits - 1) <= value < 1 << bits - 1:
            raise Fault("overflow")
        self.value, self.bits = value, bits

    def to(self, bits):
        """What does not fit loses its upper bits."""
        return Int((self.value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1), bits)

    def __index__(self):
        return self.value

    def __bool__(self):
        return self.value != 0


def operator(function, swapped=False):
    def apply(left, right):
        bits = max(getattr(left, "bits", 32), getattr(right, "bits", 32))
        if isinstance(right, int) and not -(1 << 31) <= right < 1 << 31:
            bits = 64
        a, b = int(left.__index__()), int(right.__index__())
        return Int(function(b, a) if swapped else function(a, b), bits)
    return apply


def divided(a, b):
    if b == 0:
        raise Fault("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATORS = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
             "floordiv": divided, "mod": lambda a, b: a - b * divided(a, b),
             "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
             "lshift": lambda a, b: a << b, "rshift": lambda a, b: a >> b}
for name, function in OPERATORS.items():
    setattr(Int, f"__{name}__", operator(function))
    setattr(Int, f"__r{name}__", operator(function, swapped=True))
for name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Int, f"__{name}__",
            lambda a, b, name=name: getattr(a.value, f"__{name}__")(b.__index__()))
Int.__divmod__ = lambda a, b: (a // b, a % b)
Int.__hash__ = None


def swizzle2d(i, j, size_i, size_j, size_g):
    linear = i * size_j + j
    in_group = size_g * size_j
    first = linear // in_group * size_g
    height = min(size_i - first, size_g)
    return first + linear % in_group % height, linear % in_group // height


def returned(value):
    """What a helper returns, as a run-time value."""
    if isinstance(value, tuple):
        return tuple(returned(part) for part in value)
    return Int(value) if isinstance(value, int) else value


class BothSides(ast.NodeTransformer):
    """`a and b` computes both sides, as on the GPU."""

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        name = "all" if isinstance(node.op, ast.And) else "any"
        return ast.Call(ast.Name(name, ast.Load()), [ast.List(node.values, ast.Load())], [])


def triton_order(text, results, lets):
    """A function of (block, grid) that gives the tile index, or None for a block without one."""
    class tl:
        int32, int64, constexpr = 32, 64, int
        swizzle2d = staticmethod(swizzle2d)
        where = staticmethod(lambda c, a, b: a if c else b)
        cdiv = staticmethod(lambda a, b: (a + b - 1) // b)
        minimum, maximum = staticmethod(min), staticmethod(max)

    class triton:
        jit = staticmethod(lambda function: lambda *given: returned(function(*given)))

    lines = text.strip("\n").splitlines() + ["return " + results]
    source = "def order():\n" + "".join(f"    {line}\n" for line in lines)

    def order(block, grid):
        tl.program_id = lambda axis: Int(block[axis])
        tl.num_programs = lambda axis: Int(grid[axis])
        names = {"tl": tl, "triton": triton, **{k: Int(v) for k, v in lets.items()}}
        for axis, (p, g) in enumerate(zip(block, grid)):
            names[f"p{axis}"], names[f"g{axis}"] = Int(p), Int(g)
        exec(compiled, names)  # texts of this folder only
        found = names["order"]()
        if found is None:
            return None
        return tuple(part.__index__() for part in (found if isinstance(found, tuple) else (found,)))

    tree = ast.fix_missing_locations(BothSides().visit(ast.parse(source)))
    compiled = compile(tree, "order", "exec")
    return order


@functools.cache
def c_order(text, results, lets, folder):
    lets = dict(lets)
    head = ("#include <setjmp.h>\n#include <signal.h>\n"
            "static sigjmp_buf start;\n"
            "static void leave(int number) { siglongjmp(start, number); }\n"
            "typedef struct { unsigned x, y, z; } index3;\nstatic index3 blockIdx, gridDim;\n"
            "#define __device__\n"
            "static unsigned long get_group_id(int a) { return (&blockIdx.x)[a]; }\n"
            "static unsigned long get_num_groups(int a) { return (&gridDim.x)[a]; }\n")
    names = results.split(",")
    body = "".join(f"volatile int {name} = {value};\n" for name, value in lets.items()) + text
    body = re.sub(r"\breturn;", "return 0;", body)
    body += "".join(f"out[{i}] = {name};\n" for i, name in enumerate(names)) + "return 1;\n"
    head += ("int order(const unsigned* p, const unsigned* g, long long* out) {\n"
             "blockIdx.x = p[0]; blockIdx.y = p[1]; blockIdx.z = p[2];\n"
             "gridDim.x = g[0]; gridDim.y = g[1]; gridDim.z = g[2];\n"
             "signal(SIGFPE, leave);\nif (sigsetjmp(start, 1)) return -1;\n" + body + "}\n")
    number = len(list(folder.iterdir()))
    (folder / f"{number}.c").write_text(head, encoding="utf-8")
    subprocess.run(["gcc", "-w", "-O1", "-shared", "-fPIC", "-o", f"{number}.so", f"{number}.c"],
                   cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / f"{number}.so"))

    def order(block, grid):
        p = (ctypes.c_uint * 3)(*block, *[0] * (3 - len(block)))
        g = (ctypes.c_uint * 3)(*grid, *[1] * (3 - len(grid)))
        out = (ctypes.c_longlong * 3)()
        state = library.order(p, g, out)
        if state < 0:
            raise Fault("division by zero")
        return tuple(out[:len(names)]) if state else None

    return order


def extents(text):
    """"1..4x3" as [range(1, 5), range(3, 4)]."""
    parts = [part.split("..") for part in text.split("x")]
    return [range(int(part[0]), int(part[-1]) + 1) for part in parts]


def is_permutation(order, grid, space, row_major):
    seen = set()
    for reversed_block in itertools.product(*(range(g) for g in reversed(grid))):
        try:
            tile = order(tuple(reversed(reversed_block)), grid)
        except Fault:
            return False
        if tile is None:
            continue
        if len(tile) > 1:
            if any(not 0 <= part < extent for part, extent in zip(tile, space)):
                return False
            axes = list(zip(tile, space)) if row_major else list(zip(tile, space))[::-1]
            linear = 0
            for part, extent in axes:
                linear = linear * extent + part
        else:
            linear = tile[0]
        tiles = 1
        for extent in space:
            tiles *= extent
        if not 0 <= linear < tiles or linear in seen:
            return False
        seen.add(linear)
    return len(seen) == tiles


def option(arguments, name):
    return arguments[arguments.index(name) + 1] if name in arguments else None


def counted(case, folder):
    """True or False: a permutation on every grid of the claim; None: not for this script."""
    arguments = case["args"]
    text = case.get("text")
    first = arguments[0]
    if first == "--order-table":
        numbers = [int(word) for line in text.splitlines() for word in line.split("#")[0].split()]
        return sorted(numbers) == list(range(int(option(arguments, "--grid"))))
    if text is None and re.search(r"p0", first) is None:
        return None
    results = (option(arguments, "--result") or case.get("names") or
               ("pid" if text else f"({first})"))
    tiles = option(arguments, "--tiles") or case.get("space")
    launch = option(arguments, "--grid") or option(arguments, "--grids")
    if "--all-sizes" in arguments:
        axes = (option(arguments, "--result") or "").count(",") + 1
        choices = itertools.product(SMALL[axes], repeat=axes)
    else:
        choices = itertools.product(*extents(launch or tiles))
    for chosen in choices:
        grid = tuple(chosen)
        space = grid
        if tiles:
            space = tuple(chosen) if not launch else tuple(r[0] for r in extents(tiles))
            grid = grid if launch else (space[0] * space[1],)
        lets = {}
        for pair in (option(arguments, "--let") or "").split(","):
            if pair:
                name, value = pair.split("=")
                lets[name] = eval(value, {f"t{i}": t for i, t in enumerate(space)})
        if first.startswith("order.") and first != "order.py":
            order = c_order(text, results, tuple(lets.items()), folder)
        else:
            order = triton_order(text or "", results, lets)
        if not is_permutation(order, grid, space, bool(tiles)):
            return False
    return True


def main():
    cases = []
    for path in (FOLDER / "orders.toml", *sorted((FOLDER / "orders").glob("*.toml"))):
        with open(path, "rb") as file:
            cases += tomllib.load(file)["case"]
    wrong = skipped = 0
    with tempfile.TemporaryDirectory(prefix="heddle-corpus-") as name:
        for case in cases:
            if sys.argv[1:] and case["name"] not in sys.argv[1:]:
                continue
            found = counted(case, pathlib.Path(name))
            if found is None or (found and case["label"] == "cheat" and
                                 "--all-sizes" in case["args"]):
                skipped += 1
                print(f"not counted: {case['name']}")
            elif found != (case["label"] == "honest"):
                wrong += 1
                print(f"WRONG {case['name']}: {case['label']}, but counted as "
                      f"{'a permutation' if found else 'none'}")
    print(f"{len(cases)} cases, {skipped} not counted, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
