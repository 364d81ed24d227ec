#!/usr/bin/env python3
"""Records the addresses of the examples as Triton itself computes them.

    python3 tests/triton/dump_addresses.py --out DIR [--mode interpreter|compiled|random]

Needs Triton, PyTorch and numpy; the last two modes a GPU. Without --mode it does all three:

  interpreter   Triton's interpreter runs the examples, its memory operations watched
  compiled      the examples run on the GPU, compiled, with their pointers logged
  random        so do random kernels of tests/oracle/random_kernels.py

Writes DIR/MODE.json and prints what failed. Put those files into tests/triton/recorded;
tests/triton/check.py compares heddle with them where there is no Triton.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
sys.path[:0] = [str(HERE), str(HERE.parent / "oracle")]

import random_kernels  # noqa: E402
import recorded_form  # noqa: E402
import small_sizes  # noqa: E402

MODES = ["interpreter", "compiled", "random"]
CASE_LIMIT_S = 180
AT_ONCE = 8
RANDOM_KERNELS = 80


def cases(mode, folder):
    """(name, job, settings, texts of kernel and job where they are not in the repository)"""
    if mode != "random":
        for name, settings in small_sizes.cases():
            yield name, EXAMPLES / f"{name}.toml", settings, None
        return
    for seed in range(RANDOM_KERNELS):
        job = random_kernels.write(seed, folder, runnable=True)
        kernel = job.parent / f"kernel_{seed}.py"
        texts = {kernel.name: kernel.read_text(encoding="utf-8"),
                 job.name: job.read_text(encoding="utf-8")}
        yield f"random kernel {seed}", job, {}, texts


def run_case(mode, case, part, folder):
    """In a process of its own: a kernel that crashes takes nothing else with it."""
    name, job, settings, texts = case
    signal.alarm(CASE_LIMIT_S)
    if mode == "interpreter":
        import interpreted
        records = interpreted.addresses(job, settings)
    else:
        import compiled
        folder = pathlib.Path(folder) / part.stem
        folder.mkdir()
        records = compiled.addresses(job, settings, folder)
    result = recorded_form.compact(name, settings, records)
    if texts:
        result["files"] = texts
    part.write_text(json.dumps(result, separators=(",", ":")), encoding="utf-8")


def start(mode, case, part, folder):
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        run_case(mode, case, part, folder)
        status = 0
    except BaseException:  # a fork: nothing may go on into the parent's code
        part.with_suffix(".error").write_text(traceback.format_exc(), encoding="utf-8")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run_mode(mode, out):
    """Starts every case, a few at once, and writes what came of them."""
    import torch  # noqa: F401  loaded once, before the forks
    import triton
    with tempfile.TemporaryDirectory() as folder:
        todo = [(number, case) for number, case in enumerate(cases(mode, folder))]
        waiting = list(todo)
        running = {}
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                number, case = waiting.pop(0)
                part = pathlib.Path(folder) / f"part{number}.json"
                running[start(mode, case, part, folder)] = case[0]
            child, status = os.wait()
            name = running.pop(child)
            if os.WIFSIGNALED(status):
                print(f"{mode}: {name}: ended by signal {os.WTERMSIG(status)}")
        results, failed = [], 0
        for number, case in todo:
            part = pathlib.Path(folder) / f"part{number}.json"
            if part.exists():
                results.append(part.read_text(encoding="utf-8"))
                continue
            failed += 1
            error = part.with_suffix(".error")
            reason = error.read_text(encoding="utf-8") if error.exists() else "no result"
            print(f"{mode}: FAILED {case[0]} {case[2]}\n{reason}")
        header = json.dumps({"version": 1, "mode": mode, "triton": triton.__version__,
                             "torch": torch.__version__})
        text = header[:-1] + ', "cases": [\n' + ",\n".join(results) + "\n]}\n"
        (pathlib.Path(out) / f"{mode}.json").write_text(text, encoding="utf-8")
        print(f"{mode}: {len(results)} recorded, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description="Records Triton's own addresses.")
    parser.add_argument("--out", required=True, help="folder for the records")
    parser.add_argument("--mode", choices=MODES)
    arguments = parser.parse_args()
    pathlib.Path(arguments.out).mkdir(parents=True, exist_ok=True)
    if arguments.mode:
        sys.exit(1 if run_mode(arguments.mode, arguments.out) else 0)
    worst = 0
    for mode in MODES:
        # The interpreter is chosen when Triton is imported, so that each mode has its process.
        environment = dict(os.environ)
        environment.pop("TRITON_INTERPRET", None)
        if mode == "interpreter":
            environment["TRITON_INTERPRET"] = "1"
        command = [sys.executable, __file__, "--out", arguments.out, "--mode", mode]
        worst = max(worst, subprocess.run(command, env=environment, check=False).returncode)
    sys.exit(worst)


if __name__ == "__main__":
    main()
