#!/usr/bin/env python3
"""Runs the program on the labelled corpus and compares its verdicts with the labels.

    run.py --program PATH [-j N] [--times] [--list] [NAME ...]

A NAME is a case or a class. README.md says what a case looks like. A verdict is the exit status:
0 PROVED, 1 REFUTED, 3 UNKNOWN.
"""
import argparse
import collections
import concurrent.futures
import os
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
REFUSED = 2
WRONG = {("cheat", "PROVED"), ("honest", "REFUTED")}
LABELS = ("honest", "cheat")
LEAST_OF_EACH_LABEL = 60
MOST_UNKNOWN = {"honest": 0.08, "cheat": 0.5}
SIDES = ("before", "after")


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


def with_base(case):
    """The case with what `on` names in bases.toml put in; the case's own keys win."""
    if "on" not in case:
        return case
    with open(FOLDER / "bases.toml", "rb") as file:
        return {**tomllib.load(file)[case["on"]], **case}


def files_beside(case, side):
    """Name and text of each file beside the kernel on that side."""
    files = {name: (PROJECT / path).read_text(encoding="utf-8")
             for name, path in case.get("beside", {}).items()}
    files.update(case.get("files", {}))
    files.update(case.get("files_" + side, {}))
    if side == "after":
        for name, edits in case.get("edits_of", {}).items():
            files[name] = edited(files[name], edits)
    return files


def patch_arguments(case, folder, _):
    """The base and the base with edits (or `text` instead), each in a folder with its files."""
    case = with_base(case)
    base = PROJECT / case["base"]
    before = edited(base.read_text(encoding="utf-8"), case.get("edits_of_both", []))
    after = case["text"] if "text" in case else edited(before, case.get("edits", []))
    beside = {side: files_beside(case, side) for side in SIDES}
    if after == before and beside["before"] == beside["after"]:
        raise CorpusError("the edits change nothing")
    for side, text in zip(SIDES, (before, after)):
        for name, content in {base.name: text, **beside[side]}.items():
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="")
    arguments = ["audit", "--patch", *(f"{side}/{base.name}" for side in SIDES),
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
    """All cases; KIND.toml is the class `general`, a file of the folder KIND its own class."""
    cases = []
    for kind in KINDS:
        for path in (FOLDER / f"{kind}.toml", *sorted((FOLDER / kind).glob("*.toml"))):
            with open(path, "rb") as file:
                for case in tomllib.load(file)["case"]:
                    case["kind"] = kind
                    case["class"] = "general" if path.parent == FOLDER else path.stem
                    cases.append(case)
    names = {case["class"] for case in cases}
    for case in cases:
        if case["label"] not in LABELS or ("cheat" in case) != (case["label"] == "cheat"):
            raise CorpusError(f"{case['name']}: a label is honest, or cheat with its number")
        if case["name"] in names:
            raise CorpusError(f"two cases or classes are called {case['name']}")
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
    if done.returncode == REFUSED and case.get("may_be_refused", False):
        verdict = "UNKNOWN"
    if verdict is None:
        said += f"[exit {done.returncode}]\n"
    return verdict, said, time.monotonic() - began


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def print_table(counts):
    """A line for each class and label, and the sums of each label."""
    head = ("PROVED", "REFUTED", "UNKNOWN", "failed", "waits")
    print(f"{'kind':<10}{'class':<14}{'label':<8}" + "".join(f"{word:>9}" for word in head))
    sums = collections.Counter()
    for kind, group, label in dict.fromkeys(key[:3] for key in sorted(counts)):
        numbers = [counts[kind, group, label, word] for word in head]
        for word, number in zip(head, numbers):
            sums[label, word] += number
        print(f"{kind:<10}{group:<14}{label:<8}" + "".join(f"{number:>9}" for number in numbers))
    for label in LABELS:
        print(f"{'all':<24}{label:<8}" + "".join(f"{sums[label, word]:>9}" for word in head))


def print_limits(running, verdicts):
    """How many limits are broken, each with a line."""
    failures = 0
    for label in LABELS:
        those = [verdict for case, verdict in zip(running, verdicts) if case["label"] == label]
        unknown = those.count("UNKNOWN")
        if unknown > MOST_UNKNOWN[label] * len(those):
            failures += 1
            print(f"FAILED: {unknown} of {len(those)} cases labelled {label} are UNKNOWN, more "
                  f"than {MOST_UNKNOWN[label]:.0%}")
        if len(those) < LEAST_OF_EACH_LABEL:
            failures += 1
            print(f"FAILED: {len(those)} cases labelled {label}, fewer than {LEAST_OF_EACH_LABEL}")
    return failures


def chosen_cases(cases, names):
    unknown = set(names) - {case[key] for case in cases for key in ("name", "class")}
    if unknown:
        sys.exit(f"run.py: no case or class is called {', '.join(sorted(unknown))}")
    return [case for case in cases if not names or case["name"] in names or case["class"] in names]


def main():
    parser = argparse.ArgumentParser(description="Runs the program on the labelled corpus.")
    parser.add_argument("--program", required=True, help="the heddle to run")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="cases side by side (2)")
    parser.add_argument("--times", action="store_true", help="list the slowest cases")
    parser.add_argument("--list", action="store_true", help="a line for each case, no more")
    parser.add_argument("names", nargs="*", help="cases or classes to run; all otherwise")
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
    with tempfile.TemporaryDirectory(prefix="heddle-corpus-cache-") as cache:
        # A kernel that many cases begin with is compiled once, and nothing of another run is used.
        os.environ["XDG_CACHE_HOME"] = cache
        os.environ.pop("HEDDLE_CACHE", None)
        with concurrent.futures.ThreadPoolExecutor(max(arguments.j, 1)) as pool:
            results = list(pool.map(lambda case: judge(case, program), running))

    counts = collections.Counter()
    failures = 0
    for case in waiting:
        counts[case["kind"], case["class"], case["label"], "waits"] += 1
        print(f"waits for {case['waits']}: {case['name']}")
    for case, (verdict, said, _) in zip(running, results):
        counts[case["kind"], case["class"], case["label"], verdict or "failed"] += 1
        wrong = verdict is None or (case["label"], verdict) in WRONG
        if wrong:
            failures += 1
            print(f"WRONG {case['kind']}/{case['class']}/{case['name']}: {case['label']}, but "
                  f"{verdict or 'not judged'} ({case['why']})")
        elif arguments.list:
            print(f"{verdict} {case['kind']}/{case['class']}/{case['name']}: {case['label']}")
        if (wrong and not arguments.list) or case["name"] in arguments.names:
            print(indented(said), end="")
    for label in LABELS:
        unknown = [case["name"] for case, result in zip(running, results)
                   if case["label"] == label and result[0] == "UNKNOWN"]
        if unknown:
            print(f"UNKNOWN {label}: " + ", ".join(unknown))
    if arguments.times:
        slow = sorted(zip((result[2] for result in results), (case["name"] for case in running)))
        for seconds, name in reversed(slow[-15:]):
            print(f"{seconds:7.2f} s  {name}")
    print_table(counts)
    if not arguments.names:
        failures += print_limits(running, [result[0] for result in results])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
