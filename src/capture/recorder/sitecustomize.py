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
import os
import sys

IS_ON = bool(os.environ.get("HEDDLE_CAPTURE"))

paused = 0  # an autotuner compares configs
owner = os.getpid()

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
        watch_of(self, self.__name__).is_stale = True
        return compile_one(self, *args, **kwargs)

    def first(self, watch, grid, where, args, kwargs):
        """A launch of a signature that may be new, or one of the first few of it."""
        def call():
            return run(self, *args, grid=grid, warmup=False, **kwargs)
        if paused or not watch.is_wanted:
            return call()
        entry = watch.entry(args, kwargs, where, lambda: describe_jit(
            run, self, grid, args, kwargs))
        if entry is None:
            return call()
        result = follow(entry, call)
        if watch.is_stale:
            after(self, watch, entry, grid, where, args, kwargs)
        return result

    def after(self, watch, entry, grid, where, args, kwargs):
        """Triton has compiled for numbers that were seen: types or alignments are others."""
        entry[0] -= 1
        entry = watch.begin(args, kwargs, where, lambda: describe_jit(
            run, self, grid, args, kwargs))
        if entry is not None:
            entry[0] += 1

    def launcher(self, grid):
        watch = watch_of(self, self.__name__)
        if paused or not watch.is_wanted:
            return lambda *args, **kwargs: run(self, *args, grid=grid, warmup=False, **kwargs)
        where = None if callable(grid) else tuple(grid) if type(grid) is list else grid
        table = watch.table(where)
        count = seen = named = entry = turn = None  # of the launch before

        def launch(*args, **kwargs):
            nonlocal count, seen, named, entry, turn
            try:
                values = watch.positions(args)
                names = kwargs if watch.is_plain else (len(kwargs), watch.names(kwargs))
                if not (turn is watch.turn and values == seen and names == named
                        and len(args) == count):
                    entry = table[watch.key(args, kwargs)]
                    count, seen, named, turn = len(args), values, names, watch.turn
            except Exception:  # of a look-up or of a value's own comparison
                turn = None
                return first(self, watch, grid, where, args, kwargs)
            if watch.is_stale:
                return first(self, watch, grid, where, args, kwargs)
            entry[0] += 1
            result = run(self, *args, grid=grid, warmup=False, **kwargs)
            if watch.is_stale:
                after(self, watch, entry, grid, where, args, kwargs)
            return result

        if type(grid) is tuple:
            watch.launchers[grid] = launch
        return launch

    def item(self, grid):
        try:
            return self._heddle_watch.launchers[grid]
        except (AttributeError, KeyError, TypeError):
            return launcher(self, grid)

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
        watch, where = watch_of(self, function.__name__), tuple(grid)

        def launch(*args, **kwargs):
            entry = None
            if watch.is_wanted:
                entry = watch.entry(args, {}, where, lambda: describe_compiled(self, grid, args))
            if entry is None:
                return runner(*args, **kwargs)
            return follow(entry, lambda: runner(*args, **kwargs))

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
            entry = watch.tables[None][len(args), watch.positions(args), ()]
        except (LookupError, TypeError):
            return first(self, watch, args, kwargs)
        entry[0] += 1
        return run(self, *args, **kwargs)

    def first(self, watch, args, kwargs):
        """The first of all compiles and chooses a config: it is described afterwards, untimed."""
        def call():
            return run(self, *args, **kwargs)
        is_new = len(self.launchers) != 1
        result = call() if is_new else None
        entry = watch.entry(args, {}, None, lambda: describe_inductor(self, args, kwargs))
        if is_new and entry is not None:
            entry[0] += 1
        if is_new:
            return result
        return call() if entry is None else follow(entry, call)

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
                             job_of, launch_values, note, source_files)
    from heddle_watch import follow, jobs, watch_of  # noqa: E402
    sys.dont_write_bytecode = keep
    if IS_ON:
        sys.meta_path.insert(0, Finder())
        atexit.register(finish)
    make_way()
