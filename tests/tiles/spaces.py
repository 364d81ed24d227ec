#!/usr/bin/env python3
"""Compares the tile spaces that `heddle trace` finds with labels.toml.

    spaces.py --program PATH [--least COUNT] [--least-knobs COUNT] [NAME ...]

A kernel is right if its coordinates, their extents, the map of every block and its family are; where
the label is a refusal, heddle must refuse. Axes may come in another order, and another family may be
the same map. Knobs are counted apart.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tomllib

import run

FOLDER = pathlib.Path(__file__).resolve().parent


def found_space(program, job, *arguments):
    done = subprocess.run([program, "trace", job, "--json", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        return {"refusal": "trace: " + done.stderr.strip()}
    return json.loads(done.stdout)["tile_space"]


def index_of(tile, extents):
    index = []
    for extent in reversed(extents):
        index.append(tile % extent)
        tile //= extent
    return index[::-1]


def spaces_of(label):
    """The label's own coordinates, then those of `also`, which have no map."""
    yield label["coordinates"]
    yield from label.get("also", [])


def compare(program, found, label):
    """What is wrong: a set of "coordinates", "extents", "map", "family"."""
    is_refused = label["family"].startswith("refused")
    if found["refusal"] or is_refused:
        return set() if bool(found["refusal"]) == is_refused else {"refusal"}
    names = [one["name"] for one in found["coordinates"]]
    extents = [one["extent"] for one in found["coordinates"]]
    wrong = set()
    match = next((own for own in spaces_of(label) if sorted(own) == sorted(names)), None)
    if match is None:
        wrong.add("coordinates")
    if sorted(extents) != sorted(label["extents"]) and match in (None, label["coordinates"]):
        wrong.add("extents")
    if match == label["coordinates"] and not wrong:
        places = [names.index(name) for name in label["coordinates"]]
        if [extents[place] for place in places] != label["extents"]:
            wrong.add("extents")
        seen = [[[index_of(tile, extents)[place] for place in places] for tile in tiles]
                for tiles in found["map"]]
        if seen != [run.rounds(entry) for entry in label["map"]]:
            wrong.add("map")
    is_launch = found["text"] == "each an axis of the launch"  # has no order; the map says it all
    if is_launch and (found["order"] or match != label["coordinates"]):
        wrong.add("family")
    if not is_launch and bool(found["order"]) != ("order" in label):
        wrong.add("family")
    if not is_launch and names == label["coordinates"] and found["order"] != label.get("order") and not wrong:
        if run.check_order(program, {**label, "order": found["order"]}):
            wrong.add("family")
    if label.get("loop", "once") != found["walk"]:
        wrong.add("walk")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--least", type=int, default=0, help="fail if fewer kernels are right")
    parser.add_argument("--least-knobs", type=int, default=0)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    with open(FOLDER / "labels.toml", "rb") as file:
        labels = tomllib.load(file)
    chosen = arguments.names or sorted(labels)
    right, knobs = 0, 0
    for name in chosen:
        found = found_space(arguments.program, FOLDER / "kernels" / (name + ".toml"))
        wrong = compare(arguments.program, found, labels[name])
        right += not wrong
        own = sorted(one["name"] for one in found.get("knobs", []))
        wanted = sorted(labels[name]["knobs"]) if not found["refusal"] else own
        knobs += own == wanted
        if wrong:
            print(f"{name}: wrong {', '.join(sorted(wrong))}; {summary(found)}")
        if own != wanted:
            print(f"{name}: knobs {own}, the label has {wanted}")
    print(f"{len(chosen)} kernels, {right} right, knobs of {knobs} right")
    return 0 if right >= arguments.least and knobs >= arguments.least_knobs else 1


def summary(found):
    if found["refusal"]:
        return found["refusal"]
    box = " x ".join(f"{one['name']}:{one['extent']}" for one in found["coordinates"])
    return f"{box}, {found['text']}"


if __name__ == "__main__":
    sys.exit(main())
