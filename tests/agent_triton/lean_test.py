#!/usr/bin/env python3
"""Lean bundles by the real agent, with the worker's libraries as stand-ins: lean_test.py AGENT HEDDLE"""
import csv
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from worker_test import HERE, LAUNCH, RIGHT, kernel

AGENT = HEDDLE = ""
HEADER = """heddle-bundle 1
language triton
function add_one
mode lean
seeds 1
limit_s {limit}
rounds 9
budget_s 60
"""
FAULTY = kernel(RIGHT + "; tl.store(c_ptr, 1000, 5.0)")
WRONG = kernel(RIGHT.replace("+ 1)", "+ 2)"))
SKIPPING = kernel("if row != 2: " + RIGHT)
UNGUARDED = kernel(RIGHT + "; tl.store(c_ptr, 33, 1.0)")
# What an output holds before, as a number; and an original that gives about that, now and then.
PATTERN = struct.unpack("<f", b"\xa5" * 4)[0]
NEAR_PATTERN = "RUNS = []\n" + kernel(
    "(row or column) or RUNS.append(1); "
    f"tl.store(c_ptr, row * 8 + column, len(RUNS) % 2 * 2 * {PATTERN})")
HANGING = "import time\n" + kernel("time.sleep(1000)")
DYING = "import os\n" + kernel("os._exit(3)")


class LeanTest(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name)
        self.sweep = self.folder / "sweep"
        (self.sweep / "agent").mkdir(parents=True)
        (self.sweep / "agent" / "triton_worker.py").write_text("", encoding="utf-8")
        self.program("python", f'shift\nexec {sys.executable} {HERE}/stub_worker.py "$@"\n')

    def program(self, name, body):
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + body, encoding="utf-8")
        path.chmod(0o755)

    def bundle(self, name, kernels, limit=20, more=""):
        folder = self.sweep / name
        (folder / "kernels").mkdir(parents=True)
        text = HEADER.format(limit=limit) + more
        for place, source in enumerate(kernels):
            (folder / "kernels" / f"{place}.py").write_text(source, encoding="utf-8")
            text += f"candidate {place} kernels/{place}.py title of {place}\n"
        text += LAUNCH.format(name="main", n=6, use="write", contents="range")
        (folder / "bundle.txt").write_text(text, encoding="utf-8")

    def run_agent(self, *words, code=0, folders=None):
        environment = {**os.environ, "STUB_COMPILED": str(self.folder / "compiled"),
                       "PATH": f"{self.folder}/bin:/usr/bin:/bin", "CUDA_HOME": "/nonexistent"}
        found = subprocess.run(
            [AGENT, *(folders or [self.sweep]), "--python", "python", *words], text=True,
            capture_output=True, timeout=120, check=False, env=environment)
        self.assertEqual(found.returncode, code, found.stderr)
        self.errors = found.stderr

    def result(self, bundle, name):
        path = self.sweep / bundle / "results" / name
        return path.read_text(encoding="utf-8") if path.exists() else None

    def rows(self, bundle, name):
        return list(csv.DictReader(self.result(bundle, name).splitlines()))

    def timed(self, bundle):
        rows = self.rows(bundle, "samples.csv")
        self.assertEqual({row["cache"] for row in rows}, {"cold"})
        return sorted({row["candidate"] for row in rows})


class Sweeps(LeanTest):
    def test_several_bundles_in_one_process(self):
        for name in ("001-a", "002-b", "003-c"):
            self.bundle(name, [kernel(RIGHT)] * 3)
        self.run_agent("--no-counters")
        for name in ("001-a", "002-b", "003-c"):
            self.assertEqual(self.result(name, "done.txt"), "done\n")
            self.assertEqual(self.timed(name), ["0", "0b", "1", "2"])
            # Times of the stand-in are all alike: seven rounds are enough.
            self.assertEqual(len(self.rows(name, "samples.csv")), 7 * 4)
            self.assertEqual([row["verdict"] for row in self.rows(name, "checks.csv")],
                             ["equal"] * 3)
            self.assertEqual(self.rows(name, "compiled.csv")[2],
                             {"candidate": "2", "registers": "32", "shared_bytes": "1024",
                              "spills": "0"})
            self.assertIn("mode lean", self.result(name, "machine.txt"))
            self.assertIn("device Stub GPU", self.result(name, "machine.txt"))
        self.assertEqual(self.errors.count("heddle-agent: times of"), 1)
        self.assertIn("3 bundles measured, 0 failed, 0 left", self.errors)

    def test_candidates_are_compiled_ahead_by_others(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.bundle("002-b", [kernel(RIGHT)] * 2)
        self.run_agent("--no-counters")
        lines = (self.folder / "compiled").read_text(encoding="utf-8").split("\n")[:-1]
        self.assertEqual(len(lines), 8)
        timing = lines[-1].split()[0]
        self.assertEqual([line.split()[0] == timing for line in lines], [False] * 4 + [True] * 4)

    def test_rejections_that_leave_the_device_intact(self):
        self.bundle("001-a", [kernel(RIGHT), WRONG, "def (", SKIPPING, kernel(RIGHT)])
        self.bundle("002-b", [kernel(RIGHT)] * 2)
        self.run_agent("--no-counters")
        self.assertEqual(
            [row["kind"] for row in self.rows("001-a", "checks.csv")],
            ["", "different", "compile", "unwritten", ""])
        self.assertEqual(self.timed("001-a"), ["0", "0b", "4"])
        self.assertEqual(self.timed("002-b"), ["0", "0b", "1"])
        self.assertEqual(self.errors.count("heddle-agent: times of"), 1)

    def test_a_value_that_an_output_held_before_by_chance(self):
        same = kernel(f"tl.store(c_ptr, row * 8 + column, {PATTERN})")
        self.bundle("001-a", [NEAR_PATTERN, same])
        self.run_agent("--no-counters")
        self.assertEqual([row["verdict"] for row in self.rows("001-a", "checks.csv")],
                         ["close", "close"])

    def test_a_fault_in_the_middle(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.bundle("002-b", [kernel(RIGHT), kernel(RIGHT), FAULTY, kernel(RIGHT), UNGUARDED])
        self.bundle("003-c", [kernel(RIGHT)] * 2)
        self.run_agent("--no-counters")
        self.assertEqual([row["kind"] for row in self.rows("002-b", "checks.csv")],
                         ["", "", "fault", "", "guard"])
        self.assertEqual(self.timed("002-b"), ["0", "0b", "1", "3"])
        self.assertEqual(self.timed("003-c"), ["0", "0b", "1"])
        self.assertEqual(self.errors.count("heddle-agent: times of"), 3)

    def test_one_that_hangs_and_one_that_dies(self):
        self.bundle("001-a", [kernel(RIGHT), HANGING, kernel(RIGHT), DYING], limit=3)
        self.bundle("002-b", [kernel(RIGHT)] * 2, limit=3)
        self.run_agent("--no-counters")
        self.assertEqual([row["kind"] for row in self.rows("001-a", "checks.csv")],
                         ["", "hang", "", "crash"])
        self.assertEqual(self.timed("001-a"), ["0", "0b", "2"])
        self.assertEqual(self.result("002-b", "done.txt"), "done\n")

    def test_an_original_that_fails_is_the_end_of_its_bundle_alone(self):
        self.bundle("001-a", [FAULTY, kernel(RIGHT)])
        self.bundle("002-b", ["def (", kernel(RIGHT)])
        self.bundle("003-c", [kernel(RIGHT)] * 2)
        self.run_agent("--no-counters")
        self.assertIn("failed 5 the original kernel failed (fault)", self.result("001-a", "done.txt"))
        self.assertIn("failed 5 the original kernel failed (compile)",
                      self.result("002-b", "done.txt"))
        self.assertEqual(self.result("003-c", "done.txt"), "done\n")
        self.run_agent("--no-counters", code=5, folders=[self.sweep / "001-a"])

    def test_a_bundle_that_is_not_understood(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2, more="gird 1\n")
        self.bundle("002-b", [kernel(RIGHT)] * 2)
        self.run_agent("--no-counters")
        self.assertIn("failed 2", self.result("001-a", "done.txt"))
        self.assertEqual(self.result("002-b", "done.txt"), "done\n")

    def test_resume(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.bundle("002-b", [kernel(RIGHT)] * 2)
        self.run_agent("--no-counters", folders=[self.sweep / "001-a"])
        before = (self.sweep / "001-a/results/done.txt").stat().st_mtime_ns
        self.run_agent("--no-counters", "--resume")
        self.assertEqual((self.sweep / "001-a/results/done.txt").stat().st_mtime_ns, before)
        self.assertIn("1 bundles measured", self.errors)
        (self.sweep / "001-a/kernels/1.py").write_text(WRONG, encoding="utf-8")
        self.run_agent("--no-counters", "--resume")
        self.assertEqual(self.timed("001-a"), ["0", "0b"])

    def test_budget(self):
        for number in range(4):
            self.bundle(f"00{number}", ["import time\ntime.sleep(0.7)\n" + kernel(RIGHT)] * 2)
        begin = time.monotonic()
        self.run_agent("--no-counters", "--budget", "4")
        self.assertLess(time.monotonic() - begin, 6)
        done = [self.result(f"00{number}", "done.txt") for number in range(4)]
        self.assertIn(None, done)
        self.run_agent("--no-counters", "--resume")
        self.assertEqual({self.result(f"00{number}", "done.txt") for number in range(4)}, {"done\n"})


# Runs the worker and prints a row for each launch that it tells of.
NCU = r'''
while [ $# -gt 0 ]; do
  case "$1" in */python) break; esac
  last=$1; shift
done
"$@" >"$0.said"
cat "$0.said"
echo "$last" >"$0.names"
echo '"ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum"'
echo '"","","us","Mbyte"'
grep -n launched "$0.said" | while IFS=: read n line; do
  set -- $line
  echo "\"$n\",\"add_one\",\"10\",\"$2$3\""
done
'''


class Intervals(unittest.TestCase):
    def test_of_medians(self):
        sys.path[:0] = [str(HERE / "stub"), str(HERE.parent.parent / "src" / "agent" / "program")]
        sys.dont_write_bytecode = True
        import triton_lean
        self.assertEqual(triton_lean.interval([3, 1, 2, 7, 5, 6, 4]), (1, 7))
        self.assertEqual(triton_lean.interval(range(1, 10)), (2, 8))
        self.assertEqual(triton_lean.interval(range(1, 16)), (4, 12))
        self.assertTrue(triton_lean.is_narrow([100, 100.9, 100, 100, 100, 100, 100]))
        self.assertFalse(triton_lean.is_narrow([100, 101.1, 100, 100, 100, 100, 100]))


class Counters(LeanTest):
    def test_one_profiler_for_all(self):
        self.program("ncu", NCU)
        self.bundle("001-a", [kernel(RIGHT)] * 6)
        self.bundle("002-b", [kernel(RIGHT), kernel(RIGHT), WRONG], more="counters 0 1 2\n")
        self.run_agent()
        self.assertEqual(self.result("001-a", "counters.txt"), "order 0 3 5\n")
        self.assertEqual(self.result("002-b", "counters.txt"), "order 0 1\n")
        self.assertEqual([row["dram__bytes_read.sum"] for row in self.rows("002-b", "counters.csv")],
                         ["Mbyte", "10", "11"])
        self.assertEqual(self.errors.count("heddle-agent: counters of"), 1)
        self.assertIn("regex:^add_one", (self.folder / "bin/ncu.names").read_text(encoding="utf-8"))

    def test_pending_ones_are_counted_later(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.run_agent("--budget", "20")
        self.assertIn("refused pending", self.result("001-a", "counters.txt"))
        samples = self.result("001-a", "samples.csv")
        self.program("ncu", NCU)
        self.run_agent("--resume")
        self.assertEqual(self.result("001-a", "counters.txt"), "order 0 1\n")
        self.assertEqual(self.result("001-a", "samples.csv"), samples)

    def test_a_kernel_that_faults_under_the_profiler(self):
        # The first bundle passes, and the second one's candidate faults only where it is counted.
        self.program("ncu", NCU)
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.bundle("002-b", [kernel(RIGHT), "import sys\n" + kernel(
            RIGHT + "; 'count' in sys.argv and tl.store(c_ptr, 1000, 5.0)"), kernel(RIGHT)])
        self.bundle("003-c", [kernel(RIGHT)] * 2)
        self.run_agent()
        self.assertEqual(self.result("001-a", "counters.txt"), "order 0 1\n")
        self.assertEqual(self.result("002-b", "counters.txt"), "order 0\n")
        self.assertIn("refused failed", self.result("003-c", "counters.txt"))
        self.assertEqual(self.timed("002-b"), ["0", "0b", "1", "2"])

    def test_without_a_profiler(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.run_agent()
        self.assertIn("refused no-profiler", self.result("001-a", "counters.txt"))


class Merged(LeanTest):
    def record(self, name, orders, overrides):
        """heddle.json, as `heddle bundle --table` writes it."""
        candidates = [{"title": order, "formula": order, "proof": "all", "predicted": None,
                       "family": "adding", "source": f"kernels/{place}.py"}
                      for place, order in enumerate(orders)]
        (self.sweep / name / "heddle.json").write_text(json.dumps({
            "version": 1, "mode": "lean", "launches": ["main"], "seeds": ["1"], "job": "job.toml",
            "set": overrides, "gpu": "h200", "kernel": "job.py", "function": "add_one",
            "candidates": candidates}), encoding="utf-8")

    def merge(self, *words, code=0):
        found = subprocess.run([HEDDLE, "merge", *words], text=True, capture_output=True,
                               cwd=self.folder, timeout=120, check=False)
        self.assertEqual(found.returncode, code, found.stderr)
        self.errors = found.stderr
        return found.stdout

    def test_one_table_for_all(self):
        self.program("ncu", NCU)
        self.bundle("001-a", [kernel(RIGHT)] * 4)
        self.bundle("002-b", [kernel(RIGHT), WRONG, kernel(RIGHT)])
        self.bundle("003-c", [FAULTY, kernel(RIGHT)])
        self.record("001-a", ["identity", "columns", "group(2)", "group(4)"], [])
        self.record("002-b", ["identity", "columns", "group(2)"], ["M=8"])
        self.record("003-c", ["identity", "columns"], ["M=16"])
        self.run_agent()
        self.assertEqual(self.merge("sweep", "--points", "points.csv"),
                         "sweep/001-a: 3 of 3 candidates, fastest 1.000x: columns\n"
                         "sweep/002-b: 1 of 2 candidates, fastest 1.000x: group(2)\n")
        self.assertIn("sweep/003-c is left out: nothing was measured", self.errors)
        text = (self.folder / "points.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual([(row["set"], row["order"], row["dram_read_mb"]) for row in rows],
                         [("", "identity", "0.0"), ("", "columns", ""), ("", "group(2)", "2.0"),
                          ("", "group(4)", "3.0"), ("M=8", "identity", "10.0"),
                          ("M=8", "group(2)", "12.0")])
        for row in rows:
            self.assertEqual(
                [row[name] for name in ("job", "gpu", "family", "speedup", "time_us", "registers",
                                        "shared_bytes", "spills")],
                ["job.toml", "h200", "adding", "1.000", "10.00", "32", "1024", "0"])

    def test_one_of_them(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.record("001-a", ["identity", "columns"], [])
        self.run_agent()
        text = self.merge("sweep/001-a")
        self.assertIn("no candidate is significantly faster", text)
        self.assertIn("ncu is not in PATH", text)

    def test_what_is_of_one_bundle_alone(self):
        self.bundle("001-a", [kernel(RIGHT)] * 2)
        self.bundle("002-b", [kernel(RIGHT)] * 2)
        self.merge("sweep", "--patch", "x.patch", code=2)
        self.assertIn("work on one bundle only", self.errors)


if __name__ == "__main__":
    AGENT, HEDDLE = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
