#!/usr/bin/env python3
"""Triton kernels are read by the python3 of the machine; Ubuntu 20.04 has 3.8, whose trees differ.

    run.py --program build/heddle

Before 3.9 what stands in brackets was wrapped (Index, ExtSlice), and slices, keywords and imported names
had no place. This Python gives such trees in place of its own, and heddle must print the same with both.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = '''#!{python} -I
import ast
import builtins
import sys


class Index(ast.AST):
    _fields = ("value",)


class ExtSlice(ast.AST):
    _fields = ("dims",)


def wrapped(node):
    if isinstance(node, ast.Slice):
        return node
    if isinstance(node, ast.Tuple) and any(isinstance(one, ast.Slice) for one in node.elts):
        return ExtSlice([wrapped(one) for one in node.elts])
    return Index(node)


def compiled(*words, before=compile, **more):
    tree = before(*words, **more)
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Subscript):
            node.slice = wrapped(node.slice)
            with open({seen!r}, "a") as seen:
                seen.write(type(node.slice).__name__ + "\\n")
        elif isinstance(node, (ast.Slice, ast.keyword, ast.alias)):
            for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                delattr(node, name)
    return tree


builtins.compile = compiled
exec(sys.argv[-1])
'''
KERNEL = """import triton
import triton.language as tl


@triton.jit
def shift(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    steps = (0, 1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at + steps[1], mask=at + steps[-1] < n), mask=at < n)
"""
JOB = """kernel = "shift.py"
grid = ["cdiv(n, BLOCK)"]
tensors.x_ptr = { dtype = "fp16", shape = ["n"] }
tensors.y_ptr = { dtype = "fp16", shape = ["n"] }
scalars.n = 1000
constexprs.BLOCK = 128
"""
KERNELS = "examples/kernels"
COMMANDS = [
    ["trace", "examples/stencil_2d.toml", "--set", "rows=100", "--set", "columns=70", "--json"],
    ["trace", "examples/gemm_grouped.toml", "--set", "M=300", "--set", "N=520", "--set", "K=100", "--json"],
    ["emit", "xcd(8)", "--kernel", f"{KERNELS}/stencil_2d.py", "--assume-independent"],
    ["audit", "--patch", f"{KERNELS}/stencil_2d.py", "examples/patches/stencil_skips.py", "--job",
     "examples/stencil_2d.toml", "--set", "rows=128", "--set", "columns=128", "--json"],
    ["check", f"{KERNELS}/gemm_grouped.py", "--json"],
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    program = os.path.abspath(parser.parse_args().program)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        seen, python = pathlib.Path(folder) / "seen", pathlib.Path(folder) / "python3"
        python.write_text(PYTHON.format(python=sys.executable, seen=str(seen)))
        python.chmod(0o755)
        (pathlib.Path(folder) / "shift.py").write_text(KERNEL)
        job = pathlib.Path(folder) / "shift.toml"
        job.write_text(JOB)
        for words in [*COMMANDS, ["trace", job, "--json"]]:
            new, old = (subprocess.run([program, *words], cwd=ROOT, env={**os.environ, "PATH": path},
                                       capture_output=True, text=True, check=False)
                        for path in (os.environ["PATH"], folder))
            if (new.returncode, new.stdout) != (old.returncode, old.stdout) or not new.stdout:
                faults.append(f"heddle {' '.join(map(str, words))}: {old.returncode} {old.stderr}; now {new.returncode} {new.stderr}")
        kinds = set(seen.read_text().split()) if seen.exists() else set()
        if not {"Index", "ExtSlice"} <= kinds:
            faults.append(f"the trees of the old Python were not read: {sorted(kinds)}")
    print("\n".join(faults) or "old_python: good")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
