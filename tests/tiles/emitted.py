#!/usr/bin/env python3
"""Puts orders into the tile kernels, and lets `heddle audit --patch` judge each patch.

    emitted.py --program PATH [--jobs LIST] [NAME ...]

A kernel with a tile space of its own takes an order, or is refused with a place and a reason. What it
takes must be PROVED, and it must be another order than the kernel's own. `refused` below says which
kernels are refused, and why.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ORDERS = ("group(3)", "xcd(8) | group(4)", "columns", "reverse")
LINE_ORDERS = ("xcd(8)", "reverse")  # of a line of tiles


def lifted(program, job):
    """Whether orders are of the kernel's own tiles: then a walk of rows and columns is one."""
    done = subprocess.run([program, "trace", job], capture_output=True, text=True, check=False)
    line = next((line for line in done.stdout.splitlines() if line.startswith("  tiles  ")), "")
    return line.split("  tiles", 1)[-1].strip()


def emit(program, order, job, path):
    return subprocess.run([program, "emit", order, "--job", job, "-o", path],
                          capture_output=True, text=True, check=False)


def audit(program, job, kernel, path):
    done = subprocess.run([program, "audit", "--patch", kernel, path, "--job", job],
                          capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "UNKNOWN" in line or "REFUTED" in line]
    return done.returncode, lines or done.stderr.splitlines()


def kernel_of(job):
    for line in job.read_text(encoding="utf-8").splitlines():
        if line.startswith("kernel"):
            return job.parent / line.split('"')[1]
    return None


def check(program, name, job, folder, results):
    kernel = kernel_of(job)
    space = lifted(program, job)
    orders = ORDERS if " x " in space.split("(")[0] else LINE_ORDERS
    for order in orders:
        path = pathlib.Path(folder) / (name + kernel.suffix)
        done = emit(program, order, job, path)
        what = f"{name}, {order}"
        if done.returncode != 0:
            results["refused"].append(f"{what}: {done.stderr.splitlines()[0] if done.stderr else '?'}")
            continue
        code, lines = audit(program, job, kernel, path)
        kind = "proved" if code == 0 else "not proved"
        results[kind].append(f"{what}: " + " | ".join(line.strip() for line in lines[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--jobs", help="other jobs: a file with a path a line")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    jobs = sorted((FOLDER / "kernels").glob("*.toml"))
    if arguments.jobs:
        jobs = [pathlib.Path(line) for line in pathlib.Path(arguments.jobs).read_text().split()]
    results = {"proved": [], "refused": [], "not proved": []}
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs:
            if not arguments.names or job.stem in arguments.names:
                check(arguments.program, job.stem, job, folder, results)
    shown = results["refused"] + results["not proved"]
    print("\n".join(shown + [f"{len(found)} {kind}" for kind, found in results.items()]))
    return 1 if results["not proved"] else 0


if __name__ == "__main__":
    sys.exit(main())
