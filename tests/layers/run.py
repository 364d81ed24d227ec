#!/usr/bin/env python3
"""Shows that the layers of docs/architecture.md hold.

    run.py --build BUILD --source SOURCE --compiler COMPILER

The USES lists of src/*/CMakeLists.txt say what each folder may include.
1. A folder finds the headers of those folders, and of those that they use, and no others: looked up
   with its own flags (from BUILD/compile_commands.json). An include beyond them does not compile.
2. Every entry of a list is included by a file of its folder.
3. The table of docs/architecture.md names the same folders, each in a layer below.
4. Nobody goes round the layers with "../", and no folder or file has a name that says nothing.
5. Every folder of src/ has a README.md of at most 40 lines.
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys

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


def uses_of(source):
    """The USES list of every folder of src/."""
    uses = {}
    for lists in sorted((source / "src").glob("*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
        call = re.search(rf"heddle_folder\(\s*{lists.parent.name}\b([^)]*)\)", text)
        if call is None:
            sys.exit(f"run.py: {lists} has no heddle_folder({lists.parent.name} ...)")
        words = call.group(1).split()
        used = words[words.index("USES") + 1:] if "USES" in words else []
        ends = [i for i, word in enumerate(used) if word.isupper() or "_" in word]
        uses[lists.parent.name] = used[:ends[0]] if ends else used
    return uses


def reached(uses, folder):
    """The folder, those of its list, and those of their lists."""
    found = {folder}
    for used in uses[folder]:
        found |= reached(uses, used)
    return found


def flags_of(build, folder):
    """The flags that the target of a folder is compiled with, but for precompiled headers."""
    place = f"src/{folder}/CMakeFiles/heddle_{folder}.dir/"
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if place not in entry["command"] or entry["file"].endswith((".S", "cmake_pch.hxx.cxx")):
            continue
        words = shlex.split(entry["command"])
        kept = [word for word in words[1:words.index("-o")] if word != "-Winvalid-pch"]
        while "-include" in kept:
            at = kept.index("-include")
            del kept[at:at + 2]
        return kept, entry["directory"]
    sys.exit(f"run.py: src/{folder} is not in {build}/compile_commands.json")


def compiled(compiler, flags, mode, text):
    words, directory = flags
    return subprocess.run([compiler, *words, mode, "-x", "c++", "-"], cwd=directory, input=text,
                          capture_output=True, text=True, check=False)


def check_includes(checks, build, source, compiler, uses):
    headers = {folder: sorted((source / "src" / folder).glob("*.h"))[0].name for folder in uses}
    text = "".join(f'#if __has_include("{folder}/{header}")\nfinds {folder}\n#endif\n'
                   for folder, header in headers.items())
    for folder in uses:
        flags = flags_of(build, folder)
        done = compiled(compiler, flags, "-E", text)
        if done.returncode != 0:
            checks.expect(False, f"src/{folder} cannot be preprocessed: {done.stderr}")
            continue
        found = set(re.findall(r"^finds (\w+)$", done.stdout, re.MULTILINE))
        allowed = reached(uses, folder)
        for other in uses:
            wanted = "may" if other in allowed else "may not"
            checks.expect((other in found) == (other in allowed),
                          f"src/{folder} {wanted} include {other}/{headers[other]} by its USES list")
    for other in sorted(set(uses) - reached(uses, "support")):
        done = compiled(compiler, flags_of(build, "support"), "-fsyntax-only",
                        f'#include "{other}/{headers[other]}"\n')
        checks.expect(done.returncode != 0, f"src/support compiles with {other}/{headers[other]}")


def check_uses(checks, source, uses):
    for folder, used in uses.items():
        included = set()
        for path in (source / "src" / folder).rglob("*"):
            if path.suffix in (".h", ".cpp"):
                included |= set(re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"),
                                           re.MULTILINE))
        for other in used:
            checks.expect(other in included, f"src/{folder} includes nothing of {other}: "
                          "take it from the USES list and from docs/architecture.md")


def check_table(checks, source, uses):
    page = (source / "docs/architecture.md").read_text(encoding="utf-8")
    rows = {}
    row = re.compile(r"^\| (\d+) \| \[(\w+)\]\(\.\./src/\w+/README\.md\) \|.*\| ([^|]+) \|$",
                     re.MULTILINE)
    for layer, folder, words in row.findall(page):
        named = re.findall(r"\w+", words)
        alone = named[:1] == ["nothing"]
        rows[folder] = (int(layer), set() if alone or words == "–" else set(named), alone)
    for folder, used in uses.items():
        if folder not in rows:
            checks.expect(False, f"docs/architecture.md has no row for src/{folder}")
            continue
        layer, named, alone = rows[folder]
        is_alone = not used and folder != "support"
        checks.expect(named == set(used) - {"support"} and alone == is_alone,
                      f"docs/architecture.md says that src/{folder} may include {sorted(named)}, "
                      f"its CMakeLists.txt {sorted(used)}")
        for other in used:
            checks.expect(other in rows and rows[other][0] < layer,
                          f"docs/architecture.md: src/{folder} uses {other}, which is not below it")
    for folder in sorted(set(rows) - set(uses)):
        checks.expect(False, f"docs/architecture.md has a row for {folder}, which src/ has not")


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
    uses = uses_of(source)
    check_includes(checks, build, source, arguments.compiler, uses)
    check_uses(checks, source, uses)
    check_table(checks, source, uses)
    check_files(checks, source)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
