#!/usr/bin/env python3
"""scripts/commit-msg on messages that it must take, and on those that it must not."""
import pathlib
import subprocess
import sys
import tempfile

HOOK = pathlib.Path(__file__).resolve().parents[2] / "scripts/commit-msg"
BODY = "\n\nIt was wrong before.\n"
GOOD = [
    "Read chained comparisons" + BODY,
    "Pass the grid to the prover" + BODY,
    "Bring bounds to all grids" + BODY,
    "Embed the runner" + BODY,
    "Read " + "x" * 67 + BODY,
    "Merge branch 'other'",
    'Revert "Read chained comparisons"',
    "fixup! Read",
    "# a remark of git's\nRead it" + BODY + "# another one, which may be as long as it likes to be, and longer than 72\n",
    "Read it\n\nSee\nhttps://example.org/" + "a" * 80 + "\nfor why.\n",
    "Read it" + BODY + "# ------------------------ >8 ------------------------\ndiff --git a b " + "c " * 80,
]
BAD = {
    "": "no subject",
    "Read " + "x" * 68 + BODY: "more than 72",
    "Read it." + BODY: "full stop",
    "read it" + BODY: "capital",
    "Reads it" + BODY: "imperative",
    "Fixed it" + BODY: "imperative",
    "Adding it" + BODY: "imperative",
    "The reader reads" + BODY: "imperative",
    "Read it\nand more\n": "second line",
    "Read it\n": "no body",
    "Read it\n\n\n": "no body",
    "Read it\n\nSigned-off-by: Somebody\n": "no body",
    "Read it\n\n" + "word " * 20: "characters",
}


def run(message):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(message)
        file.flush()
        return subprocess.run(["bash", HOOK, file.name], capture_output=True, text=True, check=False)


def main():
    failed = 0
    for message in GOOD:
        done = run(message)
        if done.returncode != 0:
            failed += 1
            print(f"FAILED {message!r} is refused: {done.stderr}")
    for message, why in BAD.items():
        done = run(message)
        if done.returncode == 0 or why not in done.stderr or "try: " not in done.stderr:
            failed += 1
            print(f"FAILED {message!r} is taken, or not for {why!r}: {done.stderr}")
    print(f"{len(GOOD) + len(BAD) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
