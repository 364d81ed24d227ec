#!/usr/bin/env python3
"""Runs the program on the golden cases and compares what it prints.

    run.py --program PATH [-j N] [--update] [NAME ...]

A case is a file cases/NAME.test: one or more commands, each with what it must print.

    $ heddle check "xcd(3)" --grid 8          the command, run in this folder by a shell
    PROVED  xcd(3) on grid 8                  standard output
    ! heddle: ...                             standard error, each line after "! "
    [exit 0]                                  the exit status

Lines before the first command, and lines that begin with "# " before a command, are kept as they
are. --update rewrites the expectations, so that a reviewer sees the difference. A case whose first
line is "# needs PROGRAM" is skipped where there is no such program. N cases run side by side, each
command of a case after the one before it; what is printed does not depend on N.

What `heddle VERB --json` prints, also where a case cuts or counts it, is checked against docs/schemas.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
TIME_LIMIT_S = 120
NEEDS = "# needs "
# Keeps a copy of every document, named by its verb, for the schemas.
SCRIPT = '''
heddle() {
  case " $* " in
    *" --json "*)
      kept=$(mktemp "$HEDDLE_DOCUMENTS/$1.XXXXXXXX")
      "$HEDDLE_UNDER_TEST" "$@" > "$kept"
      set -- $?
      cat "$kept"
      return $1 ;;
  esac
  "$HEDDLE_UNDER_TEST" "$@"
}
'''
sys.path.insert(0, str(FOLDER.parent / "schemas"))
from documents import faulty_documents  # noqa: E402


def split_case(text):
    """The lines before each command, and the commands."""
    parts = []
    remarks = []
    inside = False
    for line in text.splitlines():
        if line.startswith("$ "):
            parts.append((remarks, line[2:]))
            remarks = []
            inside = True
        elif inside:
            inside = not line.startswith("[exit ")
        else:
            remarks.append(line)
    return parts, remarks


def run_command(command, program, documents):
    environment = dict(os.environ, HEDDLE_DOCUMENTS=documents)
    environment.pop("NO_COLOR", None)
    environment.pop("COLUMNS", None)
    environment["HEDDLE_UNDER_TEST"] = str(program)
    done = subprocess.run(["sh", "-c", SCRIPT + command], cwd=FOLDER, env=environment, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT_S)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    complaints = done.stderr.decode("utf-8", "replace").splitlines()
    lines += ["! " + line if line else "!" for line in complaints]
    return lines + [f"[exit {done.returncode}]"]


def actual_text(path, program, documents):
    parts, rest = split_case(path.read_text(encoding="utf-8"))
    lines = []
    for remarks, command in parts:
        lines += remarks + ["$ " + command] + run_command(command, program, documents)
    return "\n".join(lines + rest) + "\n"


def lacks(text):
    """The program that a case needs and that is not there."""
    first = text.split("\n", 1)[0]
    needed = first[len(NEEDS):] if first.startswith(NEEDS) else None
    return needed if needed and shutil.which(needed) is None else None


def run_case(path, program, documents):
    """What a case must print, what it prints, and the program that it lacks to be run."""
    expected = path.read_text(encoding="utf-8")
    lacking = lacks(expected)
    return expected, None if lacking else actual_text(path, program, documents), lacking


def main():
    parser = argparse.ArgumentParser(description="Runs the program on the golden cases.")
    parser.add_argument("--program", required=True, help="the heddle to run")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="cases to run side by side")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations")
    parser.add_argument("names", nargs="*", help="cases to run; all of them otherwise")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    if not program.is_file():
        sys.exit(f"run.py: {arguments.program} is not a program")
    known = {path.stem: path for path in sorted((FOLDER / "cases").glob("*.test"))}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        sys.exit(f"run.py: no case is called {', '.join(unknown)}\n  try: {' '.join(known)}")
    failed = 0
    skipped = 0
    chosen = arguments.names or list(known)
    with tempfile.TemporaryDirectory() as documents, \
            concurrent.futures.ThreadPoolExecutor(max(arguments.j, 1)) as pool:
        outcomes = pool.map(lambda name: run_case(known[name], program, documents), chosen)
        for name, (expected, actual, lacking) in zip(chosen, outcomes):
            if lacking:
                skipped += 1
                print(f"skipped {name}: there is no {lacking}")
            elif actual == expected:
                continue
            elif arguments.update:
                known[name].write_text(actual, encoding="utf-8")
                print(f"updated {name}")
            else:
                failed += 1
                print(f"FAILED {name}")
                difference = difflib.unified_diff(expected.splitlines(), actual.splitlines(),
                                                  "expected", "actual", lineterm="")
                print("\n".join(difference))
        for fault in faulty_documents(documents):
            failed += 1
            print(f"FAILED {fault}")
    print(f"{len(chosen) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
