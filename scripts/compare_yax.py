#!/usr/bin/env python3
"""Compares simulated profiles of yAx with the published ones: validation/profiles/yax_mi210.csv.

    compare_yax.py --program build/heddle [--form slow|fast]

Both forms are simulated in full, which takes about 40 s, nearly all of it for the slow one. Exit status 1
if a figure is farther off than its limit.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = ["16.1", "16.3", "16.4", "17.1", "17.2", "17.3"]


def published():
    with open(PROJECT / "validation/profiles/yax_mi210.csv", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def simulated(program, form, folder):
    """Metric id -> value of its first number."""
    subprocess.run([program, "profile", "-n", form, "-p", folder, PROJECT / f"examples/yax_{form}.toml",
                    "--gpu", "mi210"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([program, "analyze", "-p", f"{folder}/{form}/MI200", "-b", *BLOCKS, "--json"],
                          check=True, stdout=subprocess.PIPE)
    values = {}
    for panel in json.loads(done.stdout)["runs"][0]["panels"]:
        for table in panel["tables"]:
            if table["id"] == "0.1":
                values["duration"] = table["rows"][0][table["columns"].index("Mean(ns)")]
            if "Avg" in table["columns"]:
                column = table["columns"].index("Avg")
                values.update({row[0]: row[column] for row in table["rows"]})
    return values


def deviation(value, expected, kind):
    if kind == "points":
        return value - expected
    if expected == 0:
        return 0.0 if value == 0 else float("inf")
    return 100 * (value - expected) / expected


def main():
    parser = argparse.ArgumentParser(description="Compares simulated profiles of yAx with published ones.")
    parser.add_argument("--program", required=True, help="the heddle to run")
    parser.add_argument("--form", choices=("slow", "fast"), help="one of them; both otherwise")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    far = 0
    with tempfile.TemporaryDirectory(prefix="heddle-yax-") as folder:
        for form in (arguments.form,) if arguments.form else ("slow", "fast"):
            values = simulated(program, form, folder)
            print(f"{form:<10}{'':24}{'published':>14}{'simulated':>14}{'off by':>10}   limit")
            for row in published():
                if not row[form]:
                    continue
                expected, limit = float(row[form]), float(row[f"{form}_limit"])
                unit = "%" if row["limit_in"] == "percent" else "points"
                value = values.get(row["metric"])
                if value is None:
                    far += 1
                    print(f"{row['metric']:<10}{row['name']:<24}{expected:>14,.2f}{'absent':>14}")
                    continue
                off = deviation(value, expected, row["limit_in"])
                mark = "" if abs(off) <= limit else "   too far"
                far += bool(mark)
                print(f"{row['metric']:<10}{row['name']:<24}{expected:>14,.2f}{value:>14,.2f}"
                      f"{off:>+10.2f} {unit}, {limit:g}{mark}")
    print("all within their limits" if far == 0 else f"{far} are not within their limits")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
