#!/usr/bin/env python3
"""Runs the program on the labelled corpus and compares its verdicts with the labels.

    run.py --program PATH [-j N] [--times] [NAME ...]

README.md says what a case looks like. A verdict is the exit status: 0 PROVED, 1 REFUTED, 3 UNKNOWN.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib

import workloads

FOLDER = pathlib.Path(__file__).resolve().parent
PROJECT = FOLDER.parent.parent
TIME_LIMIT_S = 60
VERDICTS = {0: "PROVED", 1: "REFUTED", 3: "UNKNOWN"}
WRONG = {("cheat", "PROVED"), ("honest", "REFUTED")}
LABELS = ("honest", "cheat")
LEAST_OF_EACH_LABEL = 60
MOST_UNKNOWN = 0.05


class CorpusError(Exception):
    """A case that cannot be run as it is written."""


def edited(text, edits):
    """The text with each part replaced; a part must be there once, unless `all` is true."""
    for edit in edits:
        found = text.count(edit["from"])
        if found == 0 or (found > 1 and not edit.get("all", False)):
            raise CorpusError(f"{found} places for the edit {edit['from']!r}")
        text = text.replace(edit["from"], edit["to"])
    return text


# ---- one function for each kind: writes the files of a case, gives the arguments of heddle --------


def order_arguments(case, folder, _):
    """`text` goes to the file that `args` names as order.*; the rest are arguments of check."""
    names = [argument for argument in case["args"] if argument.startswith("order.")]
    if ("text" in case) != (len(names) == 1):
        raise CorpusError("`text` belongs to one argument order.*")
    if names:
        (folder / names[0]).write_text(case["text"], encoding="utf-8")
    return ["check", *case["args"]]


def patch_arguments(case, folder, _):
    """The base and the base with edits (or `text` instead), judged under a job."""
    base = PROJECT / case["base"]
    before = base.read_text(encoding="utf-8")
    after = case["text"] if "text" in case else edited(before, case["edits"])
    if after == before:
        raise CorpusError("the edits change nothing")
    (folder / ("before" + base.suffix)).write_text(before, encoding="utf-8")
    (folder / ("after" + base.suffix)).write_text(after, encoding="utf-8")
    arguments = ["audit", "--patch", "before" + base.suffix, "after" + base.suffix,
                 "--job", str(PROJECT / case["job"])]
    if "set" in case:
        arguments += ["--set", case["set"]]
    return arguments + case.get("options", [])


def recorded(run, name, folder, program):
    """A folder of the project's, an invented run, or a simulated one."""
    if "folder" in run:
        return str(PROJECT / run["folder"])
    if "base" in run:
        workloads.write(folder / name, run)
        return name
    arguments = ["profile", "-n", name, "-p", ".", str(PROJECT / run["job"]), "--gpu", run["gpu"]]
    for option in ("set", "order"):
        if option in run:
            arguments += ["--" + option, run[option]]
    done = subprocess.run([program, *arguments], cwd=folder, check=False, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIME_LIMIT_S)
    if done.returncode != 0:
        raise CorpusError(done.stderr.decode("utf-8", "replace"))
    return name


def profile_arguments(case, folder, program):
    """Two runs, and options in which examples/ is that of the project."""
    options = [str(PROJECT / option) if option.startswith("examples/") else option
               for option in case.get("options", [])]
    runs = [recorded(case[name], name, folder, program) for name in ("before", "after")]
    return ["audit", "--profile", *runs, *options]


KINDS = {"orders": order_arguments, "patches": patch_arguments, "profiles": profile_arguments}

# ---- all cases ------------------------------------------------------------------------------------


def read_cases():
    cases = []
    for kind in KINDS:
        with open(FOLDER / f"{kind}.toml", "rb") as file:
            for case in tomllib.load(file)["case"]:
                case["kind"] = kind
                cases.append(case)
    names = set()
    for case in cases:
        if case["label"] not in LABELS or ("cheat" in case) != (case["label"] == "cheat"):
            raise CorpusError(f"{case['name']}: a label is honest, or cheat with its number")
        if case["name"] in names:
            raise CorpusError(f"two cases are called {case['name']}")
        names.add(case["name"])
    return cases


def judge(case, program):
    """(verdict or None, what was said, seconds)."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="heddle-corpus-") as name:
        try:
            arguments = KINDS[case["kind"]](case, pathlib.Path(name), program)
            done = subprocess.run([program, *arguments], cwd=name, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=TIME_LIMIT_S)
        except (CorpusError, workloads.UnknownFigure, OSError, KeyError,
                subprocess.TimeoutExpired) as error:
            return None, f"{type(error).__name__}: {error}", time.monotonic() - began
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    verdict = VERDICTS.get(done.returncode)
    if verdict is None:
        said += f"[exit {done.returncode}]\n"
    return verdict, said, time.monotonic() - began


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def print_table(counts):
    head = ("PROVED", "REFUTED", "UNKNOWN", "failed", "waits")
    print(f"{'kind':<10}{'label':<8}" + "".join(f"{word:>9}" for word in head))
    for kind in KINDS:
        for label in LABELS:
            numbers = [counts.get((kind, label, word), 0) for word in head]
            if any(numbers):
                print(f"{kind:<10}{label:<8}" + "".join(f"{number:>9}" for number in numbers))


def chosen_cases(cases, names):
    unknown = set(names) - {case["name"] for case in cases}
    if unknown:
        sys.exit(f"run.py: no case is called {', '.join(sorted(unknown))}")
    return [case for case in cases if not names or case["name"] in names]


def main():
    parser = argparse.ArgumentParser(description="Runs the program on the labelled corpus.")
    parser.add_argument("--program", required=True, help="the heddle to run")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="cases side by side (2)")
    parser.add_argument("--times", action="store_true", help="list the slowest cases")
    parser.add_argument("names", nargs="*", help="cases to run and to print; all otherwise")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    if not program.is_file():
        sys.exit(f"run.py: {arguments.program} is not a program")
    try:
        everything = read_cases()
    except CorpusError as error:
        sys.exit(f"run.py: {error}")
    cases = chosen_cases(everything, arguments.names)
    waiting = [] if arguments.names else [case for case in cases if "waits" in case]
    running = [case for case in cases if case not in waiting]
    with concurrent.futures.ThreadPoolExecutor(max(arguments.j, 1)) as pool:
        results = list(pool.map(lambda case: judge(case, program), running))

    counts = {}
    failures = 0
    unknowns = []
    for case in waiting:
        counts[case["kind"], case["label"], "waits"] = (
            counts.get((case["kind"], case["label"], "waits"), 0) + 1)
        print(f"waits for {case['waits']}: {case['name']}")
    for case, (verdict, said, _) in zip(running, results):
        key = (case["kind"], case["label"], verdict or "failed")
        counts[key] = counts.get(key, 0) + 1
        wrong = verdict is None or (case["label"], verdict) in WRONG
        if wrong:
            failures += 1
            print(f"WRONG {case['kind']}/{case['name']}: {case['label']}, but "
                  f"{verdict or 'not judged'} ({case['why']})")
        if wrong or arguments.names:
            print(indented(said), end="")
        if verdict == "UNKNOWN":
            unknowns.append(case["name"])
    if unknowns:
        print("UNKNOWN " + ", ".join(unknowns))
    if arguments.times:
        slow = sorted(zip((result[2] for result in results), (case["name"] for case in running)))
        for seconds, name in reversed(slow[-15:]):
            print(f"{seconds:7.2f} s  {name}")
    print_table(counts)
    if not arguments.names:
        if len(unknowns) > MOST_UNKNOWN * len(running):
            failures += 1
            print(f"FAILED: {len(unknowns)} of {len(running)} are UNKNOWN")
        for label in LABELS:
            number = sum(case["label"] == label for case in running)
            if number < LEAST_OF_EACH_LABEL:
                failures += 1
                print(f"FAILED: {number} cases labelled {label}, fewer than {LEAST_OF_EACH_LABEL}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
