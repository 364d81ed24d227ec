"""What a worker does with candidates: check, time, profile. The rules are in triton_worker.py."""
import dataclasses
import functools
import importlib.util
import math
import operator
import random
import re
import statistics
import sys
import time

import torch
import triton

from triton_bundle import BundleError, Rejection, say
from triton_memory import CHUNK, Memory, scan

PATTERNS = (0xA5, 0x5A)
SPREAD_FACTOR = 8
MORE_RUNS = 6  # of the original, before anything is called different
RESTORED_BYTES = 1 << 30
LEAST_FLUSH_BYTES = 64 << 20
AMD_LAST_LEVEL_BYTES = 256 << 20  # the largest there is; nothing says what lies behind the L2
LEAST_ROUNDS = 7
LOOKS = 3  # of each candidate at its outputs, about, in all rounds of timing
WARM_GROUP_US = 200
WARM_GROUP_MOST = 50
WARM_UP_LEAST_S, WARM_UP_MOST_S = 0.25, 3.0

FAULTS = ("illegal memory access", "misaligned address", "illegal instruction", "invalid pc",
          "unspecified launch failure", "device-side assert", "invalid address space",
          "memory access fault", "hardware stack error", "illegal address")


def failure(error):
    """The rejection that an error of a launch stands for."""
    first_line = (str(error).splitlines() or ["no reason given"])[0]
    text = f"{type(error).__name__}: {first_line}"
    is_fault = any(words in str(error).lower() for words in FAULTS)
    return Rejection("fault" if is_fault else "launch", text)


def scratch(size, alignment, stream):
    """Memory for descriptors that kernels make themselves."""
    return torch.empty(size, dtype=torch.uint8, device="cuda")


def sizes_of(compiled):
    """Registers of a thread, bytes of shared memory, spilled registers; "-" for what is unknown."""
    try:
        compiled._init_handles()  # loads the code; before that, Triton knows of no registers
    except Exception:  # another version, or too much shared memory: the launch tells
        pass
    shared = getattr(getattr(compiled, "metadata", None), "shared", None)
    found = (getattr(compiled, "n_regs", None), shared, getattr(compiled, "n_spills", None))
    return [value if isinstance(value, int) and value >= 0 else "-" for value in found]


class Kernel:
    """A candidate: its file as a module of its own, its function without tuners around it."""

    def __init__(self, bundle, candidate):
        self.candidate = candidate
        path = bundle.files.get(candidate.rstrip("b"))
        if path is None:
            raise BundleError(f"there is no candidate {candidate}")
        say("compiling", candidate)
        try:
            name = re.sub(r"\W", "_", f"candidate_{candidate}_{bundle.folder.name}")
            specification = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(specification)
            sys.modules[specification.name] = module
            specification.loader.exec_module(module)
            self.function = getattr(module, bundle.function)
            while not isinstance(self.function, triton.runtime.JITFunction):
                self.function = self.function.fn
        except Exception as error:  # the file may raise anything
            raise Rejection("compile", f"{type(error).__name__}: {error}") from error

    def options(self, memory):
        launch = memory.launch
        options = {**memory.arguments, **launch.constants}
        options |= {"num_warps": launch.warps} if launch.warps else {}
        return options | ({"num_stages": launch.stages} if launch.stages else {})

    def compile(self, memory):
        """What Triton made of it; nothing where it does not say."""
        say("compiling", self.candidate)
        try:
            return self.function.warmup(grid=memory.launch.grid, **self.options(memory))
        except Exception as error:
            raise Rejection("compile", f"{type(error).__name__}: {error}") from error

    def launcher(self, memory):
        """A function that queues one launch."""
        bound, options = self.function[memory.launch.grid], self.options(memory)
        return lambda: bound(**options)

    def run(self, memory):
        try:
            self.launcher(memory)()
            torch.cuda.synchronize()
        except Exception as error:
            raise failure(error) from error


# ---- check


@dataclasses.dataclass
class Reference:
    """What the original wrote, for each pattern; how far it was from itself, for each output."""
    outputs: list
    spreads: list
    widened: bool = False  # whether it ran some more times to find out


def outputs_of(kernel, memory, pattern):
    memory.prepare(pattern)
    kernel.run(memory)
    memory.check_surroundings()
    return [slot.bytes.clone() for slot in memory.outputs]


def numbers(slot, data, begin, end):
    values = data.view(slot.dtype) if slot.tensor.is_float else slot.bits(data)
    return values[begin:end].to(torch.float64)


def spread(slot, one, other):
    """The most that an element differs by; None if no bit does."""
    first, second = slot.bits(one), slot.bits(other)
    if not scan(first.numel(), lambda a, b: first[a:b] != second[a:b])[0]:
        return None
    most = 0.0
    for begin in range(0, first.numel(), CHUNK):
        end = min(begin + CHUNK, first.numel())
        distance = (numbers(slot, one, begin, end) - numbers(slot, other, begin, end)).abs()
        finite = distance[torch.isfinite(distance)]
        most = max(most, float(finite.max()) if finite.numel() else 0.0)
    return most


def reference_of(kernel, memory, patterns=PATTERNS):
    outputs, pairs = [], []
    for pattern in patterns:
        first = outputs_of(kernel, memory, pattern)
        pairs.append((first, outputs_of(kernel, memory, pattern)))
        outputs.append(first)
    spreads = []
    for place, slot in enumerate(memory.outputs):
        compared = [(one[place], two[place]) for one, two in pairs]
        if slot.tensor.use == "update":  # no pattern in it
            compared.append((outputs[0][place], outputs[-1][place]))
        seen = [most for most in (spread(slot, *pair) for pair in compared) if most is not None]
        spreads.append(max(seen) if seen else None)
    return Reference(outputs, spreads)


def widen(reference, kernel, memory):
    """Runs the original again: sums in another order may have agreed by chance."""
    for _ in range(MORE_RUNS):
        again = outputs_of(kernel, memory, PATTERNS[0])
        for place, slot in enumerate(memory.outputs):
            most = spread(slot, reference.outputs[0][place], again[place])
            if most is not None:
                reference.spreads[place] = max(most, reference.spreads[place] or 0.0)
    reference.widened = True


def check_written(slot, expected, found):
    """All patterns still there, where the original left none: the element was skipped."""
    poisons = [slot.poison(pattern) for pattern in PATTERNS]
    was, now = ([slot.bits(data) for data in runs] for runs in (expected, found))

    def holds(runs, begin, end):
        marks = [run[begin:end] == poison for run, poison in zip(runs, poisons)]
        return functools.reduce(operator.and_, marks)

    def skipped(begin, end):
        return holds(now, begin, end) & ~holds(was, begin, end)

    count, first = scan(now[0].numel(), skipped)
    if count:
        raise Rejection("unwritten", f"{slot.place(first)}: expected"
                                     f" {slot.value(expected[0], first)}, found nothing written;"
                                     f" {count} elements")


def check_equal(slot, expected, found, tolerance):
    """The most that elements differ by; 0.0 where all bits agree."""
    was, now = slot.bits(expected), slot.bits(found)

    def differs(begin, end):
        unequal = now[begin:end] != was[begin:end]
        if tolerance is None:
            return unequal
        one, other = numbers(slot, found, begin, end), numbers(slot, expected, begin, end)
        both_nan = torch.isnan(one) & torch.isnan(other)
        return unequal & ~((one - other).abs() <= tolerance) & ~both_nan

    count, first = scan(now.numel(), differs)
    if count:
        text = slot.difference(found, expected, count, first)
        if tolerance is not None:
            text += f" beyond {tolerance:.3g}, {SPREAD_FACTOR} times the original's own difference"
        raise Rejection("different", text)
    return 0.0 if tolerance is None else spread(slot, found, expected) or 0.0


def compare(memory, reference, found):
    """Empty if all bits agree; how far it is off where the original is not one of a kind either."""
    notes = []
    for place, slot in enumerate(memory.outputs):
        expected = [outputs[place] for outputs in reference.outputs]
        mine = [outputs[place] for outputs in found]
        own = reference.spreads[place]
        # Where the original differs from run to run, one pattern may be a value by chance.
        if slot.tensor.use == "write" and (own is None or len(mine) > 1):
            check_written(slot, expected, mine)
        tolerance = None if own is None else own * SPREAD_FACTOR
        most = max(check_equal(slot, was, now, tolerance) for was, now in zip(expected, mine))
        if own is not None:
            notes.append(f"{slot.tensor.name} differs by up to {most:.3g}, in runs of the original"
                         f" by up to {own:.3g}")
    return "; ".join(notes)


class Check:
    def __init__(self, bundle, candidates):
        if hasattr(triton, "set_allocator"):
            triton.set_allocator(scratch)
        self.bundle, self.candidates = bundle, candidates
        self.at = ("0", "-", "-")  # whose doing it is, on which launch, with which seed
        self.references = {}
        self.cached_bytes = 0
        self.sized = set()

    def begin(self, candidate, launch, seed):
        self.at = (candidate, launch.name, seed)
        say("begin", *self.at)

    def load(self, candidate):
        self.at = (candidate, "-", "-")
        return Kernel(self.bundle, candidate)

    def compile(self, kernel, memory):
        self.at = (kernel.candidate, memory.launch.name, "-")
        compiled, name = kernel.compile(memory), kernel.candidate.rstrip("b")
        if memory.launch is self.bundle.launches[0] and name not in self.sized:
            self.sized.add(name)
            say("compiled", name, *sizes_of(compiled))

    def reference(self, original, memory, seed):
        key = (memory.launch.name, seed)
        if key in self.references:
            return self.references[key]
        self.begin("0", memory.launch, seed)
        reference = reference_of(original, memory)
        size = sum(data.numel() for run in reference.outputs for data in run)
        if self.cached_bytes + size <= torch.cuda.mem_get_info()[0] // 4:
            self.references[key] = reference
            self.cached_bytes += size
        return reference

    def compare(self, original, memory, reference, found):
        try:
            return compare(memory, reference, found)
        except Rejection as rejection:
            if rejection.kind != "different" or reference.widened:
                raise
        blamed = self.at
        self.begin("0", memory.launch, blamed[2])
        widen(reference, original, memory)
        self.at = blamed
        say("begin", *self.at)
        return compare(memory, reference, found)

    def check_launch(self, original, kernel, launch):
        memory = Memory(self.bundle, launch)
        for one in (original, kernel):
            self.compile(one, memory)
        for seed in self.bundle.seeds:
            memory.fill(seed)
            reference = self.reference(original, memory, seed)
            self.begin(kernel.candidate, launch, seed)
            found = [outputs_of(kernel, memory, pattern) for pattern in PATTERNS]
            note = self.compare(original, memory, reference, found)
            say("close" if note else "equal", *self.at, *([note] if note else []))

    def run(self):
        original = self.load("0")
        for candidate in self.candidates:
            kernel = self.load(candidate)
            for launch in self.bundle.launches:
                self.check_launch(original, kernel, launch)
            say("checked", candidate)


# ---- time


def last_level_bytes():
    level = int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0))
    return max(level, AMD_LAST_LEVEL_BYTES) if torch.version.hip else level


def flush_bytes():
    return max(2 * last_level_bytes(), LEAST_FLUSH_BYTES)


class Stopwatch:
    """Times of launches that were all queued before the first of them could start."""

    def __init__(self):
        self.start = torch.cuda.Event(enable_timing=True)
        self.stop = torch.cuda.Event(enable_timing=True)
        self.wait_us = 300.0
        self.cycles_per_us = 1000.0
        torch.cuda._sleep(100_000)
        cycles = 2_000_000
        self.cycles_per_us = cycles / max(self.elapsed_us(lambda: torch.cuda._sleep(cycles)), 1.0)

    def elapsed_us(self, queue):
        self.start.record()
        queue()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop) * 1000

    def time_us(self, prepare, launch, count):
        """Of one of `count` launches; taken again if queuing them took longer than the wait."""
        for _ in range(6):
            prepare()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            torch.cuda._sleep(int(self.wait_us * self.cycles_per_us))
            self.start.record()
            for _ in range(count):
                launch()
            self.stop.record()
            queued_us = (time.perf_counter() - begin) * 1e6
            self.stop.synchronize()
            if queued_us < 0.8 * self.wait_us:
                break
            self.wait_us = min(2 * queued_us, 1e6)
        return self.start.elapsed_time(self.stop) * 1000 / count


class Timing(Check):
    def __init__(self, bundle, seed, candidates):
        super().__init__(bundle, candidates)
        self.order = random.Random(int(seed))
        self.secret = random.SystemRandom()
        self.launch, self.seed = bundle.launches[0], bundle.seeds[0]

    def prepare(self):
        """Every candidate compiled and run once: {candidate: a function that launches it}."""
        self.memory = Memory(self.bundle, self.launch)
        self.memory.fill(self.seed)
        launchers = {}
        self.original = self.load("0")
        self.compile(self.original, self.memory)
        self.expected = self.reference(self.original, self.memory, self.seed)
        for candidate in self.candidates:
            kernel = self.load(candidate)
            self.compile(kernel, self.memory)
            self.begin(candidate, self.launch, self.seed)
            kernel.run(self.memory)
            launchers[candidate] = kernel.launcher(self.memory)
        return launchers

    def restores(self):
        kept = sum(slot.tensor.size for slot in self.memory.outputs if slot.kept is not None)
        return kept <= RESTORED_BYTES

    def restore(self):
        if self.restores():
            self.memory.restore()

    def poison(self):
        for slot in self.memory.outputs:
            if slot.tensor.use == "write":
                slot.bytes.fill_(PATTERNS[0])

    def look(self):
        """Outputs, guards and inputs after a launch that was timed."""
        self.memory.check_surroundings()
        found = [slot.bytes.clone() for slot in self.memory.outputs]
        try:
            self.compare_timed(found)
        except Rejection:
            if self.expected.widened:
                raise
            blamed = self.at
            self.begin("0", self.launch, self.seed)
            widen(self.expected, self.original, self.memory)
            self.at = blamed
            say("begin", *self.at)
            self.compare_timed(found)

    def compare_timed(self, found):
        for place, slot in enumerate(self.memory.outputs):
            if slot.tensor.use == "update" and not self.restores():
                continue
            own = self.expected.spreads[place]
            tolerance = None if own is None else own * SPREAD_FACTOR
            try:
                check_equal(slot, self.expected.outputs[0][place], found[place], tolerance)
            except Rejection as rejection:
                raise Rejection(rejection.kind, "after a launch that was timed: "
                                + rejection.text) from rejection

    def warm_up(self, launch, limits_s=None):
        """The median of the last times of the first candidate."""
        least_s, most_s = limits_s or (WARM_UP_LEAST_S, WARM_UP_MOST_S)
        times, begin = [], time.monotonic()
        while True:
            times.append(self.watch.time_us(lambda: None, launch, 1))
            passed = time.monotonic() - begin
            last = statistics.median(times[-10:])
            before = statistics.median(times[-20:-10]) if len(times) >= 20 else math.inf
            stable = passed >= least_s and abs(last - before) <= 0.01 * before < math.inf
            if stable or passed > most_s:
                say("warmed", len(times), "stable" if stable else "unstable")
                return last

    def sample(self, place, candidate, launch):
        def cold():
            self.restore()
            self.poison()
            self.flush.fill_(place[0] % 256)

        def warm():
            self.restore()
            launch()

        self.begin(candidate, self.launch, self.seed)
        for cache, prepare, count in (("cold", cold, 1), ("warm", warm, self.warm_count)):
            try:
                time_us = self.watch.time_us(prepare, launch, count)
            except RuntimeError as error:
                raise failure(error) from error
            say("sample", *place, candidate, cache, count, f"{time_us:.4f}")
            # Which launches are looked at, no candidate can know.
            if cache == "cold" and self.secret.random() * self.bundle.rounds < LOOKS:
                self.look()

    def look_once_more(self, candidate, launch):
        self.begin(candidate, self.launch, self.seed)
        self.restore()
        self.poison()
        try:
            launch()
            torch.cuda.synchronize()
        except RuntimeError as error:
            raise failure(error) from error
        self.look()

    def run(self):
        self.watch = Stopwatch()
        self.flush = torch.empty(flush_bytes(), dtype=torch.uint8, device="cuda")
        launchers = self.prepare()
        usual_us = self.warm_up(launchers[self.candidates[0]])
        self.warm_count = min(max(math.ceil(WARM_GROUP_US / max(usual_us, 1e-3)), 1),
                              WARM_GROUP_MOST)
        begin = time.monotonic()
        for turn in range(max(self.bundle.rounds, LEAST_ROUNDS)):
            if turn >= LEAST_ROUNDS and time.monotonic() - begin > self.bundle.budget_s:
                break
            order = list(self.candidates)
            self.order.shuffle(order)
            for position, candidate in enumerate(order):
                self.sample((turn + 1, position + 1), candidate, launchers[candidate])
        for candidate in self.candidates:
            self.look_once_more(candidate, launchers[candidate])


class Profile(Timing):
    def run(self):
        self.memory = Memory(self.bundle, self.launch)
        self.memory.fill(self.seed)
        kernels = {}
        for candidate in dict.fromkeys(self.candidates):
            kernels[candidate] = self.load(candidate)
            self.compile(kernels[candidate], self.memory)
        for candidate in self.candidates:
            self.restore()
            torch.cuda.synchronize()
            self.begin(candidate, self.launch, self.seed)
            tell_profiler("start")
            kernels[candidate].run(self.memory)
            tell_profiler("stop")


def tell_profiler(what):
    try:
        getattr(torch.cuda.profiler, what)()
    except Exception:  # there is none, and none is needed
        pass
