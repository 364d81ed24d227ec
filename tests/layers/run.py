#!/usr/bin/env python3
"""Shows that the layers of docs/architecture.md hold.

    run.py --build BUILD --source SOURCE --compiler COMPILER

1. An include that breaks the layers does not find its header: compiled with a folder's own flags
   (from BUILD/compile_commands.json) it fails, and an allowed one compiles.
2. Nobody goes round the layers with "../", and no folder or file has a name that says nothing.
3. Every folder of src/ has a README.md of at most 40 lines.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys

FORBIDDEN = [
    ("support", "order/order.h"),
    ("support", "results/verdict.h"),
    ("results", "order/order.h"),
    ("order", "proof/check.h"),
    ("order", "results/verdict.h"),
    ("order", "emit/emit.h"),
    ("proof", "emit/emit.h"),
    ("proof", "report/style.h"),
    ("proof", "optlog/read.h"),
    ("optlog", "proof/check.h"),
    ("emit", "report/style.h"),
    ("emit", "audit/audit_log.h"),
    ("report", "proof/check.h"),
    ("audit", "report/style.h"),
    ("audit", "emit/emit.h"),
    ("audit", "sim/simulate.h"),
    ("trace", "audit/audit_patch.h"),
    ("calibrate", "report/style.h"),
    ("calibrate", "proof/check.h"),
    ("sim", "calibrate/points.h"),
    ("report", "history/history.h"),
    ("history", "report/style.h"),
    ("history", "order/order.h"),
]
ALLOWED = [
    ("order", "support/error.h"),
    ("proof", "order/order.h"),
    ("proof", "results/verdict.h"),
    ("emit", "proof/proven_order.h"),
    ("optlog", "results/attempt.h"),
    ("audit", "proof/check.h"),
    ("audit", "trace/tracer.h"),
    ("report", "results/verdict.h"),
    ("calibrate", "sim/simulator.h"),
    ("history", "results/history.h"),
]
EMPTY_NAMES = {"util", "utils", "common", "misc", "helper", "helpers", "core"}
README_LINES = 40


class Checks:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def expect(self, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {text}")


def flags_of(build, source):
    """The flags each folder of src/ is compiled with, without its file and its output."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = pathlib.Path(entry["file"])
        if (source / "src") not in file.parents:
            continue
        folder = file.relative_to(source / "src").parts[0]
        words = entry.get("arguments") or shlex.split(entry["command"])
        kept = []
        skip = False
        for word in words[1:]:
            if skip or word in ("-c", str(file)):
                skip = False
            elif word in ("-o", "-MF", "-MT", "-MQ"):
                skip = True
            elif word not in ("-MD", "-MMD"):
                kept.append(word)
        flags.setdefault(folder, (kept, entry["directory"]))
    return flags


def try_include(compiler, flags, header):
    """Nothing where a file with this include compiles; else what the compiler says."""
    words, directory = flags
    done = subprocess.run([compiler, *words, "-fsyntax-only", "-x", "c++", "-"], cwd=directory,
                          input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr


def check_includes(checks, build, source, compiler):
    flags = flags_of(build, source)
    for folder, header in FORBIDDEN:
        if not (source / "src" / header).is_file():
            checks.expect(False, f"src/{header} is not there: change the list in layers/run.py")
            continue
        if folder not in flags:
            checks.expect(False, f"src/{folder} is not in compile_commands.json")
            continue
        said = try_include(compiler, flags[folder], header)
        words = said or "it compiles"
        missing = header in words and ("No such file" in words or "not found" in words)
        checks.expect(missing, f"src/{folder} may include {header}: {words}")
    for folder, header in ALLOWED:
        said = "the folder has no flags"
        if folder in flags:
            said = try_include(compiler, flags[folder], header)
        checks.expect(said is None, f"src/{folder} cannot include {header}:\n{said}")


def check_files(checks, source):
    for path in sorted((source / "src").rglob("*")):
        name = path.relative_to(source)
        checks.expect(path.stem.lower() not in EMPTY_NAMES, f"{name} has a name that says nothing")
        if path.suffix in (".h", ".cpp"):
            lines = path.read_text(encoding="utf-8").splitlines()
            around = [str(number) for number, line in enumerate(lines, 1)
                      if line.replace(" ", "").startswith('#include"../')]
            checks.expect(not around, f"{name} goes round the layers, line {', '.join(around)}")
    for folder in sorted(path for path in (source / "src").iterdir() if path.is_dir()):
        readme = folder / "README.md"
        name = readme.relative_to(source)
        if not readme.is_file():
            checks.expect(False, f"{name} is missing")
            continue
        lines = len(readme.read_text(encoding="utf-8").splitlines())
        checks.expect(lines <= README_LINES, f"{name} has {lines} lines, more than {README_LINES}")


def main():
    parser = argparse.ArgumentParser(description="Shows that the layers hold.")
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    source = arguments.source.resolve()
    if not (build / "compile_commands.json").is_file():
        sys.exit(f"run.py: {arguments.build} holds no compile_commands.json\n"
                 "  try: configure with CMake first")
    checks = Checks()
    check_includes(checks, build, source, arguments.compiler)
    check_files(checks, source)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
