#!/usr/bin/env python3
"""Puts orders into the tile kernels, and lets `heddle audit --patch` judge each patch.

    emitted.py --program PATH [--all] [NAME ...]

Without --all one kernel a kind, and one order. A kernel with a tile space of its own takes an order, or
is refused with a place and a reason. What it takes must be PROVED. REFUSED and OPEN below name the
kernels for which that does not hold, and why.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ORDERS = ("xcd(8) | group(4)", "columns", "group(3)", "reverse")  # the first one without --all
LINE_ORDERS = ("xcd(8)", "reverse")  # of a line of tiles
CXX_ORDERS = ("xcd(8) | group(4)", "columns")  # Clang takes its time

# What is tried without --all: one kernel a kind.
USUAL = {"gemm_rows", "gemm_grouped", "gemm_xcd_grouped", "gemm_splitk", "gemm_swizzle2d", "gemm_window",
         "bmm_packed", "gqa_line", "conv2d", "pool3d", "persistent_strided", "persistent_chunked",
         "persistent_loop", "sgemm_line", "sgemm_grouped", "gemm_morton"}
# Kernels that cannot take an order, and the beginning of the reason.
REFUSED = {
    "gemm_hilbert": "'y', a tile coordinate, has no single statement",
    "sgemm_blocked": "'tile_m', a tile coordinate, has no single statement",
    "gemm_morton": "nothing in the kernel says how many tiles",
    "attention_gqa": "nothing in the kernel says how many tiles",
    "gemm_padded": "a walk needs rows and columns",  # blocks without a tile: not lifted
}
# What the audit leaves UNKNOWN, or calls more than index code, and why.
OPEN = {
    "persistent_chunks": "index code in loops of C++ is not compared",
    "persistent_flat": "tiles and K steps share a loop, which hands the sum on",
    "persistent_loop": "index code in loops of C++ is not compared",
    "attention_causal_plane": "no masks: ragged sizes leave the tensors",
    "gemm_group_zigzag": "no masks: ragged sizes leave the tensors",
    "gemm_snake": "no masks: ragged sizes leave the tensors",
    "attention_hz": "too many steps to try all sizes",
    "transpose_diagonal": "one case of the new code is never met",
    "gemm_generated": "sizes are numbers in the kernel; code is REFUTED",
    "decode_splitkv": "shapes, not looked into yet",
    "gqa_line": "shapes, not looked into yet",
    "moe_sorted": "shapes, not looked into yet",
    "sgemm_grouped": "code, not looked into yet",
}


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


def check(program, job, folder, all_orders):
    """A list of (kind, what)."""
    name, kernel = job.stem, kernel_of(job)
    space = lifted(program, job)
    if space.startswith("none") or not space:
        return []
    orders = ORDERS if " x " in space.split("(")[0] else LINE_ORDERS
    if kernel.suffix != ".py":
        orders = [order for order in orders if order in CXX_ORDERS] or orders
    if not all_orders:
        orders = orders[:1]
    results = []
    for order in orders:
        path = pathlib.Path(folder) / f"{name}_{len(results)}{kernel.suffix}"
        done = emit(program, order, job, path)
        what = f"{name}, {order}"
        if done.returncode != 0:
            reason = done.stderr.splitlines()[0] if done.stderr else "?"
            results.append(("refused", name, f"{what}: {reason}"))
            continue
        code, lines = audit(program, job, kernel, path)
        kind = "proved" if code == 0 else "open"
        results.append((kind, name, f"{what}: " + " | ".join(line.strip() for line in lines[1:])))
    return results


def is_fault(kind, name, what):
    if kind == "refused":
        return REFUSED.get(name, "\0") not in what
    is_wrong = any(f"{check:<8}REFUTED" in what for check in ("order", "bytes", "shapes"))
    return kind == "open" and (is_wrong or name not in OPEN)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--jobs", help="other jobs: a file with a path a line")
    parser.add_argument("--all", action="store_true", help="every order, not the first alone")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    jobs = sorted((FOLDER / "kernels").glob("*.toml"))
    if arguments.jobs:
        jobs = [pathlib.Path(line) for line in pathlib.Path(arguments.jobs).read_text().split()]
    wanted = arguments.names or (None if arguments.all or arguments.jobs else USUAL)
    jobs = [job for job in jobs if wanted is None or job.stem in wanted]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: check(arguments.program, job, folder, arguments.all), jobs))
    results = [result for of_job in results for result in of_job]
    faults = [result for result in results if is_fault(*result)]
    for kind, _, what in results if arguments.verbose else faults:
        if kind != "proved":
            print(f"{kind}  {what}")
    kinds = [kind for kind, _, _ in results]
    print(", ".join(f"{kinds.count(kind)} {kind}" for kind in ("proved", "refused", "open")),
          f"; {len(faults)} faults", sep="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
