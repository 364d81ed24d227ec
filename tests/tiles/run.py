#!/usr/bin/env python3
"""Checks the labels of the tile kernels against four witnesses.

    run.py --program PATH [NAME ...]

1. oracle.py: `map` is what its function gives.
2. A trace: each tile writes first where the oracle says, in the order of its block.
3. Traces with other values of a knob: the same accesses, by other blocks.
4. `heddle check`: where a label has an `order`, that order gives the map; where it has none, no
   family without parameters does.
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import oracle

FOLDER = pathlib.Path(__file__).resolve().parent
PLAIN_FAMILIES = ("identity", "reverse", "columns", "snake", "morton", "hilbert")


def rounds(entry):
    """The tiles of a block, one after the other; a map holds a tile, a list of tiles or nothing."""
    if not entry or isinstance(entry[0], list):
        return entry
    return [entry]


def number(index, extents):
    result = 0
    for at, extent in zip(index, extents):
        result = result * extent + at
    return result


def check_map(name, label):
    """The label's map is the oracle's; unless it is refused, it is a permutation of the box."""
    faults = []
    if label["map"] != oracle.map_of(name, label["coordinates"]):
        faults.append("the map is not the oracle's (oracle.py --update)")
    tiles = [tuple(tile) for entry in label["map"] for tile in rounds(entry)]
    box = set(itertools.product(*map(range, label["extents"])))
    if not label["family"].startswith("refused") and (len(tiles) != len(box) or set(tiles) != box):
        faults.append("the map is not a permutation of its box")
    for names in label.get("also", []):
        other = oracle.map_of(name, names)
        pairs = {(str(a), str(b)) for a, b in zip(label["map"], other)}
        if len(pairs) != len({a for a, _ in pairs}) or len(pairs) != len({b for _, b in pairs}):
            faults.append(f"{names} is not the same space")
    return faults


def traced(program, name, *arguments):
    """Every access of every block; or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "addresses.jsonl"
        done = subprocess.run([program, "trace", FOLDER / "kernels" / (name + ".toml"),
                               "--addresses", path, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            return "trace: " + done.stderr.strip()
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check_trace(program, name):
    """First element that each tile writes or reads, against the oracle's."""
    values, tiles = oracle.tiles_of(name)
    accesses = traced(program, name)
    if isinstance(accesses, str):
        return [accesses]
    faults = []
    for kind, touched in oracle.KERNELS[name].touched.items():
        firsts = first_touched(accesses, kind)
        for block, tile in zip(oracle.blocks(values.grid), tiles):
            mine = [each for each in (tile if isinstance(tile, list) else [tile])
                    if each and not each.get("idle")]
            expected = [touched(values, each) for each in mine]
            seen = [first for first in firsts.get(block, []) if first in expected]
            idle = kind == "write" and not mine and block in firsts
            if [first for first, _ in itertools.groupby(seen)] != expected or idle:
                faults.append(f"trace: block {block}, {kind} {firsts.get(block, [])[:3]}, "
                              f"the oracle says {expected[:3]}")
    return faults[:1]


def first_touched(accesses, kind):
    """Of every block: tensor and lowest element of each access, in program order."""
    firsts = {}
    for access in accesses:
        if (access["kind"] == "read") == (kind == "read") and access["offsets"]:
            lowest = min(access["offsets"]) // access["element_bytes"]
            firsts.setdefault(tuple(access["tile"]), []).append((access["tensor"], lowest))
    return firsts


def multiset(by_block, label):
    """What the tiles do, whoever does it; of a persistent kernel what its accesses do."""
    parts = by_block.values()
    return sorted(itertools.chain.from_iterable(parts) if "loop" in label else parts)


def check_knobs(program, name, label):
    """With another value of a knob the same accesses are done, by other blocks."""
    def done(*arguments):
        accesses = traced(program, name, *arguments)
        by_block = {}
        for access in accesses if isinstance(accesses, list) else []:
            what = (access["line"], access["offsets"])
            by_block.setdefault(tuple(access["tile"]), []).append(what)
        return by_block
    faults = []
    before = done() if label["knobs"] else {}
    values, _ = oracle.tiles_of(name)
    for knob in label["knobs"]:
        after = done("--set", f"{knob}={getattr(values, knob) + 1}")
        if multiset(before, label) != multiset(after, label):
            faults.append(f"{knob} reaches more than the index")
        if before == after:
            faults.append(f"{knob} does not reach the index")
    return faults


def table(program, order, extents):
    done = subprocess.run([program, "check", order, "--tiles", "x".join(map(str, extents)),
                           "--write-table", "/dev/stdout", "-o", "/dev/null"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return [int(line) for line in done.stdout.splitlines() if not line.startswith("#")]


def merged(extents):
    """At most three axes: the order language has no more. The slowest ones are joined."""
    while len(extents) > 3:
        extents = [extents[0] * extents[1], *extents[2:]]
    return extents if len(extents) > 1 else [1, *extents]


def dealt(tiles, label):
    """The tiles of every block, if block b of a persistent kernel does so many of them."""
    counts = [len(rounds(entry)) for entry in label["map"]]
    if label["loop"] == "strided":
        return [tiles[block::len(counts)] for block in range(len(counts))]
    ends = list(itertools.accumulate(counts))
    return [tiles[end - count:end] for end, count in zip(ends, counts)]


def check_order(program, label):
    numbers = [[number(tile, label["extents"]) for tile in rounds(entry)] for entry in label["map"]]
    if "order" in label:
        tiles = table(program, label["order"], merged(label["extents"]))
        if tiles is None:
            return [f"check does not take {label['order']}"]
        whole = dealt(tiles, label) if "loop" in label else [[tile] for tile in tiles]
        return [] if whole == numbers else [f"{label['order']} is another map"]
    if label["family"] != "formula" or len(label["extents"]) > 3:
        return []
    orders = [*PLAIN_FAMILIES, *([label["near"]] if "near" in label else [])]
    return [f"it is {order} after all" for order in orders
            if [[tile] for tile in table(program, order, merged(label["extents"]))] == numbers]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    with open(FOLDER / "labels.toml", "rb") as file:
        labels = tomllib.load(file)
    jobs = {path.stem for path in (FOLDER / "kernels").glob("*.toml")}
    faults = [f"{name}: not in both kernels/ and labels.toml"
              for name in sorted(jobs ^ set(labels))]
    chosen = arguments.names or sorted(labels)
    for name in chosen:
        found = check_map(name, labels[name]) + check_trace(arguments.program, name)
        found += check_knobs(arguments.program, name, labels[name])
        found += check_order(arguments.program, labels[name])
        faults += [f"{name}: {fault}" for fault in found]
    print("\n".join(faults + [f"{len(chosen)} kernels, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
