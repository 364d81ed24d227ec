#!/usr/bin/env python3
"""The worker for Triton kernels: runs candidates of a bundle, says line by line what it sees.

    python3 triton_worker.py DIR device
    python3 triton_worker.py DIR check [without=LAUNCH] 0 1 2
    python3 triton_worker.py DIR time PHASE SEED 0 0b 1 2
    python3 triton_worker.py DIR profile 0 1 2 0 1 2
    python3 triton_worker.py PLAN lean                  many bundles, in one process
    python3 triton_worker.py PLAN count                 likewise, under a profiler

The bundle and the lines are those of heddle's docs/agent.md. Needs Python 3.10, PyTorch and Triton;
the ROCm builds of both should do and have not been tried.

Rules
  1. Standard output has lines of the protocol only, each flushed at once. What kernel files print
     goes to standard error. What can hang or die is announced before it is done.
  2. check runs a candidate on each launch and seed twice, with two patterns in what is only
     written. The original runs first, twice for each pattern. Outputs are compared as bits.
  3. Where two runs of the original differ in a tensor, an element of it may be off by SPREAD_FACTOR
     times the most that any element of it differed by, and the verdict is `close`.
  4. time uses the first launch with the first seed; SEED is that of the order of rounds. All times
     are device events around launches that were queued while the device was busy waiting.
  5. Tensors that are read and written get their contents again before each cold time and each
     group of warm launches, if they are at most RESTORED_BYTES together; otherwise never. Within
     a group of warm launches they are what the launch before made of them.
  6. profile launches each listed candidate once, in order, within cudaProfilerStart and -Stop.
  7. lean compares each candidate once, with one pattern, on the first launch and seed, and times it
     with cold caches alone. Processes that were forked before CUDA was started compile ahead into
     Triton's cache; they are idle while times are taken. A rejection that leaves the device intact
     is not the last line: the process goes on with the next candidate.
  8. Nothing is worked around: an autotuned kernel runs with the bundle's constants, not a tuner's.

Exit codes: 0, also after a rejection; 2 the command or the bundle; 4 something is missing.
"""
import math
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources

from triton_bundle import (BundleError, Missing, Rejection, die_with_parent,  # noqa: E402
                           keep_standard_output, one_line, read_bundle, say)


def import_libraries():
    """triton_runs, which imports PyTorch and Triton and does not start CUDA."""
    try:
        import triton_runs
        return triton_runs
    except ImportError as error:
        raise Missing(f"{error} (python3 is {sys.executable}); install PyTorch and Triton, or name"
                      " another Python with --python") from error


def check_gpu(runs):
    if not runs.torch.cuda.is_available():
        raise Missing("PyTorch finds no GPU")


def driver_version():
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        found = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        return found.stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown"


def say_facts(runs):
    torch, triton = runs.torch, runs.triton
    properties = torch.cuda.get_device_properties(0)
    platform = f"ROCm {torch.version.hip}" if torch.version.hip else f"CUDA {torch.version.cuda}"
    python = ".".join(map(str, sys.version_info[:3]))
    say("fact device", one_line(properties.name))
    say("fact driver", driver_version())
    say("fact runtime", f"PyTorch {torch.__version__} ({platform}), Python {python}")
    say("fact compiler", f"Triton {triton.__version__}")
    if getattr(properties, "pci_bus_id", None) is not None:
        say("fact bus", f"{getattr(properties, 'pci_domain_id', 0):04x}:{properties.pci_bus_id:02x}"
                        f":{getattr(properties, 'pci_device_id', 0):02x}.0")
    say("fact compute_units", properties.multi_processor_count)
    say("fact llc_bytes", runs.last_level_bytes())
    say("fact flush_bytes", runs.flush_bytes())


def run(runs, bundle, verb, words):
    """Says what comes of it, to the last line."""
    if verb == "device":
        say_facts(runs)
        return say("done")
    if verb == "check":
        work = runs.Check(bundle, leave_out(bundle, words))
    elif verb == "time":
        work = runs.Timing(bundle, words[1], words[2:])
    else:
        work = runs.Profile(bundle, 0, words)
    try:
        work.run()
        say("done")
    except Rejection as rejection:
        say("rejected", *work.at, rejection.kind, rejection.text)
        if rejection.kind == "fault":
            leave_now()
    except runs.torch.cuda.OutOfMemoryError as error:
        raise Missing(f"memory of the GPU: {error}") from error


def leave_out(bundle, words):
    """Takes away launches on which the original fails, and the words that name them."""
    left = {word[8:] for word in words if word.startswith("without=")}
    bundle.launches = [launch for launch in bundle.launches if launch.name not in left]
    if not bundle.launches:
        raise BundleError("no launch is left")
    return [word for word in words if not word.startswith("without=")]


def leave_now():
    """A device that has faulted may not let go of a process that cleans up."""
    sys.stderr.flush()
    os._exit(0)


def run_plan(verb, path):
    """Lean measuring and counting of many bundles. Facts first: they are what starts CUDA."""
    runs = import_libraries()
    import triton_lean
    plan = triton_lean.read_plan(path)

    def start():
        check_gpu(runs)
        say_facts(runs)

    if verb == "lean":
        through = triton_lean.measure_plan(plan, start)
    else:
        check_gpu(runs)
        through = triton_lean.count_plan(plan)
    if not through:
        leave_now()
    say("done")


def main(arguments):
    counts = {"device": 0, "check": 1, "time": 3, "profile": 1, "lean": 0, "count": 0}
    if len(arguments) < 2 or len(arguments) - 2 < counts.get(arguments[1], math.inf):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    die_with_parent()
    try:
        if arguments[1] in ("lean", "count"):
            run_plan(arguments[1], arguments[0])
            return 0
        bundle = read_bundle(arguments[0])
        runs = import_libraries()
        check_gpu(runs)
        run(runs, bundle, arguments[1], arguments[2:])
    except (BundleError, OSError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    except Missing as missing:
        say("missing", one_line(missing))
        return 4
    return 0


if __name__ == "__main__":
    keep_standard_output()
    sys.exit(main(sys.argv[1:]))
