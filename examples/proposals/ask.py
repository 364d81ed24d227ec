#!/usr/bin/env python3
"""A proposer for `heddle optimize --propose-cmd`: one formula per round, the next wider group.

heddle writes JSON to standard input, once per round, and reads orders from standard output. This
program keeps nothing between rounds: what it needs is in the JSON. It never says whether its order
is right or fast; heddle proves and replays it.
"""
import json
import sys


def main():
    state = json.load(sys.stdin)
    dies = state["gpu"]["dies"]
    rows = state["grid"][1] if len(state["grid"]) > 1 else 1
    height = 2 ** state["round"]
    if height >= rows:
        return  # printing nothing says that there is no more to try
    best = state["best"]
    print(f"# round {state['round']}: the best so far is {best['formula']}, "
          f"{best['predicted_speedup']:.3f}x")
    print(f"xcd({dies}) | group({height})")


if __name__ == "__main__":
    main()
