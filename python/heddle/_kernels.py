"""A @triton.jit function and its arguments as a job file."""
import os

from heddle import _jobs
from heddle._library import Error


def plain_function(kernel):
    """Below @triton.autotune and @triton.heuristics."""
    while not hasattr(kernel, "arg_names") or not hasattr(kernel, "params"):
        inner = getattr(kernel, "fn", None)
        if inner is None or inner is kernel:
            raise Error(f"{type(kernel).__name__} is not a Triton kernel",
                        "give a @triton.jit function, or the path of a job")
        kernel = inner
    return kernel


def values_of(function, args, keywords):
    names = list(function.arg_names)
    if len(args) > len(names):
        raise Error(f"{function.__name__} takes {len(names)} arguments, not {len(args)}", "leave some out")
    values = {**dict(zip(names, args)), **{name: keywords[name] for name in names if name in keywords}}
    for parameter in function.params:
        if parameter.name not in values and getattr(parameter, "has_default", False):
            values[parameter.name] = parameter.default
    lacking = [name for name in names if name not in values]
    if lacking:
        raise Error(f"{function.__name__} needs {', '.join(lacking)}", "give them as arguments or keywords")
    return values


def job_of(kernel, args, grid, folder, **keywords):
    """Writes the job of one launch into a folder, with copies of the sources; its path.

    Keywords that are parameters of the kernel are their values; num_warps and num_stages are those of
    the launch. `grid` may be a function of the arguments, as Triton takes it.
    """
    function = plain_function(kernel)
    values = values_of(function, args, keywords)
    if callable(grid):
        grid = grid(dict(values))
    grid = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    before, _jobs.FOLDER = _jobs.FOLDER, os.path.abspath(folder)
    _jobs.known.clear()
    try:
        files = _jobs.source_files(function)
        described = _jobs.Description(function.__name__)
        for parameter in function.params:
            described.add(parameter.name, values[parameter.name], parameter.is_constexpr)
        for name, value in _jobs.global_values(function, next(iter(files.values()))).items():
            if name not in values:
                described.add(name, value, True)
        launch = _jobs.launch_values(keywords.get("num_warps"), keywords.get("num_stages"), None, None)
        code = function.fn.__code__
        job = _jobs.job_of(function.__name__, files, described, grid, launch,
                           {"source": _jobs.quoted(f"{code.co_filename}:{code.co_firstlineno}")})
        return job.path
    except _jobs.Unsupported as error:
        raise Error(f"{function.__name__} cannot be written as a job: {error}", "write a job file by hand") from error
    finally:
        _jobs.FOLDER = before


def is_kernel(value):
    return not isinstance(value, (str, bytes, os.PathLike))
