#!/usr/bin/env python3
"""A proposer for `heddle optimize --propose-cmd`: groups of 2, 4, 8, ... rows in each die.

heddle writes JSON to standard input, once per round, and reads orders from standard output. The
program keeps nothing between rounds: what it needs is in the JSON. It never says whether an order
is right or fast; heddle proves and replays it.
"""
import json
import sys


def main():
    state = json.load(sys.stdin)
    rows = state["grid"][1] if len(state["grid"]) > 1 else 1
    height = 2 ** state["round"]
    if height >= rows:
        return  # nothing printed: no more to say
    print(f"xcd({state['gpu']['dies']}) | group({height})")


if __name__ == "__main__":
    main()
