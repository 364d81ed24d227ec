#!/usr/bin/env python3
"""Text reports fit the terminal: no line is longer than COLUMNS.

    tests/widths/run.py --program build/heddle [--all] [COMMAND ...]

Runs the commands of COMMANDS, one a report, at 60, 80 and 200 columns, and fails on a longer line of
standard output. --all takes every text command of tests/golden instead (a minute). Excused are:

1. a word that does not fit beside a label, a path or a counter's name: it stays whole, to be copied;
2. code: lines of kernels, patches and emitted orders;
3. drawings whose size is that of what they draw: `check --show`;
4. --compat, which prints what another program prints.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
ROOT = GOLDEN.parents[1]
WIDTHS = (60, 80, 200)
NOT_TEXT = re.compile(r"--json|--csv|--markdown|--sarif|--show\b|--compat|--help|-h\b|--model|\|\s*\w|\bcat\b|\bgrep\b|"
                      r"heddle emit|heddle new-job|heddle bundle|--save-dfs|--addresses|<<|--write-table")
BESIDE = 20  # columns of a label and its indent
QUOTED = re.compile(r" {3,8}\d+  \S| {4}\S.*(tl\.|[;{}=(])")  # source lines, with or without their number
EXAMPLES = "../../examples"
COMMANDS = [
    "heddle analyze -p inputs/roofline/lab/MI200",
    f"heddle analyze -p {EXAMPLES}/workloads/yax_published/slow -p {EXAMPLES}/workloads/yax_published/fast",
    "heddle audit inputs/stencil.log --grid 10x12 --result col,row --let ROWS=12,COLS=10",
    f"heddle audit {EXAMPLES}/answers/stencil.md --grid 12x12",
    f"heddle audit --patch {EXAMPLES}/kernels/stencil_2d.py {EXAMPLES}/kernels/copy.py "
    f"--job {EXAMPLES}/stencil_2d.toml --set rows=136,columns=150",
    f"heddle audit --profile {EXAMPLES}/workloads/yax_published/slow {EXAMPLES}/workloads/yax_published/fast",
    'heddle check "(p0 % 8) * (g0 // 8) + p0 // 8" --grids 1..64',
    'heddle check "inverse(hilbert)" --all-sizes --tile-axes 2',
    "heddle check ../tiles/other/square_only.toml",
    "heddle explain",
    "heddle explain above-hbm",
    "heddle gpus",
    "heddle gpus mi300x",
    "heddle merge ../../validation/runs/gemm_wide/1",
    "heddle merge ../../validation/runs/gemm_wide",
    "heddle doctor",
    "cd $FOLDER && git init -q . && cp -r $OLDPWD/../../examples/kernels $OLDPWD/../../examples/copy.toml . && git add -A && "
    "git -c user.email=a@b -c user.name=a commit -qm a && sed -i 's/tl.program_id(0)/(tl.program_id(0) * 2)/' "
    "kernels/copy.py && HEDDLE_CACHE=off heddle gate . --base HEAD --gpu mi300x",
    f"heddle sweep {EXAMPLES}/sweeps/small.toml --verb check -o $FOLDER/swept",
    f"heddle optimize {EXAMPLES}/gemm_wide.toml --gpu h200 --set M=512,N=1024,K=128 --effort low "
    "--history $FOLDER/history.db -o $FOLDER/out && heddle history $FOLDER/history.db && "
    "heddle history $FOLDER/history.db --run 1",
    "heddle roofline -p inputs/roofline/lab/MI200",
    "heddle roofline -p inputs/roofline/lab/MI200 --sort dispatches -k blend -m HBM --type fp32",
    f"heddle simulate {EXAMPLES}/gemm.toml --gpu h100 --set M=512,N=1024,K=256 --why",
    f"heddle simulate {EXAMPLES}/stencil_2d.toml --gpu mi300x --set rows=512,columns=512",
    f"heddle trace {EXAMPLES}/histogram.toml --set elements=65536,BLOCKS=8",
    f"heddle trace {EXAMPLES}/stencil_2d.toml --tile 255,0",
    "heddle validate inputs/points.csv --max-mean 1",
]


def longest_allowed(line, columns):
    """Whether a line fits, or is excused."""
    width = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
    if width <= columns:
        return True
    return max(map(len, line.split()), default=0) > columns - BESIDE or bool(QUOTED.match(line))


def golden_commands():
    for path in sorted((GOLDEN / "cases").glob("*.test")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("$ heddle ") and not NOT_TEXT.search(line):
                yield line[2:]


def too_long(command, columns, program):
    script = 'heddle() { "$HEDDLE_UNDER_TEST" "$@"; }\n' + command
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, COLUMNS=str(columns), HEDDLE_UNDER_TEST=program, NO_COLOR="1", FOLDER=folder)
        done = subprocess.run(["sh", "-c", script], cwd=GOLDEN, env=environment, check=False, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=120)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return [line for line in lines if not longest_allowed(line, columns)], len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("commands", nargs="*")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    commands = arguments.commands or (sorted(set(golden_commands())) if arguments.all else COMMANDS)
    runs = [(command, columns) for command in commands for columns in WIDTHS]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda run: too_long(*run, program), runs)
        for (command, columns), (lines, count) in zip(runs, results):
            silent = count == 0 and not arguments.all
            failed += bool(lines) or silent
            if silent:
                print(f"{command}: prints nothing")
            if lines:
                print(f"COLUMNS={columns} {command}: {len(lines)} of {count} lines are longer, such as\n  {lines[0]}")
    print(f"{len(runs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
