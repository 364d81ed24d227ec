#!/usr/bin/env python3
"""heddle sweep under kills, on a full disk, in ranks of MPI and in jobs of Slurm.

    run.py --program build/heddle [--units 24] [--kills 6] [local|mpi|slurm ...]

Whatever happens to workers, every unit is done, none that was acknowledged is done again, and the
merged result has the bytes of an undisturbed run. Parts whose programs are missing, or cannot start,
are skipped with a line that says so; exit status 77 if all that was asked for was.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cluster import CannotStart, Cluster

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 600
MOST_KILLED = 4  # one unit whose workers are killed five times failed (src/sweep/workers.h)
RESULTS = ["results.jsonl", "results.csv", "report.html"]


class Skipped(Exception):
    pass


class Bench:
    """A spec of so many small units, and what an undisturbed run makes of it."""

    def __init__(self, program, folder, units):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.units = units
        self.failures = 0
        shutil.copytree(ROOT / "examples/kernels", self.folder / "kernels")
        shutil.copy(ROOT / "examples/copy.toml", self.folder)
        sizes = ", ".join(str(1024 * i) for i in range(1, units))
        self.spec = self.folder / "spec.toml"
        # One of them fails: that is a row, too.
        self.spec.write_text('gpus = ["mi300x"]\nverbs = ["simulate"]\n[[kernels]]\npaths = ["copy.toml"]\n'
                             f'shapes = ["nonsense=3"]\n[kernels.sizes]\nelements = [{sizes}]\n')
        self.reference = self.folder / "reference"
        done = self.run(["-o", str(self.reference), "--workers", "2"])
        self.expect(done.returncode == 3, f"the reference ends with 3: {done.returncode} {done.stderr}")

    def command(self, arguments):
        return [self.program, "sweep", str(self.spec), *arguments]

    def run(self, arguments, **options):
        return subprocess.run(self.command(arguments), capture_output=True, text=True, check=False,
                              timeout=TIME_LIMIT_S, **options)

    def expect(self, good, text):
        if not good:
            self.failures += 1
            print(f"FAILED {text}")

    def rows(self, folder):
        """How often each key stands in the line files."""
        counts = collections.Counter()
        for path in folder.glob("lines/*.lines"):
            for line in path.read_bytes().split(b"\n")[:-1]:
                counts[line.split(b" ")[0].decode()] += 1
        return counts

    def compare(self, folder, what):
        for name in RESULTS:
            same = (folder / name).exists() and (folder / name).read_bytes() == (self.reference / name).read_bytes()
            self.expect(same, f"{what}: {name} is that of the reference")
            if not same and name == "results.jsonl" and (folder / name).exists():
                known = set((self.reference / name).read_text().splitlines())
                print("\n".join(line for line in (folder / name).read_text().splitlines() if line not in known))
        counts = self.rows(folder)
        self.expect(len(counts) == self.units, f"{what}: {len(counts)} of {self.units} units have rows")
        repeated = sum(count - 1 for count in counts.values())
        print(f"{what}: {len(counts)} units, {repeated} done twice")
        return counts


def children_of(process):
    try:
        return [int(word) for word in
                pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Reader(threading.Thread):
    """The keys that a sweep acknowledges on its standard error."""

    def __init__(self, stream, keys):
        super().__init__()
        self.stream, self.keys = stream, keys
        self.start()

    def run(self):
        for line in self.stream:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event.get("event") == "unit":
                self.keys.append(event["key"])


def test_kills(bench, kills, chance):
    """Kills the sweep, or one of its workers, again and again; starts anew when all is done."""
    done_kills = rounds = lost = repeated = acknowledged = 0
    while done_kills < kills:
        rounds += 1
        folder = bench.folder / f"killed{rounds}"
        keys = []
        while True:
            process = subprocess.Popen(bench.command(["-o", str(folder), "--workers", "2", "--progress", "json"]),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            reader = Reader(process.stderr, keys)
            while done_kills < kills:
                time.sleep(chance.uniform(0.01, 0.15))
                if process.poll() is not None:
                    break
                workers = children_of(process.pid)
                done_kills += 1
                if workers and chance.random() < 0.3:
                    kill(chance.choice(workers))
                else:
                    kill(process.pid)
                    break
            process.wait(TIME_LIMIT_S)
            reader.join()
            if process.returncode == 3:
                break
            bench.expect(process.returncode == -signal.SIGKILL, f"a sweep ended with {process.returncode}")
        counts = bench.compare(folder, f"round {rounds}, {done_kills} kills")
        acknowledged += len(keys)
        lost += sum(1 for key in keys if key not in counts)
        repeated += sum(counts[key] - 1 for key in set(keys))
        shutil.rmtree(folder)
    bench.expect(lost == 0, f"{lost} acknowledged units are lost")
    bench.expect(repeated == 0, f"{repeated} acknowledged units were done again")
    print(f"{done_kills} kills: {acknowledged} units acknowledged, {lost} lost, {repeated} done again")


def test_full_disk(bench):
    """A limit on file sizes is a disk without room: an error, and the next run goes on."""
    folder = bench.folder / "full"
    limited = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh",
                              *bench.command(["-o", str(folder), "--workers", "1"])],
                             capture_output=True, text=True, check=False, timeout=TIME_LIMIT_S)
    bench.expect(limited.returncode == 4 and "cannot be written" in limited.stderr,
                 f"a full disk is an error: {limited.returncode} {limited.stderr}")
    bench.expect(0 < len(bench.rows(folder)) < bench.units, "some units were done before it was full")
    bench.run(["-o", str(folder), "--workers", "2"])
    bench.compare(folder, "after a full disk")


def test_shards(bench):
    """Parts in folders of their own, merged."""
    parts = []
    for part in range(1, 4):
        parts.append(bench.folder / f"part{part}")
        done = bench.run(["-o", str(parts[-1]), "--shard", f"{part}/3"])
        bench.expect(done.returncode == 0, f"shard {part}: {done.stderr}")
    whole = bench.folder / "whole"
    bench.run(["-o", str(whole), "--merge-only", "--known", *map(str, parts)])
    for name in RESULTS:
        bench.expect((whole / name).read_bytes() == (bench.reference / name).read_bytes(), f"shards: {name}")


def test_mpi(bench, chance):
    if shutil.which("mpirun") is None:
        raise Skipped("mpirun is not installed")
    flags = ["--oversubscribe", "--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0"]
    if os.geteuid() == 0:
        flags.append("--allow-run-as-root")
    environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1")
    probe = subprocess.run(["mpirun", *flags, "-n", "4", "true"], capture_output=True, text=True, check=False,
                           env=environment, timeout=60)
    if probe.returncode != 0:
        raise Skipped(f"mpirun does not start four ranks: {probe.stderr.strip()[:200]}")
    folder = bench.folder / "mpi"
    process = subprocess.Popen(["mpirun", *flags, "-n", "4", *bench.command(["-o", str(folder), "--mpi"])],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    killed = 0
    while process.poll() is None:
        time.sleep(chance.uniform(0.1, 0.4))
        workers = [worker for rank in children_of(process.pid) for worker in children_of(rank)]
        if workers and killed < MOST_KILLED:
            kill(chance.choice(workers))
            killed += 1
    output = process.stdout.read()
    if not (folder / "results.csv").exists():  # mpirun may end all ranks for the sake of one
        print(f"mpi: run again after {process.returncode}")
        bench.run(["-o", str(folder)])
    bench.compare(folder, f"mpi, 4 ranks, {killed} workers killed")
    # A whole rank that dies: its claims pass on.
    folder = bench.folder / "rank"
    process = subprocess.Popen(["mpirun", *flags, "-n", "4", *bench.command(["-o", str(folder), "--mpi"])],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    time.sleep(0.5)
    ranks = children_of(process.pid)
    if len(ranks) == 4:
        kill(ranks[2])
    process.communicate(timeout=TIME_LIMIT_S)
    survived = (folder / "results.csv").exists()
    if not survived:
        bench.run(["-o", str(folder)])
    bench.compare(folder, f"mpi, a rank killed ({'the others went on' if survived else 'run again'})")
    bench.expect("Traceback" not in output, output)


def workers_in(folder):
    """Processes that work for the sweep in a folder, but for their parents."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder).encode() in words and b"--worker" in words:
            found += children_of(int(entry.name))
    return found


def test_slurm(bench, chance):
    with tempfile.TemporaryDirectory() as home:
        try:
            with Cluster(home) as cluster:
                run_slurm(bench, chance, cluster)
        except CannotStart as reason:
            raise Skipped(f"Slurm cannot start here: {reason}") from reason


def run_slurm(bench, chance, cluster):
    folder = bench.folder / "slurm"
    process = subprocess.Popen(
        bench.command(["-o", str(folder), "--engine", "slurm", "--workers", "2", "--time", "30:00"]),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cluster.environment)
    killed = 0
    drained = False
    while process.poll() is None:
        time.sleep(chance.uniform(0.1, 0.5))
        workers = workers_in(folder)
        if workers and killed < MOST_KILLED:
            kill(chance.choice(workers))
            killed += 1
        if killed >= 2 and not drained:
            drained = True
            jobs = cluster.run(["squeue", "-h", "-r", "-t", "R", "-n", "heddle-sweep", "-o", "%A"]).stdout.split()
            cluster.run(["scontrol", "update", "NodeName=here", "State=DRAIN", "Reason=test"])
            cluster.run(["scontrol", "requeue", ",".join(jobs)])
            time.sleep(1)
            cluster.run(["scontrol", "update", "NodeName=here", "State=RESUME"])
            for job in jobs:
                cluster.run(["scontrol", "update", f"JobId={job}", "StartTime=now"])
    output, errors = process.communicate()
    bench.expect(process.returncode == 3, f"slurm: {process.returncode} {output} {errors}")
    bench.expect(re.search(r"Slurm has job \d+ \(2 workers\) and job \d+", errors), f"slurm says its jobs: {errors}")
    bench.compare(folder, f"slurm, {killed} workers killed, {'node drained, jobs requeued' if drained else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--units", type=int, default=24)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("parts", nargs="*", default=[])
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    parts = {
        "local": lambda bench: (test_kills(bench, arguments.kills, chance), test_full_disk(bench), test_shards(bench)),
        "mpi": lambda bench: test_mpi(bench, chance),
        "slurm": lambda bench: test_slurm(bench, chance),
    }
    skipped = 0
    wanted = arguments.parts or list(parts)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(str(pathlib.Path(arguments.program).resolve()), folder, arguments.units)
        for name in wanted:
            try:
                parts[name](bench)
            except Skipped as reason:
                skipped += 1
                print(f"{name}: skipped: {reason}")
        print(f"{bench.failures} failures, {skipped} skipped")
        if bench.failures:
            return 1
    return 77 if skipped == len(wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
