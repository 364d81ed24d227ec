#!/usr/bin/env python3
"""Runs the commands of the documentation and compares what they print with what stands there.

    scripts/check_docs.py --program build/heddle            compares README.md and docs/*.md
    scripts/check_docs.py --program build/heddle --update   rewrites the output in them

A command is a line '$ ...' of a ```console block (continued by a backslash or by '> ' lines), run
from the project's root with the program as `heddle`. Ends with 'N passed, N failed'.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commands_of(block):
    lines = block.split("\n")
    commands = []
    i = 0
    while i < len(lines):
        if lines[i].startswith("$ "):
            command = [lines[i]]
            while command[-1].endswith("\\") or (i + 1 < len(lines) and lines[i + 1].startswith("> ")):
                i += 1
                command.append(lines[i])
            commands.append(command)
        i += 1
    return commands


def run_block(block, environment):
    output = ""
    last = 0
    for command in commands_of(block):
        text = "\n".join(re.sub("^> ", "", line) for line in command)[2:]
        if text == "echo $?":
            printed = f"{last}\n"
        else:
            result = subprocess.run(["bash", "-c", text], cwd=ROOT, env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed, last = result.stdout, result.returncode
        output += "\n".join(command) + "\n" + printed
    return "```console\n" + output + "```"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "heddle").symlink_to(pathlib.Path(arguments.program).resolve())
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"], NO_COLOR="1")
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            before = page.read_text()
            after = re.sub(r"```console\n(.*?)```", lambda m: run_block(m.group(1), environment), before, flags=re.S)
            if before == after:
                passed += 1
            elif arguments.update:
                page.write_text(after)
                print(f"rewrote {page.relative_to(ROOT)}")
            else:
                failed += 1
                name = str(page.relative_to(ROOT))
                print("\n".join(difflib.unified_diff(before.split("\n"), after.split("\n"), name, "now", lineterm="")))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
