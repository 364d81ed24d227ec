"""Many bundles in one process: what lean measuring and counting do. Rules are in triton_worker.py.

A plan is a text file with a line for each bundle: its number, its candidates, its folder.

    3 0,1,2,5 sweep/004-gemm
"""
import gc
import math
import multiprocessing
import os
import pathlib
import random
import sys
import time

import torch
import triton

import triton_bundle
from triton_bundle import BundleError, Rejection, one_line, read_bundle, say
from triton_memory import Memory, descriptor
from triton_runs import (LEAST_ROUNDS, PATTERNS, Kernel, Stopwatch, Timing, compare, failure,
                         flush_bytes, outputs_of, reference_of, scratch, sizes_of)

PATTERN = PATTERNS[:1]
SPOILING = ("fault", "guard", "input")  # the process is not used after one of these
WARM_UP_S = (0.1, 1.0)
NARROW = 0.01  # of the interval of each median
CONFIDENCE = 0.95
AHEAD = 96  # candidates that are compiled before the next bundles are timed
MOST_PROCESSES = 16
PATIENCE_S = 45  # for a compilation ahead; then the timing process does it itself


def read_plan(path):
    """[(number, candidates, folder)]"""
    plan = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        number, candidates, folder = line.split(" ", 2)
        plan.append((int(number), candidates.split(","), folder))
    return plan


# ---- compiling ahead


class StandIn:
    """As much of Memory as a compiler looks at: types and alignment, and no contents."""

    def __init__(self, launch):
        self.launch = launch
        self.arguments = {name: self.tensor(value) if isinstance(value, triton_bundle.Tensor)
                          else value for name, value in launch.arguments.items()}

    @staticmethod
    def tensor(tensor):
        dtype = getattr(torch, triton_bundle.DTYPES[tensor.dtype][0])
        values = torch.empty(256, dtype=torch.uint8, device="cuda").view(dtype)
        return values if tensor.block is None else descriptor(values, tensor)


def fall_silent():
    """In a process that compiles: what it says is of no interest, and it ends with its parent."""
    triton_bundle.protocol = open(os.devnull, "w", encoding="utf-8")
    triton_bundle.die_with_parent()
    if hasattr(triton, "set_allocator"):
        triton.set_allocator(scratch)


def compile_ahead(job):
    """Fills Triton's cache. What fails here fails again where it is told of."""
    folder, candidate = job
    try:
        bundle = read_bundle(folder)
        sizes_of(Kernel(bundle, candidate).compile(StandIn(bundle.launches[0])))
        return ""
    except Exception as error:  # whatever it is
        return one_line(f"{folder} candidate {candidate}: {error}")


class Compilers:
    """Processes that compile. They are forked before this one starts CUDA."""

    def __init__(self, processes):
        count = min(MOST_PROCESSES, len(os.sched_getaffinity(0)), processes)
        try:
            self.pool = multiprocessing.get_context("fork").Pool(count, fall_silent)
        except (OSError, ImportError) as error:  # no semaphores, or no processes
            print(f"ahead: nothing is compiled ahead: {error}", file=sys.stderr)
            self.pool = None

    def run(self, jobs):
        """Waits for all of them: nothing is compiled while something is timed."""
        if self.pool is None:
            return
        begin = last = time.monotonic()
        waiting = [self.pool.apply_async(compile_ahead, (job,)) for job in jobs]
        while waiting and time.monotonic() - last < PATIENCE_S:
            time.sleep(0.02)
            ended = [one for one in waiting if one.ready()]
            if ended:
                last = time.monotonic()
                say("busy")
                waiting = [one for one in waiting if not one.ready()]
            for one in ended:
                if one.get():
                    print("ahead:", one.get(), file=sys.stderr)
        if waiting:
            print(f"ahead: {len(waiting)} did not end", file=sys.stderr)
            self.pool.terminate()
            self.pool = None  # CUDA has started here: no more can be forked
        print(f"compiled {len(jobs)} candidates ahead in {time.monotonic() - begin:.1f} s",
              file=sys.stderr)


def portions(plan):
    """Bundles that are compiled together."""
    portion, count = [], 0
    for entry in plan:
        portion.append(entry)
        count += len(entry[1])
        if count >= AHEAD:
            yield portion
            portion, count = [], 0
    if portion:
        yield portion


# ---- time


def interval(times):
    """The least and the most that the median may be, by order statistics."""
    times, cut = sorted(times), 0
    outside = 2.0 ** -len(times)  # of one end
    while 2 * (cut + 1) < len(times):
        more = outside + math.comb(len(times), cut + 1) * 2.0 ** -len(times)
        if 1 - 2 * more < CONFIDENCE:
            break
        outside, cut = more, cut + 1
    return times[cut], times[-1 - cut]


def is_narrow(times):
    low, high = interval(times)
    return high - low <= NARROW * low


class Lean(Timing):
    """One bundle: every candidate is compared once, then timed with cold caches."""

    def __init__(self, bundle, candidates, watch, flush):
        super().__init__(bundle, 1, [name for name in candidates if name != "0"])
        self.order = random.Random(1)
        self.watch, self.flush = watch, flush

    def check(self, candidate):
        kernel = self.load(candidate)
        self.compile(kernel, self.memory)
        if candidate == "0":
            self.original = kernel
            self.begin("0", self.launch, self.seed)
            self.expected = reference_of(kernel, self.memory, PATTERN)
            note = compare(self.memory, self.expected, self.expected.outputs)
        else:
            self.begin(candidate, self.launch, self.seed)
            found = [outputs_of(kernel, self.memory, pattern) for pattern in PATTERN]
            note = self.compare(self.original, self.memory, self.expected, found)
        say("close" if note else "equal", *self.at, *([note] if note else []))
        say("checked", candidate)
        return kernel.launcher(self.memory)

    def check_all(self):
        """{candidate: a function that launches it} of those that passed."""
        launchers = {"0": self.check("0")}
        for candidate in self.candidates:
            try:
                launchers[candidate] = self.check(candidate)
            except Rejection as rejection:
                if rejection.kind in SPOILING:
                    raise
                say("rejected", *self.at, rejection.kind, rejection.text)
                self.look_at_device(rejection)
        return launchers

    def look_at_device(self, rejection):
        """After an error that need not be the device's end."""
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            raise Rejection("fault", rejection.text) from error

    def cold_us(self, turn, launch):
        def cold():
            self.restore()
            self.poison()
            self.flush.fill_(turn % 256)

        try:
            return self.watch.time_us(cold, launch, 1)
        except RuntimeError as error:
            raise failure(error) from error

    def run(self):
        self.memory = Memory(self.bundle, self.launch)
        self.memory.fill(self.seed)
        launchers = self.check_all()
        self.begin("0", self.launch, self.seed)
        self.warm_up(launchers["0"], WARM_UP_S)
        launchers["0b"] = launchers["0"]
        times, begin = {name: [] for name in launchers}, time.monotonic()
        for turn in range(1, self.bundle.rounds + 1):
            if turn > LEAST_ROUNDS and (time.monotonic() - begin > self.bundle.budget_s
                                        or all(map(is_narrow, times.values()))):
                break
            order = list(launchers)
            self.order.shuffle(order)
            for position, candidate in enumerate(order, 1):
                self.begin(candidate, self.launch, self.seed)
                times[candidate].append(self.cold_us(turn, launchers[candidate]))
                say("sample", turn, position, candidate, "cold", 1, f"{times[candidate][-1]:.4f}")


def release():
    gc.collect()
    torch.cuda.empty_cache()


def measure_one(folder, candidates, watch, flush):
    """Whether the process can go on."""
    lean = None
    try:
        lean = Lean(read_bundle(folder), candidates, watch, flush)
        lean.run()
    except Rejection as rejection:
        say("rejected", *lean.at, rejection.kind, rejection.text)
        return rejection.kind not in SPOILING
    except torch.cuda.OutOfMemoryError as error:
        say("rejected 0 - - launch", one_line(f"memory of the GPU: {error}"))
    except (BundleError, OSError) as error:
        say("rejected 0 - - compile", one_line(error))
    else:
        say("finished")
    return True


def measure_plan(plan, start):
    """`start` is called after the fork; it says facts. Whether the plan is through."""
    compilers = Compilers(sum(len(candidates) for _, candidates, _ in plan))
    start()
    watch = Stopwatch()
    flush = torch.empty(flush_bytes(), dtype=torch.uint8, device="cuda")
    for portion in portions(plan):
        compilers.run([(folder, name) for _, names, folder in portion for name in names])
        for number, candidates, folder in portion:
            say("bundle", number)
            if not measure_one(folder, candidates, watch, flush):
                return False
            release()
    return True


# ---- counters


def count_one(number, folder, candidates):
    bundle = read_bundle(folder)
    work = Timing(bundle, 1, candidates)
    work.memory = Memory(bundle, work.launch)
    work.memory.fill(work.seed)
    for candidate in candidates:
        try:
            kernel = work.load(candidate)
            work.compile(kernel, work.memory)
            work.memory.restore()
            torch.cuda.synchronize()
            work.begin(candidate, work.launch, work.seed)
            kernel.run(work.memory)
            say("launched", number, candidate)
        except Rejection as rejection:
            say("rejected", *work.at, rejection.kind, rejection.text)
            if rejection.kind == "fault":
                return False
    return True


def count_plan(plan):
    for number, candidates, folder in plan:
        say("bundle", number)
        try:
            if not count_one(number, folder, candidates):
                return False
        except (BundleError, OSError, torch.cuda.OutOfMemoryError) as error:
            print(f"{folder}: {one_line(error)}", file=sys.stderr)
        release()
    return True
