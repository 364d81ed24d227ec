#!/usr/bin/env python3
"""The worker for Triton kernels: runs candidates of a bundle, says line by line what it sees.

    python3 triton_worker.py DIR device
    python3 triton_worker.py DIR check 0 1 2
    python3 triton_worker.py DIR time PHASE SEED 0 0b 1 2
    python3 triton_worker.py DIR profile 0 1 2 0 1 2

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
  7. Nothing is worked around: an autotuned kernel runs with the bundle's constants, not a tuner's.

Exit codes: 0, also after a rejection; 2 the command or the bundle; 4 something is missing.
"""
import dataclasses
import importlib.util
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

GUARD_BYTES = 2 << 20
GUARD_VALUE = 0xC3
PATTERNS = (0xA5, 0x5A)
CHUNK = 1 << 25  # elements that are compared or drawn at a time
SPREAD_FACTOR = 4
RESTORED_BYTES = 1 << 30
LEAST_FLUSH_BYTES = 64 << 20
AMD_LAST_LEVEL_BYTES = 256 << 20  # of gfx94x and gfx95x, behind their L2s
LEAST_ROUNDS = 5
WARM_GROUP_US = 200
WARM_GROUP_MOST = 50
WARM_UP_LEAST_S, WARM_UP_MOST_S = 0.25, 3.0

# Of the bundle: the tensor's type, and the type its bits are compared as.
DTYPES = {
    "bool": ("bool", "uint8"), "int8": ("int8", "int8"), "uint8": ("uint8", "uint8"),
    "int16": ("int16", "int16"), "uint16": ("uint16", "int16"),
    "int32": ("int32", "int32"), "uint32": ("uint32", "int32"),
    "int64": ("int64", "int64"), "uint64": ("uint64", "int64"),
    "fp16": ("float16", "int16"), "bf16": ("bfloat16", "int16"), "fp32": ("float32", "int32"),
    "fp64": ("float64", "int64"), "fp8e4nv": ("float8_e4m3fn", "uint8"),
    "fp8e5": ("float8_e5m2", "uint8"),
}
FAULTS = ("illegal memory access", "misaligned address", "illegal instruction", "invalid pc",
          "unspecified launch failure", "device-side assert", "invalid address space",
          "memory access fault", "hardware stack error", "illegal address")

torch = triton = None  # imported by load_libraries
protocol = sys.stdout


def say(*words):
    protocol.write(" ".join(str(word) for word in words) + "\n")
    protocol.flush()


def one_line(text):
    """Texts of errors are long; the protocol has lines."""
    text = " ".join(str(text).split())
    return text if len(text) <= 600 else text[:450] + " ... " + text[-140:]


class BundleError(Exception):
    pass


class Missing(Exception):
    pass


class Rejection(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind, self.text = kind, one_line(text)


# ---- the bundle


@dataclasses.dataclass
class Tensor:
    name: str
    dtype: str
    size: int
    use: str
    contents: list
    shape: list = None
    strides: list = None
    block: list = None

    @property
    def is_float(self):
        return self.dtype.startswith(("fp", "bf"))


@dataclasses.dataclass
class Launch:
    name: str
    grid: tuple = (1, 1, 1)
    warps: int = 0
    stages: int = 0
    tensors: dict = dataclasses.field(default_factory=dict)
    arguments: dict = dataclasses.field(default_factory=dict)  # name -> value, or a Tensor
    constants: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Bundle:
    folder: pathlib.Path
    function: str = ""
    seeds: list = dataclasses.field(default_factory=lambda: [1])
    rounds: int = 40
    budget_s: float = 120
    files: dict = dataclasses.field(default_factory=dict)  # "1" -> a path
    launches: list = dataclasses.field(default_factory=list)

    def path(self, text):
        path = (self.folder / text).resolve()
        if not path.is_relative_to(self.folder.resolve()):
            raise BundleError(f"{text} is not in the bundle")
        return path


def number(dtype, text):
    if dtype not in DTYPES:
        raise BundleError(f"there is no type {dtype}")
    if dtype == "bool":
        return text.lower() in ("true", "1")
    return float(text) if dtype.startswith(("fp", "bf")) else int(text)


def constant(kind, text):
    if kind not in ("int", "float", "bool", "text", "none"):
        raise BundleError(f"there is no kind of constant {kind}")
    if kind == "none":
        return None
    return {"int": int, "float": float, "text": str,
            "bool": lambda value: value.lower() in ("true", "1")}[kind](text)


def read_launch_statement(launch, words, line):
    verb = words[0]
    if verb == "grid":
        launch.grid = tuple(int(word) for word in words[1:4])
    elif verb in ("warps", "stages"):
        setattr(launch, verb, int(words[1]))
    elif verb == "tensor":
        name, dtype, size, use = words[1:5]
        if dtype not in DTYPES or use not in ("read", "write", "update") or len(words) < 6:
            raise BundleError(f"what is {line}?")
        launch.tensors[name] = Tensor(name, dtype, int(size), use, words[5:])
    elif verb in ("shape", "strides", "block"):
        setattr(launch.tensors[words[1]], verb, [int(word) for word in words[2:]])
    elif verb == "argument":
        if words[2] == "none":
            launch.arguments[words[1]] = None
        elif words[2] == "tensor":
            launch.arguments[words[1]] = launch.tensors[words[3]]
        else:
            launch.arguments[words[1]] = number(words[2], words[3])
    elif verb == "constexpr":
        text = line.split(" ", 3)[3] if len(words) > 3 else ""
        launch.constants[words[1]] = constant(words[2], text)
    elif verb not in ("threads", "shared_bytes"):
        raise BundleError(f"there is no statement {verb}")


def read_statement(bundle, words, line):
    verb = words[0]
    if verb == "function":
        bundle.function = line.split(" ", 1)[1]
    elif verb == "seeds":
        bundle.seeds = [int(word) for word in words[1:]]
    elif verb == "rounds":
        bundle.rounds = int(words[1])
    elif verb == "budget_s":
        bundle.budget_s = float(words[1])
    elif verb == "candidate":
        bundle.files[words[1]] = bundle.path(words[2])
    elif verb == "language":
        if words[1] != "triton":
            raise BundleError(f"the bundle's kernels are {words[1]}, this is the worker for Triton")
    elif verb not in ("job", "gpu", "limit_s", "define"):
        raise BundleError(f"there is no statement {verb}")


def read_bundle(folder):
    bundle = Bundle(pathlib.Path(folder))
    lines = (bundle.folder / "bundle.txt").read_text(encoding="utf-8").splitlines()
    if not lines or lines[0].strip() != "heddle-bundle 1":
        raise BundleError("its first line is not 'heddle-bundle 1'")
    launch = None
    for place, line in enumerate(lines[1:], 2):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "launch":
                launch = Launch(words[1])
                bundle.launches.append(launch)
            elif words[0] == "end":
                launch = None
            elif launch is not None:
                read_launch_statement(launch, words, line)
            else:
                read_statement(bundle, words, line)
        except (IndexError, KeyError, ValueError, BundleError) as error:
            raise BundleError(f"line {place}: {line}: {error}") from error
    if not bundle.launches or "0" not in bundle.files or not bundle.seeds:
        raise BundleError("it needs a launch, a seed and candidate 0")
    return bundle


# ---- memory


def scan(count, mask_of):
    """(how many, the first) of the elements that mask_of(begin, end) marks; (0, None) if none."""
    total, first = 0, None
    for begin in range(0, count, CHUNK):
        mask = mask_of(begin, min(begin + CHUNK, count))
        marked = int(mask.sum())
        if marked and first is None:
            first = begin + int(mask.to(torch.uint8).argmax())
        total += marked
    return total, first


class Slot:
    """A tensor of a launch in its buffer, between two guards."""

    def __init__(self, tensor):
        self.tensor = tensor
        name, bits = DTYPES[tensor.dtype]
        self.dtype, self.bit_dtype = getattr(torch, name), getattr(torch, bits)
        self.buffer = torch.empty(tensor.size + 2 * GUARD_BYTES, dtype=torch.uint8, device="cuda")
        self.bytes = self.buffer[GUARD_BYTES:GUARD_BYTES + tensor.size]
        self.guards = (("in front of", self.buffer[:GUARD_BYTES]),
                       ("behind", self.buffer[GUARD_BYTES + tensor.size:]))
        for _, guard in self.guards:
            guard.fill_(GUARD_VALUE)
        self.kept = None  # a copy of the contents

    def bits(self, data):
        return data.view(self.bit_dtype)

    def argument(self):
        values, tensor = self.bytes.view(self.dtype), self.tensor
        if tensor.shape is not None:
            strides = tensor.strides or contiguous(tensor.shape)
            values = values.as_strided(tensor.shape, strides)
        if tensor.block is None:
            return values
        from triton.tools.tensor_descriptor import TensorDescriptor
        return TensorDescriptor(values, list(values.shape), list(values.stride()), tensor.block)

    def poison(self, pattern):
        """The element that only holds the pattern, as bits."""
        width = self.bit_dtype.itemsize
        return int.from_bytes(bytes([pattern]) * width, "little",
                              signed=self.bit_dtype != torch.uint8)

    def value(self, data, element):
        if self.tensor.is_float:
            return format(float(data.view(self.dtype)[element].to(torch.float32).item()), ".9g")
        bits = int(self.bits(data)[element].item())
        unsigned = self.tensor.dtype.startswith("uint")
        return str(bits % (1 << (8 * self.bit_dtype.itemsize)) if unsigned else bits)

    def place(self, element):
        """"c_ptr[3, 17]"; the number of the element where no index leads to it."""
        tensor, rest = self.tensor, element
        if tensor.shape is None:
            return f"{tensor.name}[{element}]"
        strides = tensor.strides or contiguous(tensor.shape)
        index = [0] * len(strides)
        for axis in sorted(range(len(strides)), key=lambda axis: -strides[axis]):
            if strides[axis] > 0:
                index[axis] = min(rest // strides[axis], tensor.shape[axis] - 1)
                rest -= index[axis] * strides[axis]
        if rest:
            return f"element {element} of {tensor.name}, which no index leads to"
        return f"{tensor.name}[{', '.join(map(str, index))}]"

    def difference(self, found, expected, count, first):
        was, now = self.value(expected, first), self.value(found, first)
        if was == now:
            was, now = (hex(int(self.bits(data)[first].item()) % (1 << 64))
                        for data in (expected, found))
        return f"{self.place(first)}: expected {was}, found {now}; {count} elements"

    def check_guards(self):
        for side, guard in self.guards:
            count, first = scan(guard.numel(), lambda a, b: guard[a:b] != GUARD_VALUE)
            if count:
                away = first if side == "behind" else GUARD_BYTES - 1 - first
                raise Rejection("guard", f"{count} bytes {side} {self.tensor.name} were written,"
                                         f" the first of them {away} bytes away")

    def check_unchanged(self):
        now, before = self.bits(self.bytes), self.bits(self.kept)
        count, first = scan(now.numel(), lambda a, b: now[a:b] != before[a:b])
        if count:
            raise Rejection("input", self.difference(self.bytes, self.kept, count, first))


def contiguous(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


def draw(tensor, begin, end, generator):
    """Elements of a tensor with random or regular contents, as numbers."""
    kind, settings, count = tensor.contents[0], tensor.contents[1:], end - begin
    options = {"device": "cuda"}
    if kind == "zeros" or kind == "constant":
        value = float(settings[0]) if kind == "constant" else 0
        return torch.full((count,), value if tensor.is_float else int(value),
                          dtype=torch.float64 if tensor.is_float else torch.int64, **options)
    if kind == "range":
        return torch.arange(begin, end, dtype=torch.int64, **options)
    if kind == "normal":
        values = torch.randn(count, generator=generator, **options)
        return values if tensor.is_float else values.round().to(torch.int64)
    if kind not in ("random", "uniform"):
        raise BundleError(f"tensor {tensor.name}: there are no contents {kind}")
    if tensor.is_float:
        low, high = (float(word) for word in settings) if kind == "uniform" else (-1.0, 1.0)
        return torch.rand(count, generator=generator, **options) * (high - low) + low
    low, high = (int(word) for word in settings) if kind == "uniform" \
        else (0, 2 if tensor.dtype == "bool" else 10)
    return torch.randint(low, high, (count,), generator=generator, dtype=torch.int64, **options)


class Memory:
    """The tensors of a launch on the device."""

    def __init__(self, bundle, launch):
        self.bundle, self.launch = bundle, launch
        self.slots = {name: Slot(tensor) for name, tensor in launch.tensors.items()}
        self.outputs = [slot for slot in self.slots.values() if slot.tensor.use != "read"]
        self.arguments = {name: self.slots[value.name].argument() if isinstance(value, Tensor)
                          else value for name, value in launch.arguments.items()}

    def fill(self, seed):
        """The contents of this seed, in all tensors. Keeps what runs may not or must not change."""
        for place, slot in enumerate(self.slots.values()):
            slot.kept = None
            self.fill_slot(slot, seed * 1_000_003 + place)
            if slot.tensor.use != "write":
                slot.kept = slot.bytes.clone()

    def fill_slot(self, slot, seed):
        tensor = slot.tensor
        if tensor.contents[0] == "file":
            data = self.bundle.path(tensor.contents[1]).read_bytes()
            if len(data) != tensor.size:
                raise BundleError(f"tensor {tensor.name}: its file has {len(data)} bytes,"
                                  f" not {tensor.size}")
            slot.bytes.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
            return
        values = slot.bytes.view(slot.dtype if tensor.is_float else slot.bit_dtype)
        if tensor.contents[0] == "addresses":
            addresses = [self.slots[name].bytes.data_ptr() for name in tensor.contents[1:]]
            slot.bytes.fill_(0)
            values[:len(addresses)].copy_(torch.tensor(addresses, dtype=torch.int64))
            return
        generator = torch.Generator(device="cuda")
        generator.manual_seed(seed)
        for begin in range(0, values.numel(), CHUNK):
            end = min(begin + CHUNK, values.numel())
            values[begin:end].copy_(draw(tensor, begin, end, generator))

    def prepare(self, pattern):
        for slot in self.outputs:
            if slot.tensor.use == "write":
                slot.bytes.fill_(pattern)
        self.restore()

    def restore(self):
        for slot in self.outputs:
            if slot.kept is not None:
                slot.bytes.copy_(slot.kept)

    def check_surroundings(self):
        for slot in self.slots.values():
            slot.check_guards()
        for slot in self.slots.values():
            if slot.tensor.use == "read":
                slot.check_unchanged()


# ---- kernels


def failure(error):
    """The rejection that an error of a launch stands for."""
    text = f"{type(error).__name__}: {error}"
    is_fault = any(words in text.lower() for words in FAULTS)
    return Rejection("fault" if is_fault else "launch", text)


class Kernel:
    """A candidate: its file as a module of its own, its function without tuners around it."""

    def __init__(self, bundle, candidate):
        self.candidate = candidate
        path = bundle.files.get(candidate.rstrip("b"))
        if path is None:
            raise BundleError(f"there is no candidate {candidate}")
        say("compiling", candidate)
        try:
            specification = importlib.util.spec_from_file_location(f"candidate_{candidate}", path)
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
        say("compiling", self.candidate)
        try:
            self.function.warmup(grid=memory.launch.grid, **self.options(memory))
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


def reference_of(kernel, memory):
    outputs, pairs = [], []
    for pattern in PATTERNS:
        first = outputs_of(kernel, memory, pattern)
        pairs.append((first, outputs_of(kernel, memory, pattern)))
        outputs.append(first)
    spreads = []
    for place, slot in enumerate(memory.outputs):
        compared = [(one[place], two[place]) for one, two in pairs]
        if slot.tensor.use == "update":  # no pattern in it
            compared.append((outputs[0][place], outputs[1][place]))
        seen = [most for most in (spread(slot, *pair) for pair in compared) if most is not None]
        spreads.append(max(seen) if seen else None)
    return Reference(outputs, spreads)


def check_written(slot, expected, found):
    """Both patterns still there, where the original left none: the element was skipped."""
    poisons = [slot.poison(pattern) for pattern in PATTERNS]
    was, now = ([slot.bits(data) for data in runs] for runs in (expected, found))

    def skipped(begin, end):
        still = (now[0][begin:end] == poisons[0]) & (now[1][begin:end] == poisons[1])
        never = (was[0][begin:end] == poisons[0]) & (was[1][begin:end] == poisons[1])
        return still & ~never

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
        if slot.tensor.use == "write":
            check_written(slot, expected, mine)
        own = reference.spreads[place]
        tolerance = None if own is None else own * SPREAD_FACTOR
        most = max(check_equal(slot, was, now, tolerance) for was, now in zip(expected, mine))
        if own is not None:
            notes.append(f"{slot.tensor.name} differs by up to {most:.3g}, in runs of the original"
                         f" by up to {own:.3g}")
    return "; ".join(notes)


class Check:
    def __init__(self, bundle, candidates):
        self.bundle, self.candidates = bundle, candidates
        self.at = ("0", "-", "-")  # whose doing it is, on which launch, with which seed
        self.references = {}
        self.cached_bytes = 0

    def begin(self, candidate, launch, seed):
        self.at = (candidate, launch.name, seed)
        say("begin", *self.at)

    def load(self, candidate):
        self.at = (candidate, "-", "-")
        return Kernel(self.bundle, candidate)

    def compile(self, kernel, memory):
        self.at = (kernel.candidate, memory.launch.name, "-")
        kernel.compile(memory)

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

    def check_launch(self, original, kernel, launch):
        memory = Memory(self.bundle, launch)
        for one in (original, kernel):
            self.compile(one, memory)
        for seed in self.bundle.seeds:
            memory.fill(seed)
            reference = self.reference(original, memory, seed)
            self.begin(kernel.candidate, launch, seed)
            found = [outputs_of(kernel, memory, pattern) for pattern in PATTERNS]
            note = compare(memory, reference, found)
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
    properties = torch.cuda.get_device_properties(0)
    level = int(getattr(properties, "L2_cache_size", 0))
    architecture = getattr(properties, "gcnArchName", "")
    return AMD_LAST_LEVEL_BYTES if architecture.startswith(("gfx94", "gfx95")) else level


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
        self.order = random.Random(seed)
        self.launch, self.seed = bundle.launches[0], bundle.seeds[0]

    def prepare(self):
        """Every candidate compiled and run once: {candidate: a function that launches it}."""
        self.memory = Memory(self.bundle, self.launch)
        self.memory.fill(self.seed)
        launchers = {}
        for candidate in self.candidates:
            kernel = self.load(candidate)
            self.compile(kernel, self.memory)
            self.begin(candidate, self.launch, self.seed)
            kernel.run(self.memory)
            launchers[candidate] = kernel.launcher(self.memory)
        return launchers

    def restore(self):
        kept = sum(slot.tensor.size for slot in self.memory.outputs if slot.kept is not None)
        if kept <= RESTORED_BYTES:
            self.memory.restore()

    def warm_up(self, launch):
        """The median of the last times of the first candidate."""
        times, begin = [], time.monotonic()
        while True:
            times.append(self.watch.time_us(lambda: None, launch, 1))
            passed = time.monotonic() - begin
            last = statistics.median(times[-10:])
            before = statistics.median(times[-20:-10]) if len(times) >= 20 else math.inf
            stable = passed >= WARM_UP_LEAST_S and abs(last - before) <= 0.01 * before < math.inf
            if stable or passed > WARM_UP_MOST_S:
                say("warmed", len(times), "stable" if stable else "unstable")
                return last

    def sample(self, place, candidate, launch):
        def cold():
            self.restore()
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
                self.sample((turn, position), candidate, launchers[candidate])


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


# ---- the program


def load_libraries():
    global torch, triton
    try:
        import torch
        import triton
    except ImportError as error:
        raise Missing(f"{error} (python3 is {sys.executable}); install PyTorch and Triton, or name"
                      " another Python with --python") from error
    if not torch.cuda.is_available():
        raise Missing("PyTorch finds no GPU")
    if hasattr(triton, "set_allocator"):  # for descriptors that kernels make themselves
        triton.set_allocator(lambda size, alignment, stream:
                             torch.empty(size, dtype=torch.uint8, device="cuda"))


def driver_version():
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        found = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        return found.stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown"


def say_facts():
    properties = torch.cuda.get_device_properties(0)
    platform = f"ROCm {torch.version.hip}" if torch.version.hip else f"CUDA {torch.version.cuda}"
    python = ".".join(map(str, sys.version_info[:3]))
    say("fact device", one_line(properties.name))
    say("fact driver", driver_version())
    say("fact runtime", f"PyTorch {torch.__version__} ({platform}), Python {python}")
    say("fact compiler", f"Triton {triton.__version__}")
    say("fact compute_units", properties.multi_processor_count)
    say("fact llc_bytes", last_level_bytes())
    say("fact flush_bytes", flush_bytes())


def run(bundle, verb, words):
    """True if it is all through."""
    work = None
    if verb == "check":
        work = Check(bundle, words)
    elif verb == "time":
        work = Timing(bundle, int(words[1]), words[2:])
    elif verb == "profile":
        work = Profile(bundle, 0, words)
    try:
        work.run() if work else say_facts()
    except Rejection as rejection:
        say("rejected", *work.at, rejection.kind, rejection.text)
        return False
    return True


def main(arguments):
    counts = {"device": 0, "check": 1, "time": 3, "profile": 1}
    if len(arguments) < 2 or len(arguments) - 2 < counts.get(arguments[1], math.inf):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        bundle = read_bundle(arguments[0])
        load_libraries()
        if run(bundle, arguments[1], arguments[2:]):
            say("done")
    except (BundleError, OSError, ValueError) as error:
        print(f"{arguments[0]}/bundle.txt: {error}", file=sys.stderr)
        return 2
    except Missing as missing:
        say("missing", one_line(missing))
        return 4
    except torch.cuda.OutOfMemoryError as error:
        say("missing", "memory of the GPU:", one_line(error))
        return 4
    return 0


def keep_standard_output():
    """Lines of the protocol get it to themselves; prints of kernel files go where errors do."""
    global protocol
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)


if __name__ == "__main__":
    keep_standard_output()
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # a device that has faulted may not let go otherwise
