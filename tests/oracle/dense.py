#!/usr/bin/env python3
"""Which bytes every memory instruction of a job touches, the slow and obvious way.

    dense.py JOB.toml [--set NAME=EXPRESSION ...] [--tile X,Y,Z]

Prints one JSON object a line, tile by tile in the order of launch ids, each in program order:

    {"tile": [0, 0, 0], "line": 14, "kind": "read", "tensor": "x_ptr", "element_bytes": 2,
     "offsets": [0, 2, 4, 6]}

The kernel's own source runs in Python with a triton.language in which every block is a plain list
(dense_language.py, dense_values.py, dense_memory.py). Nothing is shared with heddle: jobs are read
by tomllib (dense_job.py), the source by Python (dense_source.py), contents are generated a second
time (dense_contents.py). For small sizes only.
"""
import argparse
import json
import sys

import dense_job
from dense_memory import MACHINE
from dense_values import DenseError


def records(path, overrides=None, tile=None):
    """Every memory instruction of the job, or of one tile."""
    job = dense_job.Job(path, overrides)
    for index in [tile] if tile is not None else dense_job.tiles(job.grid):
        MACHINE.begin(index, job.grid, job.tensors)
        job.kernel.function(**job.arguments)
        yield from MACHINE.records


def overrides_of(texts):
    return dict(text.split("=", 1) for text in texts)


def main():
    parser = argparse.ArgumentParser(description="Dense reference trace of a job.")
    parser.add_argument("job")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=EXPRESSION")
    parser.add_argument("--tile", help="one tile only, e.g. 3,5,0")
    arguments = parser.parse_args()
    tile = None
    if arguments.tile:
        tile = tuple(int(part) for part in arguments.tile.split(","))
        tile += (0,) * (3 - len(tile))
    try:
        for record in records(arguments.job, overrides_of(arguments.set), tile):
            print(json.dumps(record))
    except DenseError as error:
        sys.exit(f"dense.py: {error}")


if __name__ == "__main__":
    main()
