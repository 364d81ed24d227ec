#!/usr/bin/env python3
"""Compares the addresses heddle traces with those of the dense interpreter, element by element.

    run.py --program PATH [--kernels 300] [--first 0] [--keep FOLDER] [NAME ...]

Every example at its small sizes (oracle/small_sizes.py), then random kernels
(oracle/random_kernels.py). NAMEs choose examples, or random kernels by their seed.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = TESTS.parent / "examples"
sys.path.insert(0, str(TESTS / "oracle"))

import dense  # noqa: E402
import random_kernels  # noqa: E402
import small_sizes  # noqa: E402
from dense_values import DenseError  # noqa: E402

TIME_LIMIT_S = 120
SHOWN = 8


class Refused(Exception):
    """heddle gave no trace."""


def traced(program, job, settings, folder):
    """The records heddle writes."""
    path = pathlib.Path(folder) / "addresses.jsonl"
    path.unlink(missing_ok=True)
    command = [str(program), "trace", str(job), "--addresses", str(path)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_S)
    if done.returncode != 0:
        raise Refused(f"exit {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def summary(record):
    if record is None:
        return "nothing"
    offsets = record["offsets"]
    shown = ", ".join(str(offset) for offset in offsets[:SHOWN])
    more = f", ... ({len(offsets)} in all)" if len(offsets) > SHOWN else ""
    return (f"tile {tuple(record['tile'])} line {record['line']}: {record['kind']} of "
            f"{record['tensor']}, {record['element_bytes']} B at [{shown}{more}]")


def first_difference(expected, actual):
    """Nothing if the two lists agree, else what differs first."""
    for i in range(max(len(expected), len(actual))):
        want = expected[i] if i < len(expected) else None
        have = actual[i] if i < len(actual) else None
        if want == have:
            continue
        text = f"  record {i} of {len(expected)}\n    oracle: {summary(want)}\n"
        text += f"    heddle: {summary(have)}"
        if want and have and len(want["offsets"]) == len(have["offsets"]):
            for k, (a, b) in enumerate(zip(want["offsets"], have["offsets"])):
                if a != b:
                    return f"{text}\n    element {k} of the active ones: oracle {a}, heddle {b}"
        return text
    return None


def compare(program, job, settings, folder):
    """Nothing, or the text of a failure."""
    try:
        expected = list(dense.records(job, settings))
    except DenseError as error:
        return f"  the oracle refuses it: {error}"
    try:
        actual = traced(program, job, settings, folder)
    except Refused as error:
        return f"  heddle refuses it: {error}"
    except subprocess.TimeoutExpired:
        return f"  heddle takes more than {TIME_LIMIT_S} s"
    return first_difference(expected, actual)


def jobs(arguments, folder):
    """(text, job file, settings) of everything that is to be compared."""
    for name, settings in small_sizes.cases():
        if not arguments.names or name in arguments.names:
            text = " ".join(f"{key}={value}" for key, value in settings.items())
            yield f"{name} {text}", EXAMPLES / f"{name}.toml", settings
    seeds = range(arguments.first, arguments.first + arguments.kernels)
    if arguments.names:
        seeds = [int(name) for name in arguments.names if name.isdigit()]
    for seed in seeds:
        yield f"random kernel {seed}", random_kernels.write(seed, folder), {}


def main():
    parser = argparse.ArgumentParser(description="Compares heddle's addresses with the oracle's.")
    parser.add_argument("--program", required=True, help="the heddle to run")
    parser.add_argument("--kernels", type=int, default=300, help="how many random kernels")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--keep", help="write the random kernels here and leave them")
    parser.add_argument("names", nargs="*", help="examples or seeds; everything otherwise")
    arguments = parser.parse_args()
    failed = total = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or scratch
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        for text, job, settings in jobs(arguments, folder):
            total += 1
            difference = compare(arguments.program, job, settings, folder)
            if difference:
                failed += 1
                print(f"FAILED {text}\n{difference}")
    print(f"{total - failed} of {total} agree")
    sys.exit(1 if failed or not total else 0)


if __name__ == "__main__":
    main()
