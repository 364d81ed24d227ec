"""Output that cannot be written: an error, and no file that is cut.

    tests/output/run.py --program build/heddle
"""
import argparse
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

CHECK = ["check", "xcd(8)", "--grid", "64x64"]
COMMANDS = [
    CHECK,
    [*CHECK, "--json"],
    ["gpus"],
    ["emit", "xcd(8)", "--axes", "2", "--lang", "hip"],
    ["--help"],
    ["--version"],
    ["explain", "--help"],
]
OLD = "the old file\n"
WRITERS = [
    (["gpus", "mi300x", "-o"], "report.json"),
    ([*CHECK, "--show", "-o"], "report.txt"),
    ([*CHECK, "--write-table"], "table.txt"),
]


def little_room():
    """Files may have a kilobyte, as on a disk that is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def lost_output(program, failures):
    for command in COMMANDS:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([program, *command], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        if done.returncode != 4 or "standard output cannot be written" not in done.stderr:
            failures.append(f"{command} > /dev/full: code {done.returncode}, {done.stderr!r}")


def cut_files(program, failures):
    for command, name in WRITERS:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(OLD, encoding="utf-8")
            command = [program, *command, str(path)]
            good = subprocess.run(command, capture_output=True, text=True, check=False)
            if good.returncode != 0 or path.stat().st_size <= 1024:
                failures.append(f"{command}: code {good.returncode}, {good.stderr!r}")
            path.write_text(OLD, encoding="utf-8")
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  preexec_fn=little_room)
            if done.returncode != 4 or "cannot write" not in done.stderr:
                failures.append(f"{command}: code {done.returncode}, {done.stderr!r}")
            if path.read_text(encoding="utf-8") != OLD:
                failures.append(f"{command}: the old file is gone")
            if len(list(pathlib.Path(folder).iterdir())) != 1:
                failures.append(f"{command}: something is left beside the file")


def main():
    parser = argparse.ArgumentParser(description="Output that cannot be written.")
    parser.add_argument("--program", required=True)
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    failures = []
    lost_output(program, failures)
    cut_files(program, failures)
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
