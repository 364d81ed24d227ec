"""Writes launches of Triton kernels as job files, from within the program that makes them.

heddle capture puts the folder of this file in front of PYTHONPATH, so that Python loads it first,
before the program. It also works alone:

    PYTHONPATH=FOLDER_OF_THIS_FILE HEDDLE_CAPTURE=OUT python3 train.py

    OUT/matmul_kernel.toml        a job: one launch, with all that the kernel can see of it
    OUT/matmul_kernel-2.toml      the same kernel with another signature
    OUT/sources/1f0c.../mm.py     a copy of the kernel's file, and of files with its helpers
    OUT/contents/93ab....npy      integers that the kernel was given
    OUT/notes.txt                 what was not captured, and why

Rules
  1. A signature is what a kernel can see: its source, the types of its arguments, integers,
     constexprs, options, and the grid. Floating-point values, shapes, addresses, contents are those
     of the first such launch. A grid that is a function is only called where something else is new.
  2. The program runs as before: a launch is a call of the original function, and no exception of
     these files reaches the program. The launches of an autotuner that compares configs are not
     captured.
  3. A job is written before its launch; counts and times are added later.
  4. Nothing waits for the GPU but the copy of integers, which is not made while a CUDA graph is
     captured. Times are those of the first launches, between two events.
"""
import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import operator
import os
import sys

IS_ON = bool(os.environ.get("HEDDLE_CAPTURE"))
LIMIT = int(os.environ.get("HEDDLE_CAPTURE_LIMIT") or 16)  # jobs of a kernel
PATTERN = os.environ.get("HEDDLE_CAPTURE_KERNEL") or "*"
TIMED = 4           # launches of a job that are timed
SETTLED = 16        # the launch at which the job is written again with its times
MOST_KEYS = 10_000  # of a kernel
MOST_FAILURES = 3   # of a kernel
SLEEP_CYCLES = 200_000  # the GPU is busy until the launch is queued

jobs = []
paused = 0  # an autotuner compares configs
owner = os.getpid()

# ---- watching


def nothing(values):
    return ()


def getter(plain, tensors):
    """Takes these positions or names from arguments; of tensors, what Triton tells apart."""
    take = operator.itemgetter(*plain) if plain else nothing
    if not tensors:
        return take
    return lambda values: (take(values), tuple(
        (str(values[at].dtype), values[at].data_ptr() % 16) for at in tensors))


def is_told_apart(value):
    return not (is_tensor(value) or is_descriptor(value)
                or isinstance(value, (float, list, tuple, dict)))


def seen_of(value):
    """What a kernel can see of an argument, but for its address or its floating-point value."""
    if is_descriptor(value):
        return ("descriptor", seen_of(value.base), tuple(value.shape), tuple(value.strides),
                tuple(value.block_shape))
    if is_tensor(value):
        return "tensor", str(value.dtype), value.data_ptr() % 16
    if isinstance(value, float):
        return "float"
    if isinstance(value, (list, tuple)):
        return tuple(seen_of(one) for one in value)
    return type(value).__name__, value if isinstance(value, (int, str)) else repr(value)


class Watch:
    """What is known of one kernel. `seen` leads from what is quickly looked at to an entry,
    which is [launches, job]."""

    def __init__(self, name):
        import fnmatch
        self.name = name
        self.is_wanted = fnmatch.fnmatchcase(name, PATTERN)
        self.seen, self.entries, self.failed = {}, {}, set()
        self.positions = self.names = nothing
        self.is_careful = False  # the same numbers come with other types
        self.compiled = self.checked = 0  # kernels by Triton, in all and when last looked at

    def __reduce__(self):  # kernels travel between processes
        return (type(None), ())

    def key(self, args, kwargs, where):
        return len(args), self.positions(args), len(kwargs), self.names(kwargs), where

    def seen_entry(self, args, kwargs, where):
        try:
            return self.seen.get(self.key(args, kwargs, where))
        except (LookupError, TypeError):
            return None

    def learn(self, args, kwargs):
        """How to take from arguments what makes a signature."""
        careful = self.is_careful
        self.positions = getter([at for at, value in enumerate(args) if is_told_apart(value)],
                                [at for at, value in enumerate(args) if is_tensor(value)] * careful)
        self.names = getter([name for name in sorted(kwargs) if is_told_apart(kwargs[name])],
                            [name for name in sorted(kwargs) if is_tensor(kwargs[name])] * careful)

    def begin(self, args, kwargs, where, describe):
        """The entry of a launch that is not among the known ones; None where it is not captured."""
        try:
            signature = (tuple(map(seen_of, args)), where,
                         tuple((name, seen_of(kwargs[name])) for name in sorted(kwargs)))
            entry = self.entries.get(signature)
            if signature in self.failed:
                return None
            if entry is None:
                if len(self.entries) >= LIMIT:
                    note(f"{self.name}: more than {LIMIT} signatures; --limit N captures more")
                    return None
                self.failed.add(signature)
                entry = self.entry_of(describe())
                self.failed.discard(signature)
                self.entries[signature] = entry
            self.remember(args, kwargs, where, entry)
            return entry
        except Exception as error:
            kind = "" if isinstance(error, Unsupported) else type(error).__name__ + ": "
            note(f"{self.name} was not captured: {kind}{error}")
            self.is_wanted = len(self.failed) < MOST_FAILURES and not isinstance(error, Unsupported)
            return None

    def entry_of(self, job):
        if job.entry is None:
            job.entry = [0, job]
            jobs.append(job)
        return job.entry

    def remember(self, args, kwargs, where, entry):
        if len(self.seen) >= MOST_KEYS:
            self.seen.clear()
        self.learn(args, kwargs)
        if self.seen.get(self.key(args, kwargs, where), entry) is not entry:
            self.is_careful = True
            self.seen.clear()
            self.learn(args, kwargs)
        self.seen[self.key(args, kwargs, where)] = entry


def watch_of(kernel, name):
    watch = kernel.__dict__.get("_heddle_watch")
    if watch is None:
        watch = kernel.__dict__["_heddle_watch"] = Watch(name)
    return watch


def timed(job, call):
    """Calls it, between two events where there are any."""
    events = None
    try:
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available() and not is_capturing():
            events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            torch.cuda._sleep(SLEEP_CYCLES)
            events[0].record()
    except Exception:
        events = None
    result = call()
    try:
        if events:
            events[1].record()
            job.pending.append(tuple(events))
    except Exception:
        pass
    return result


def follow(entry, call):
    """A launch that is among the first of its job."""
    entry[0] += 1
    if entry[0] == SETTLED:
        try:
            entry[1].save()
        except OSError:
            pass
    return timed(entry[1], call) if entry[0] <= TIMED else call()


# ---- Triton


def bound_arguments(function, args, kwargs):
    names = list(function.arg_names)
    values = {**dict(zip(names, args)), **{name: kwargs[name] for name in names if name in kwargs}}
    for parameter in function.params:
        if parameter.name not in values and parameter.has_default:
            values[parameter.name] = parameter.default
    return {name: values[name] for name in names if name in values}


def compile_ahead(run, function, grid, args, kwargs):
    """The compiled kernel, loaded, so that its first launch can be timed; None where it is not."""
    if getattr(function, "pre_run_hooks", None):
        return None
    kernel = run(function, *args, grid=grid, warmup=True, **kwargs)
    kernel = kernel.result() if hasattr(kernel, "result") else kernel
    if hasattr(kernel, "_init_handles"):
        kernel._init_handles()
    return kernel


def describe(function, kernel, grid, values, options):
    """The job of a launch with these values of parameters; `kernel` is what Triton made of it."""
    if getattr(function, "is_gluon", bool)():
        raise Unsupported("it is a Gluon kernel")
    files = source_files(function)
    described = Description(function.__name__)
    for parameter in function.params:
        if parameter.name in values:
            described.add(parameter.name, values[parameter.name], parameter.is_constexpr)
    for name, value in global_values(function, next(iter(files.values()))).items():
        if name not in values:
            described.add(name, value, True)
    data = getattr(kernel, "metadata", None)
    launch = launch_values(getattr(data, "num_warps", options.get("num_warps")),
                           getattr(data, "num_stages", options.get("num_stages")),
                           getattr(kernel, "n_regs", None), getattr(data, "shared", None))
    code = function.fn.__code__
    return job_of(function.__name__, files, described,
                  grid if isinstance(grid, (tuple, list)) else (grid,), launch,
                  facts_of(getattr(kernel, "n_spills", None),
                           f"{code.co_filename}:{code.co_firstlineno}"))


def describe_jit(run, function, grid, args, kwargs):
    kernel = compile_ahead(run, function, grid, args, kwargs)
    values = bound_arguments(function, args, kwargs)
    return describe(function, kernel, grid(dict(values)) if callable(grid) else grid, values,
                    kwargs)


def describe_compiled(kernel, grid, args):
    """kernel = function.warmup(...), then kernel[grid](...): constexprs are passed, or left out."""
    function = kernel.src.fn
    names = list(function.arg_names)
    constants = {names[key[0]] if isinstance(key, tuple) and len(key) == 1 else key: value
                 for key, value in getattr(kernel.src, "constants", {}).items()}
    passed = names if len(args) == len(names) else [
        one.name for one in function.params if not one.is_constexpr]
    return describe(function, kernel, grid, {**constants, **dict(zip(passed, args))}, {})


def watch_jit(module):
    kind = module.JITFunction
    run, compile_one = kind.run, kind._do_compile

    def counted(self, *args, **kwargs):
        watch_of(self, self.__name__).compiled += 1
        return compile_one(self, *args, **kwargs)

    def begun(self, watch, grid, where, args, kwargs):
        entry = watch.begin(args, kwargs, where,
                            lambda: describe_jit(run, self, grid, args, kwargs))
        watch.checked = watch.compiled
        return entry

    def first(self, watch, grid, where, args, kwargs):
        """A launch of a signature that may be new, or one of the first few of it."""
        def call():
            return run(self, *args, grid=grid, warmup=False, **kwargs)
        entry = None
        if watch.compiled == watch.checked:
            entry = watch.seen_entry(args, kwargs, where)
        if entry is None:
            entry = begun(self, watch, grid, where, args, kwargs)
        result = call() if entry is None else follow(entry, call)
        if watch.compiled != watch.checked and entry is not None:
            entry[0] -= 1
            after(self, watch, grid, where, args, kwargs)
        return result

    def after(self, watch, grid, where, args, kwargs):
        """Triton has compiled for numbers that were seen: types or alignments are others."""
        entry = begun(self, watch, grid, where, args, kwargs)
        if entry is not None:
            entry[0] += 1

    def item(self, grid):
        watch = watch_of(self, self.__name__)
        if paused or not watch.is_wanted:
            return lambda *args, **kwargs: run(self, *args, grid=grid, warmup=False, **kwargs)
        where = None if callable(grid) else tuple(grid) if type(grid) is list else grid
        seen = watch.seen

        def launch(*args, **kwargs):
            try:
                entry = seen[len(args), watch.positions(args), len(kwargs), watch.names(kwargs),
                             where]
            except (LookupError, TypeError):
                return first(self, watch, grid, where, args, kwargs)
            if entry[0] < SETTLED or watch.compiled != watch.checked:
                return first(self, watch, grid, where, args, kwargs)
            entry[0] += 1
            result = run(self, *args, grid=grid, warmup=False, **kwargs)
            if watch.compiled != watch.checked:
                entry[0] -= 1
                after(self, watch, grid, where, args, kwargs)
            return result

        return launch

    def watched_run(self, *args, grid, warmup, **kwargs):
        if warmup or paused:
            return run(self, *args, grid=grid, warmup=warmup, **kwargs)
        return item(self, grid)(*args, **kwargs)

    kind._do_compile, kind.run, kind.__getitem__ = counted, watched_run, item


def watch_compiled(module):
    kind = module.CompiledKernel
    original = kind.__getitem__

    def item(self, grid):
        runner = original(self, grid)
        function = getattr(self.src, "fn", None)
        if function is None or paused:
            return runner
        watch = watch_of(self, function.__name__)
        where = tuple(grid)

        def launch(*args, **kwargs):
            if not watch.is_wanted:
                return runner(*args, **kwargs)
            entry = watch.seen_entry(args, {}, where)
            if entry is None:
                entry = watch.begin(args, {}, where, lambda: describe_compiled(self, grid, args))
            if entry is None:
                return runner(*args, **kwargs)
            if entry[0] < SETTLED:
                return follow(entry, lambda: runner(*args, **kwargs))
            entry[0] += 1
            return runner(*args, **kwargs)

        return launch

    kind.__getitem__ = item


def watch_autotuner(module):
    bench = module.Autotuner._bench

    def quiet(*args, **kwargs):
        global paused
        paused += 1
        try:
            return bench(*args, **kwargs)
        finally:
            paused -= 1

    module.Autotuner._bench = quiet


# ---- torch.compile


def grid_of(launcher, args, kwargs):
    """Lets the launcher compute the grid, and launch nothing."""
    scope, grids = launcher.__globals__, []
    runner = scope["runner"]
    scope["runner"] = lambda *values, **others: grids.append(values[:3])
    try:
        launcher(*args, **kwargs)
    finally:
        scope["runner"] = runner
    return grids[0]


def describe_inductor(tuner, args, kwargs):
    (launcher,) = tuner.launchers
    grid = grid_of(launcher, args, kwargs)
    names = launcher.__code__.co_varnames[:launcher.__code__.co_argcount]
    values = {**dict(zip(names, args)), **kwargs}
    config = launcher.config
    constants = {**tuner.triton_meta.get("constants", {}), **config.kwargs}
    path = tuner.filename or tuner.fn.fn.__code__.co_filename
    with open(path, "rb") as file:
        files = {os.path.basename(path): file.read()}
    described = Description(tuner.fn.__name__)
    for name in tuner.fn.arg_names:
        if name in constants:
            described.add(name, constants[name], True)
        elif name in values:
            described.add(name, values[name], False)
    launch = launch_values(config.num_warps, config.num_stages, getattr(launcher, "n_regs", None),
                           getattr(launcher, "shared", None))
    return job_of(tuner.fn.__name__, files, described, grid, launch,
                  facts_of(getattr(launcher, "n_spills", None), path))


def watch_inductor(module):
    kind = module.CachingAutotuner
    run = kind.run

    def launch(self, *args, **kwargs):
        watch = watch_of(self, self.fn.__name__)
        if paused or not watch.is_wanted:
            return run(self, *args, **kwargs)
        try:
            entry = watch.seen[len(args), watch.positions(args), 0, (), None]
        except (LookupError, TypeError):
            return first(self, watch, args, kwargs)
        if entry[0] < SETTLED:
            return follow(entry, lambda: run(self, *args, **kwargs))
        entry[0] += 1
        return run(self, *args, **kwargs)

    def first(self, watch, args, kwargs):
        """Compiles and chooses a config, too; so it is not timed, and looked at afterwards."""
        result = run(self, *args, **kwargs)
        entry = watch.begin(args, {}, None, lambda: describe_inductor(self, args, kwargs))
        if entry is not None:
            entry[0] += 1
        return result

    kind.run = launch


# ---- Python


TARGETS = {"triton.runtime.jit": watch_jit, "triton.runtime.autotuner": watch_autotuner,
           "triton.compiler.compiler": watch_compiled,
           "torch._inductor.runtime.triton_heuristics": watch_inductor}


class Finder(importlib.abc.MetaPathFinder):
    """Lets modules be loaded as ever, and changes those of TARGETS afterwards."""

    def find_spec(self, name, path=None, target=None):
        if name not in TARGETS:
            return None
        change = TARGETS.pop(name)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            try:
                change(module)
            except Exception as error:  # another version
                note(f"{name} is not as expected: {type(error).__name__}: {error}")
        spec.loader.exec_module = exec_module
        return spec


def finish():
    if os.getpid() != owner:
        return
    for job in jobs:
        try:
            job.save()
        except Exception:
            pass


def make_way():
    """For a sitecustomize of the user's or the system's own."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    sys.dont_write_bytecode, keep = True, sys.dont_write_bytecode
    from heddle_jobs import (Description, Unsupported, facts_of, global_values,  # noqa: E402
                             is_capturing, is_descriptor, is_tensor, job_of, launch_values, note,
                             source_files)
    sys.dont_write_bytecode = keep
    if IS_ON:
        sys.meta_path.insert(0, Finder())
        atexit.register(finish)
    make_way()
