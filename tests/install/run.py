#!/usr/bin/env python3
"""Installs a build into a new folder and uses what lies there.

    run.py --build build

The files are those that docs/install.md names, and none knows where it was built. The program finds
its data from another directory, with an empty environment and no other program in PATH. It loads no
library from the current directory. Help pages that SARIF names are installed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = ["bin/heddle", "bin/heddle-agent", "share/man/man1/heddle.1", "share/man/man1/heddle-check.1",
         "share/bash-completion/completions/heddle", "share/zsh/site-functions/_heddle",
         "share/fish/vendor_completions.d/heddle.fish", "share/heddle/examples/stencil_2d.toml",
         "share/heddle/examples/kernels/stencil_2d.py", "share/heddle/gpus/mi300x.toml",
         "share/heddle/prompts/system.md", "share/heddle/schemas/check.schema.json",
         "share/heddle/ci/heddle_ci.py", "share/doc/heddle/README.md", "share/doc/heddle/LICENSE",
         "share/doc/heddle/docs/install.md"]


def install(build, folder):
    environment = {**os.environ, "DESTDIR": str(folder)}
    subprocess.run(["cmake", "--install", build, "--prefix", "/opt/heddle"], check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    return folder / "opt/heddle"


def loader_faults(program):
    """A library in the current directory is not loaded: it may be anybody's."""
    with tempfile.TemporaryDirectory() as folder:
        needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        names = re.findall(r"^\s*(lib[\w.+-]+) => ", needed, flags=re.M)
        if not names:
            yield f"ldd names no library of {program}"
        for name in names:
            (pathlib.Path(folder) / name).write_text("not a library\n")
        done = subprocess.run([program, "--version"], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            yield f"{program} looks for libraries in the current directory: {done.stderr}"


def sarif_faults(run, prefix):
    """Pages that SARIF names as help are among the installed documents; packages have /usr for a prefix."""
    printed = run("audit", "share/heddle/examples/logs/stencil.log", "--grid", "256x256", "--sarif", "--let",
                  "M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32").stdout
    rules = json.loads(printed)["runs"][0]["tool"]["driver"]["rules"]
    for rule in rules:
        page = prefix / rule["helpUri"].removeprefix("file:///usr/")
        if not page.is_file():
            yield f"{rule['helpUri']}, the help of {rule['id']}, is not installed"


def faults(prefix, build):
    for name in FILES:
        if not (prefix / name).is_file():
            yield f"{name} is missing"
    for path in prefix.rglob("*"):
        if path.name == "__pycache__" or path.suffix == ".pyc":
            yield f"{path} does not belong there"
        if path.is_file() and "bin" not in path.parts and str(build).encode() in path.read_bytes():
            yield f"{path} knows where it was built"
    program = str(prefix / "bin/heddle")
    bare = {"PATH": "/nonexistent", "HOME": str(prefix)}

    def run(*words):
        return subprocess.run([program, *words], cwd=prefix, env=bare, capture_output=True, text=True, check=False)
    doctor = run("doctor").stdout
    if f"{prefix}/share/heddle/examples" not in doctor:
        yield f"doctor does not find the examples:\n{doctor}"
    if "python3        missing: " not in doctor or "apt install python3" not in doctor:
        yield f"doctor does not say that there is no python3:\n{doctor}"
    checked = run("check", "xcd(8)", "--grids", "1..64")
    if checked.returncode != 0 or not checked.stdout.startswith("PROVED"):
        yield f"check fails: {checked.stderr}"
    yield from sarif_faults(run, prefix)
    for made in (program, str(build / "heddle")):
        yield from loader_faults(made)
    needs = run("trace", "share/heddle/examples/stencil_2d.toml")
    if needs.returncode != 4 or "python3" not in needs.stderr:
        yield f"trace does not name python3: {needs.returncode} {needs.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    build = pathlib.Path(parser.parse_args().build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(install(str(build), pathlib.Path(folder)), build))
    for fault in found:
        print(fault)
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
