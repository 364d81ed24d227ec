#!/usr/bin/env python3
"""Compares traced addresses with the recorded ones of Triton. Needs no Triton.

    check.py --program PATH      heddle
    check.py --oracle            the dense interpreter of tests/oracle

The records are in recorded/*.json; dump_addresses.py makes them.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
sys.path[:0] = [str(HERE), str(HERE.parent / "oracle")]

import dense  # noqa: E402
import recorded_form  # noqa: E402

TIME_LIMIT_S = 120


class Refused(Exception):
    """No trace."""


def of_heddle(program, job, settings, folder):
    path = pathlib.Path(folder) / "addresses.jsonl"
    command = [str(program), "trace", str(job), "--addresses", str(path)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_S)
    if done.returncode != 0:
        raise Refused(f"exit {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def job_of(case, folder):
    """The example's job, or the one that is kept with the record."""
    if "files" not in case:
        return EXAMPLES / f"{case['name']}.toml"
    for name, text in case["files"].items():
        (folder / name).write_text(text, encoding="utf-8")
    return next(folder / name for name in case["files"] if name.endswith(".toml"))


def check(case, arguments):
    """Nothing, or the text of a failure."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        job = job_of(case, folder)
        if arguments.oracle:
            records = list(dense.records(job, case["settings"]))
        else:
            try:
                records = of_heddle(arguments.program, job, case["settings"], folder)
            except Refused as error:
                return f"heddle refuses it: {error}"
    return recorded_form.first_difference(case, records)


def main():
    parser = argparse.ArgumentParser(description="Compares addresses with Triton's.")
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--program", help="the heddle to run")
    chosen.add_argument("--oracle", action="store_true", help="check the dense interpreter")
    parser.add_argument("--recorded", default=HERE / "recorded", help="folder of the records")
    arguments = parser.parse_args()
    total = failed = 0
    for path in sorted(pathlib.Path(arguments.recorded).glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for case in content["cases"]:
            total += 1
            difference = check(case, arguments)
            if difference:
                failed += 1
                print(f"FAILED {path.stem}: {case['name']} {case['settings']}\n  {difference}")
    print(f"{total - failed} of {total} agree with Triton")
    sys.exit(1 if failed or not total else 0)


if __name__ == "__main__":
    main()
