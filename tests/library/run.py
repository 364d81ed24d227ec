#!/usr/bin/env python3
"""Installs libheddle into a new folder, and compiles and runs the examples against it.

    run.py --build build

The symbols that it exports are tests/library/symbols.txt: one that goes away, or comes in the version of
another, breaks programs that were linked before. The answers are those of the program.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXAMPLES = ROOT / "examples/library"
STUB = ROOT / "tests/capture/stub"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


class Tests:
    def __init__(self, prefix, build, folder):
        self.prefix, self.build, self.folder, self.faults = prefix, build, folder, []
        self.job = folder / "copy.toml"  # a small one
        text = (ROOT / "examples/copy.toml").read_text().replace("kernels/", f"{ROOT}/examples/kernels/")
        self.job.write_text(re.sub(r"^elements = .*$", "elements = 16384", text, flags=re.M))
        self.library = next(prefix.glob("lib*/**/libheddle.so.1"))
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(self.library.parent), "HEDDLE_CACHE": "off"}

    def expect(self, good, text):
        if not good:
            self.faults.append(text)

    def symbols(self):
        printed = run("nm", "-D", "--defined-only", "--with-symbol-versions", self.library).stdout
        rows = [line.split()[-2:] for line in printed.splitlines()]
        found = sorted(name for kind, name in rows if kind != "A")  # A: the version itself
        expected = (HERE / "symbols.txt").read_text().split()
        self.expect(found == expected, f"exported symbols differ: {sorted(set(found) ^ set(expected))}")
        header = (self.prefix / "include/heddle/heddle.h").read_text()
        for name in expected:
            self.expect(f"{name.split('@')[0]}(" in header, f"heddle.h does not declare {name}")

    def c_example(self):
        flags = run("pkg-config", "--cflags", "--libs", "heddle",
                    env={**os.environ, "PKG_CONFIG_PATH": str(self.library.parent / "pkgconfig")})
        self.expect(flags.returncode == 0, flags.stderr)
        program = self.folder / "check"
        made = run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", EXAMPLES / "check.c", "-o", program,
                   *flags.stdout.split())
        self.expect(made.returncode == 0, made.stderr)
        done = run(program, env=self.environment)
        self.expect((done.returncode, done.stdout) ==
                    (1, "grid 64: PROVED, 64 tiles computed\ngrid 67: REFUTED, 64 tiles computed\n"),
                    f"check.c: {done.returncode} {done.stdout}{done.stderr}")

    def cxx_example(self):
        for words in (["-S", EXAMPLES, "-B", self.folder / "cxx", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                      ["--build", self.folder / "cxx"]):
            done = run("cmake", *words)
            self.expect(done.returncode == 0, done.stdout + done.stderr)
        program = self.folder / "cxx/simulate"
        done = run(program, self.job, "h200", "identity", "xcd(8)", env=self.environment)
        lines = done.stdout.splitlines()
        said = json.loads(run(self.build / "heddle", "simulate", self.job, "--gpu", "h200", "--json").stdout)
        self.expect(len(lines) == 2 and lines[0] == f"identity: {said['predicted_time_us']:g} us",
                    f"simulate.cpp: {done.stdout}{done.stderr}, the program {said['predicted_time_us']}")
        done = run(program, self.folder / "none.toml", "h200", "identity", "xcd(8)", env=self.environment)
        self.expect(done.returncode == 2 and "none.toml" in done.stderr, f"an error: {done.returncode} {done.stderr}")

    def python_example(self):
        kernel = self.folder / "kernel.py"
        kernel.write_text(textwrap.dedent("""\
            import triton
            import triton.language as tl


            @triton.jit
            def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
                at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
            """))
        package = next(self.prefix.glob("lib/python3/dist-packages"))
        environment = {**os.environ, "PYTHONPATH": f"{package}:{STUB}", "PYTHONDONTWRITEBYTECODE": "1"}
        done = run(sys.executable, EXAMPLES / "orders.py", kernel, env=environment)
        expected = textwrap.dedent("""\
            xcd(8): PROVED, 67 tiles
            (p0 % 8) * (g0 // 8) + p0 // 8: REFUTED, 64 tiles
            error 2: xcd takes 1 parameter, not 2
            PROVED
            add [64] leave it
            shows a page: True
            """)
        self.expect(done.stdout == expected, f"orders.py: {done.stdout}{done.stderr}")
        code = "import heddle; heddle.version()"
        done = run(sys.executable, "-c", code, env={**environment, "HEDDLE_LIBRARY": "/nonexistent/libheddle.so"})
        self.expect("libheddle cannot be loaded" in done.stderr and "HEDDLE_LIBRARY" in done.stderr,
                    f"without the library: {done.stderr}")
        self.same_answers(environment)

    def same_answers(self, environment):
        """The document of a function is what the program prints."""
        code = ("import heddle, json, sys; "
                "print(json.dumps([heddle.check('hilbert', tiles='8x8').data, heddle.trace(sys.argv[1]).data, "
                "heddle.audit_patch(*sys.argv[2:4], job=sys.argv[4], set=['rows=128', 'columns=128']).data]))")
        kernels = [ROOT / "examples/kernels/stencil_2d.py", ROOT / "examples/patches/stencil_skips.py",
                   ROOT / "examples/stencil_2d.toml"]
        done = run(sys.executable, "-c", code, self.job, *kernels, env=environment)
        self.expect(done.returncode == 0, done.stderr)
        if done.returncode:
            return
        program = self.build / "heddle"
        sizes = ["--set", "rows=128", "--set", "columns=128"]
        for found, words in zip(json.loads(done.stdout), (
                ["check", "--order=hilbert", "--tiles", "8x8"], ["trace", self.job],
                ["audit", "--patch", *kernels[:2], "--job", kernels[2], *sizes])):
            said = json.loads(run(program, *words, "--json").stdout)
            self.expect(found == said, f"heddle {words[0]} and libheddle differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    build = pathlib.Path(parser.parse_args().build).resolve()
    for program in ("pkg-config", "cc", "nm"):
        if shutil.which(program) is None:
            print(f"skipped: there is no {program}")
            return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        done = run("cmake", "--install", build, "--prefix", prefix)
        if done.returncode:
            sys.exit(done.stderr)
        tests = Tests(prefix, build, folder)
        for step in (tests.symbols, tests.c_example, tests.cxx_example, tests.python_example):
            step()
    for fault in tests.faults:
        print(fault)
    print(f"{len(tests.faults)} faults")
    return 1 if tests.faults else 0


if __name__ == "__main__":
    sys.exit(main())
