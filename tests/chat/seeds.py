#!/usr/bin/env python3
"""Optimisers' logs replayed as transcripts: what is wrong in them is refused, and the search ends at
least as good as their best valid iteration. Skipped (77) where the logs are not there.

    tests/chat/seeds.py --program build/heddle --logs ../shared/seeds
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
# The begin of a log's name, the grid, options, and how many tiles each iteration computes (0: all).
LOGS = [
    ("000_", (256, 256), ["--let", "M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32"],
     [0, 0, 0, 0, 0, 256, 0, 8192, 256, 256]),
    ("001_", (4096, 1), ["--let", "M=4096"], [0] * 9),
    ("002_", (128, 128), ["--let", "Nx=4096,Ny=4096,BLOCK_SIZE_X=32,BLOCK_SIZE_Y=32", "--result", "pid_m,pid_n"],
     [0, 128, 0]),
    ("003_", (32768, 1), ["--let", "NUM_BLOCKS=2048"], [2168, 5888, 2048, 2048, 2048]),
]
KERNEL = '''import triton
import triton.language as tl


@triton.jit
def shift_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id({row})
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + (row + 1) * columns + column)
    tl.store(y_ptr + row * columns + column, x)
'''
JOB = '''kernel = "shift.py"
grid = [{grid}]

[tensors.x_ptr]
dtype = "fp32"
shape = [{rows} + 1, {columns}]

[tensors.y_ptr]
dtype = "fp32"
shape = [{rows}, {columns}]

[scalars]
columns = {columns}

[constexprs]
BLOCK = 32
'''


def write_job(folder, grid):
    width, height = grid
    if height == 1:
        text = KERNEL.replace("    row = tl.program_id({row})\n", "    row = 0\n")
    else:
        text = KERNEL.format(row=1)
    (folder / "shift.py").write_text(text)
    extents = f"{width}" if height == 1 else f"{width}, {height}"
    (folder / "shift.toml").write_text(
        JOB.format(grid=extents, rows=height, columns=32 * width).replace(f"{height} + 1", f"{height + 1}"))


def replay(program, log, grid, options, tiles, failures):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        write_job(folder, grid)
        done = subprocess.run(
            [program, "optimize", str(folder / "shift.toml"), "--gpu", "mi300x", "--effort", "low", "--fixed-grid",
             "--no-history", "--replay", str(log), "-o", str(folder / "out"), *options],
            capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            return failures.append(f"{log.name[:3]}: {done.stderr}")
        report = json.loads((folder / "out/report.json").read_text())
    mine = [one for one in report["iterations"] if one["proposer"] == "model" and
            not one["formula"].startswith("digits(")]
    # A formula that a log repeats word for word is one attempt.
    refuted = sum(one["verdict"] == "REFUTED" for one in mine)
    proved = [one for one in mine if one["verdict"] == "PROVED"]
    if len(mine) != refuted + len(proved) or (refuted > 0) != any(tiles) or (proved == []) != all(tiles):
        failures.append(f"{log.name[:3]}: {[one['verdict'] for one in mine]} for {tiles}")
    if any(one["predicted"] is not None for one in mine if one["verdict"] != "PROVED"):
        failures.append(f"{log.name[:3]}: something unproved was scored")
    if report["model"]["rounds"] != len(tiles):
        failures.append(f"{log.name[:3]}: {report['model']}")
    best = max((one["predicted_speedup"] for one in report["iterations"] if one["predicted_speedup"] is not None))
    theirs = max((one["predicted_speedup"] for one in proved), default=1)
    answer = max(report["best"]["predicted_speedup"], 1)
    # The answer is what costs least; an order within the model's error of it may be a shade faster.
    if answer < 0.995 * theirs or best < theirs:
        failures.append(f"{log.name[:3]}: {answer} after {theirs}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--logs", required=True)
    arguments = parser.parse_args()
    failures = []
    found = 0
    for start, grid, options, tiles in LOGS:
        for log in sorted(pathlib.Path(arguments.logs).glob(start + "*")):
            found += 1
            replay(arguments.program, log, grid, options, tiles, failures)
    if found == 0:
        print("skipped: the logs are not here")
        return SKIPPED
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
