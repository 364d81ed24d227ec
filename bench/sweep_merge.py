#!/usr/bin/env python3
"""How long planning and merging take for many units, with rows that are made up.

    sweep_merge.py --program build/heddle [--units 1000000] [--files 64]
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time
import zlib

JOB = "kernel = 'k.py'\ngrid = [4]\n"


def timed(command, output):
    """Seconds of the processor, and of the clock, and what was printed."""
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(output, "w") as stream:
        done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{busy:.1f} s of a processor, {time.monotonic() - begin:.1f} s by the clock", done


def write_rows(plan, folder, files):
    streams = [open(folder / f"made-{i}.lines", "w") for i in range(files)]
    with open(plan) as lines:
        for number, line in enumerate(lines):
            key, verb, job, shape = line.split()[:4]
            row = json.dumps({"verb": verb, "job": job, "shape": shape, "gpu": line.split()[-1], "exit_code": 0,
                              "answer": "simulated", "time_us": 100 + number / 7, "l2_hit_pct": 31.25,
                              "hbm_bytes": 524288 * number, "limited_by": "memory"}, separators=(",", ":"))
            rest = f"D {number % 5000} {row}"
            total = (zlib.crc32(key.encode()) + zlib.crc32(rest.encode())) & 0xffffffff
            streams[number % files].write(f"{key} {total:08x} {rest}\n")
    for stream in streams:
        stream.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=64)
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "k.py").write_text("")
        jobs = max(1, arguments.units // 100_000)
        for i in range(jobs):
            (folder / f"job{i}.toml").write_text(JOB)
        each = min(arguments.units, 100_000)
        sizes = f"A = [{', '.join(map(str, range(max(1, each // 100))))}]\nB = [{', '.join(map(str, range(100)))}]\n"
        spec = folder / "spec.toml"
        spec.write_text('gpus = ["mi300x"]\nverbs = ["simulate"]\n[[kernels]]\npaths = ["job*.toml"]\n[kernels.sizes]\n'
                        + sizes)
        took, _ = timed([program, "sweep", spec, "--list"], folder / "plan")
        count = sum(1 for _ in open(folder / "plan"))
        print(f"plan of {count:,} units: {took}")
        (folder / "out/lines").mkdir(parents=True)
        write_rows(folder / "plan", folder / "out/lines", arguments.files)
        took, done = timed([program, "sweep", spec, "-o", folder / "out", "--merge-only"], folder / "text")
        size = (folder / "out/results.jsonl").stat().st_size
        print(f"merge of {count:,} rows from {arguments.files} files: {took}, {size / 1e6:.0f} MB")
        print((folder / "text").read_text().split("\n")[0], done.stderr.strip())


if __name__ == "__main__":
    main()
