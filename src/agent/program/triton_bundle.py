"""A bundle of Triton kernels as plain data, and the lines in which a worker speaks.

    bundle = read_bundle("DIR")     bundle.launches[0].tensors["a_ptr"].shape     [4096, 4096]
    say("checked", 1)               a line of the protocol, flushed

Rules
  1. What the format of docs/agent.md does not have is a BundleError with the line.
  2. Paths of a bundle stay in its folder.
"""
import ctypes
import dataclasses
import functools
import importlib
import os
import pathlib
import signal
import sys

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

protocol = sys.stdout


def say(*words):
    protocol.write(" ".join(str(word) for word in words) + "\n")
    protocol.flush()


def keep_standard_output():
    """Lines of the protocol get it to themselves; prints of kernel files go where errors do."""
    global protocol
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)


def one_line(text):
    """Texts of errors are long; the protocol has lines."""
    text = " ".join(str(text).split())
    return text if len(text) <= 600 else text[:450] + " ... " + text[-140:]


def die_with_parent():
    """Also where a profiler stands between this process and the agent."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass


class BundleError(Exception):
    pass


class Missing(Exception):
    pass


class Rejection(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind, self.text = kind, one_line(text)


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
    if kind not in ("int", "float", "bool", "text", "type", "none"):
        raise BundleError(f"there is no kind of constant {kind}")
    if kind == "none":
        return None
    if kind == "type":  # tl.float16
        language = importlib.import_module("triton.language")
        return functools.reduce(getattr, text.split(".")[1:], language)
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
    elif verb not in ("job", "gpu", "limit_s", "define", "mode", "counters"):
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
