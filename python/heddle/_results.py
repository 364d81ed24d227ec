"""The verbs, and what they return."""
import html
import os
import pathlib
import tempfile

from heddle._kernels import is_kernel, job_of, plain_function
from heddle._library import call, words_of


class Result:
    """What a verb found: `data` is the document of docs/schemas, `exit_code` that of the program."""

    def __init__(self, exit_code, data, messages, page=None):
        self.exit_code, self.data, self.messages = exit_code, data, messages
        self._page = page  # the text of a page, or a function that makes it

    @property
    def verdict(self):
        """PROVED, REFUTED or UNKNOWN, of check and audit."""
        return self.data.get("verdict") or {0: "PROVED", 1: "REFUTED"}.get(self.exit_code, "UNKNOWN")

    def __getitem__(self, name):
        return self.data[name]

    def __bool__(self):
        """Whether it is good: proved, or found."""
        return self.exit_code == 0

    def __repr__(self):
        facts = {name: value for name, value in self.data.items() if isinstance(value, (str, int, float))}
        return f"heddle.Result(exit_code={self.exit_code}, {facts})"

    @property
    def page(self):
        """The report as an HTML page, which requests nothing; None where a verb has none."""
        if callable(self._page):
            self._page = self._page()
        return self._page

    def _repr_html_(self):
        page = self.page
        if not page:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
                'style="width:100%;height:640px;border:0"></iframe>')


def _page_of(name, *texts, flags):
    """The verb once more, as a page."""
    def make():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            call(name, *texts, flags=[*flags, "-o", path])
            found = pathlib.Path(path)
            return found.read_text(encoding="utf-8") if found.exists() else None
    return make


def _run(name, *texts, flags, has_page=False):
    words = words_of(flags)
    page = _page_of(name, *texts, flags=words) if has_page else None
    return Result(*call(name, *texts, flags=words), page)


def _with_job(run, kernel, args, grid, flags):
    """`run` with the path of a job and the flags that are not the kernel's own parameters."""
    if not is_kernel(kernel):
        return run(os.fspath(kernel), flags)
    names = set(plain_function(kernel).arg_names) | {"num_warps", "num_stages"}
    with tempfile.TemporaryDirectory() as folder:
        job = job_of(kernel, args, grid, folder, **{name: flags[name] for name in flags if name in names})
        return run(job, {name: flags[name] for name in flags if name not in names})


def check(order, args=None, *, grid=None, **flags):
    """Is an order, a job's order, or that of a @triton.jit function with `args`, a permutation?"""
    if is_kernel(order):
        return _with_job(lambda job, rest: _run("check_kernel", job, flags=rest), order, args or (), grid, flags)
    text = os.fspath(order)
    if text.endswith(".toml"):
        return _run("check_kernel", text, flags=flags)
    return _run("check", text, flags={"grid": grid, **flags}, has_page=grid is not None)


def trace(kernel, args=(), *, grid=None, **flags):
    """What every tile reads and writes."""
    return _with_job(lambda job, rest: _run("trace", job, flags=rest), kernel, args, grid, flags)


def simulate(kernel, args=(), *, gpu, grid=None, **flags):
    """What a GPU would count, and its time."""
    return _with_job(lambda job, rest: _run("simulate", job, gpu, flags=rest), kernel, args, grid, flags)


def optimize(kernel, args=(), *, gpu, grid=None, output=None, **flags):
    """Which order to take. `output` is a folder that keeps the patch and the report."""
    def run(job, rest):
        with tempfile.TemporaryDirectory() as folder:
            place = output or os.path.join(folder, "out")
            words = words_of(rest) + ["-o", os.fspath(place)]
            found = call("optimize", job, gpu, flags=words)
            page = pathlib.Path(place) / "report.html"
            patch = pathlib.Path(place) / "kernel.patch"
            result = Result(*found, page.read_text(encoding="utf-8") if page.exists() else None)
            result.patch = patch.read_text(encoding="utf-8") if patch.exists() else None
            return result
    return _with_job(run, kernel, args, grid, flags)


def audit_patch(before, after, *, job, **flags):
    """Does a changed kernel do the work of the first?"""
    return _run("audit_patch", before, after, flags={"job": job, **flags})


def audit_log(log, **flags):
    """Are the claims of an optimiser's log true?"""
    return _run("audit_log", log, flags=flags)
