#!/usr/bin/env python3
"""Kernels with a wrong swizzle: `heddle check` refutes each, and proves none.

    wrong.py --program PATH [NAME ...]

1. Every kernel of kernels/ as it is: its launch is PROVED, or UNKNOWN where UNKNOWN says so.
2. Every entry of WRONG, a kernel with one text replaced: the check of its job is REFUTED, the check
   of its file alone not PROVED. Entries of NOT_PROVED are neither.
3. Every entry of OTHER, a kernel with one text replaced: its launch has the verdict that it names.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
UNKNOWN = {"gemm_streamk", "gemm_triangle"}

# kernel, the text that is replaced, the new one
WRONG = [
    # the remainder is forgotten: the last group is as tall as all others
    ("gemm_grouped.py", "min(num_pid_m - first_pid_m, GROUP_SIZE_M)", "GROUP_SIZE_M"),
    ("bmm_axis.py", "min(grid_m - group_id * GROUP_M, GROUP_M)", "GROUP_M"),
    ("sgemm_grouped.hip", "min(tiles_m - first, group)", "group"),
    ("gemm_xcd_grouped.py", "min(rows - first, G)", "G"),
    ("gemm_xcd_grouped.py", "die * q + tl.minimum(die, r) + tile // XCDS", "die * q + tile // XCDS"),
    # extents of the other axis
    ("gemm_rows.py", "// grid_n", "// tl.cdiv(M, BM)"),
    ("gemm_splitk.py", "num_n = tl.cdiv(N, BLOCK_N)", "num_n = tl.cdiv(M, BLOCK_M)"),
    ("sgemm_line.cu", "tiles_n = (N + TILE - 1) / TILE", "tiles_n = (M + TILE - 1) / TILE"),
    ("transpose_line.py", "tiles_x = (cols + TILE - 1) // TILE", "tiles_x = (rows + TILE - 1) // TILE"),
    ("persistent_strided.py", "pid_n = tile % num_n", "pid_n = tile % (num_n - 1)"),
    ("gemm_group_columns.py", "in_band // width", "in_band // GROUP_N"),
    # off by one
    ("gemm_snake.py", "nn - 1 - j", "nn - j"),
    ("gemm_rows.py", "% grid_n", "% (grid_n - 1)"),
    ("bmm_line.cu", "mt = block % m_tiles", "mt = block % (m_tiles - 1)"),
    ("attention_causal_plane.py", "tl.num_programs(0) - 1 - tl.program_id(0)",
     "tl.num_programs(0) - tl.program_id(0)"),
    ("gemm_grouped.py", "min(num_pid_m - first_pid_m, GROUP_SIZE_M)",
     "min(num_pid_m - first_pid_m + 1, GROUP_SIZE_M)"),
    # beyond some number of tiles
    ("gemm_rows.py", "pid_n = pid % grid_n", "pid_n = pid % grid_n if grid_n < 23 else 0"),
    ("persistent_strided.py", "pid_n = tile % num_n", "pid_n = tile % num_n if tile < 40 else 0"),
    # a factor that some number of tiles has, written or not
    ("gemm_rows.py", "pid_n = pid % grid_n", "pid_n = pid % grid_n * 11 % grid_n"),
    ("bmm_line.cu", "mt = block % m_tiles", "mt = block % m_tiles * 13 % m_tiles"),
    ("gemm_rows.py", "pid_n = pid % grid_n", "pid_n = (pid % grid_n * 64 - pid % grid_n * 27) % grid_n"),
    ("persistent_strided.py", "pid_n = tile % num_n", "pid_n = tile % num_n * 29 % num_n"),
    # a case of some number of tiles
    ("gemm_rows.py", "pid_n = pid % grid_n", "pid_n = pid % grid_n // (2 if grid_n == 14 else 1)"),
    # a type that cuts large numbers of tiles
    ("sgemm_line.cu", "const int tile_n = blockIdx.x % tiles_n", "const unsigned char tile_n = blockIdx.x % tiles_n"),
    ("bmm_line.cu", "int block = blockIdx.x;", "int block = static_cast<short>(blockIdx.x);"),
    ("gemm_rows.py", "pid_n = pid % grid_n", "pid_n = (pid % grid_n).to(tl.int8).to(tl.int32)"),
    ("gemm_rows.py", "pid_n = pid % grid_n", "pid_n = pid % grid_n & 1023"),
    # a wrong modulus, a rounded quotient
    ("sgemm_line.cu", "blockIdx.x % tiles_n", "blockIdx.x % (N / TILE)"),
    ("gemm_splitk.py", "pid_k = pid % SPLIT_K", "pid_k = pid % 2"),
    ("persistent_loop.cu", "tileM = tile % mTiles", "tileM = tile % nTiles"),
]

# not proved, and not refuted either: it takes more than blocks to see the fault
NOT_PROVED = [
    ("gemm_rows.py", "pid_m = pid // grid_n", "pid_m = ((pid // grid_n) << 24) >> 24"),
    ("persistent_grouped.py", "min(tiles_m - top, GROUP)", "GROUP"),
    ("persistent_loop.cu", "tile < numTiles", "tile < numTiles - 1"),
]

# neither wrong nor what it was: kernel, the text that is replaced, the new one, the verdict, more arguments
OTHER = [
    # the block that ends a tile stores it, the others update it: blocks alone do not say who is first
    ("gemm_streamk.py", "        tl.atomic_add(C + rm[:, None] * N + rn[None, :], acc)\n",
     "        c = C + rm[:, None] * N + rn[None, :]\n"
     "        if end_iter % iters_per_tile == 0:\n"
     "            tl.store(c, acc, mask=(rm[:, None] < 40) & (rn[None, :] < N))\n"
     "        else:\n"
     "            tl.atomic_add(c, acc)\n", "UNKNOWN", "--set", "blocks=6"),
]


def run(program, *arguments):
    done = subprocess.run([program, "check", *map(str, arguments), "--json"],
                          capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def check_right(program, name):
    code, report = run(program, KERNELS / (name + ".toml"), "--launch-only")
    expected = "UNKNOWN" if name in UNKNOWN else "PROVED"
    found = report.get("verdict", f"exit {code}")
    return [] if found == expected else [f"{name}: {found}, not {expected}"]


def write_copy(copy, kernel, old, new):
    """The kernel and its job with one text replaced; what is wrong with that."""
    path = KERNELS / kernel
    text = path.read_text(encoding="utf-8")
    if text.count(old) == 0:
        return [f"{kernel}, {new}: the kernel has no '{old}'"]
    for file in KERNELS.glob(path.stem + "*"):
        shutil.copy(file, copy)
    (copy / kernel).write_text(text.replace(old, new, 1), encoding="utf-8")
    return []


def check_other(program, kernel, old, new, expected, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        faults = write_copy(copy, kernel, old, new)
        if faults:
            return faults
        job = copy / (pathlib.Path(kernel).stem + ".toml")
        code, report = run(program, job, "--launch-only", *arguments)
        found = report.get("verdict", f"exit {code}")
        return [] if found == expected else [f"{kernel}, {new}: {found}, not {expected}"]


def check_wrong(program, kernel, old, new, is_refuted):
    path = KERNELS / kernel
    label = f"{kernel}, {new}"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        faults = write_copy(copy, kernel, old, new)
        if faults:
            return faults
        code, report = run(program, copy / (path.stem + ".toml"))
        if code == 0 or (is_refuted and (code != 1 or report["verdict"] != "REFUTED")):
            faults.append(f"{label}: exit {code}, {report.get('verdict')}")
        alone, report = run(program, copy / kernel)
        if alone == 0:
            faults.append(f"{label}: PROVED without a job")
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    faults = []
    jobs = sorted(path.stem for path in KERNELS.glob("*.toml"))
    chosen = [name for name in jobs if not arguments.names or name in arguments.names]
    for name in chosen:
        faults += check_right(arguments.program, name)
    wrong = [entry for entry in WRONG if pathlib.Path(entry[0]).stem in chosen]
    wrong += [entry for entry in NOT_PROVED if pathlib.Path(entry[0]).stem in chosen]
    for entry in wrong:
        faults += check_wrong(arguments.program, *entry, entry in WRONG)
    others = [entry for entry in OTHER if pathlib.Path(entry[0]).stem in chosen]
    for entry in others:
        faults += check_other(arguments.program, *entry)
    print("\n".join(faults + [f"{len(chosen)} kernels, {len(wrong)} wrong ones, "
                              f"{len(others)} others, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
