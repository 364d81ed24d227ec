#!/usr/bin/env python3
"""The worker for Triton kernels says what docs/agent.md has it say; its libraries are stand-ins."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

# Adds 1 to a matrix of 4 x 6 in rows of 8; the last two columns belong to nobody.
KERNEL = """
import triton
import triton.language as tl

@triton.jit
def add_one(a_ptr, c_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for column in range(N):
        {body}
"""
RIGHT = "tl.store(c_ptr, row * 8 + column, tl.load(a_ptr, row * 8 + column) + 1)"
LAUNCH = """
launch {name}
grid 4 1 1
threads 0 0 0
shared_bytes 0
warps 4
stages 2
tensor a_ptr fp32 128 read {contents}
shape a_ptr 4 6
strides a_ptr 8 1
tensor c_ptr fp32 128 {use} zeros
shape c_ptr 4 6
strides c_ptr 8 1
argument a_ptr tensor a_ptr
argument c_ptr tensor c_ptr
argument N int32 {n}
constexpr BLOCK int 8
end
"""
HEADER = """heddle-bundle 1
job a job
gpu h200
language triton
function add_one
seeds {seeds}
limit_s 60
rounds {rounds}
budget_s {budget}
"""


def kernel(body):
    return KERNEL.format(body=body)


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name)
        (self.folder / "kernels").mkdir()

    def write(self, kernels, seeds="1", rounds=6, budget=60, launches=None, use="write",
              contents="range"):
        text = HEADER.format(seeds=seeds, rounds=rounds, budget=budget)
        for place, source in enumerate(kernels):
            (self.folder / "kernels" / f"{place}.py").write_text(source, encoding="utf-8")
            text += f"candidate {place} kernels/{place}.py title of {place}\n"
        text += launches or LAUNCH.format(name="main", n=6, use=use, contents=contents)
        (self.folder / "bundle.txt").write_text(text, encoding="utf-8")

    def run_worker(self, *words, stub="", code=0):
        found = subprocess.run(
            [sys.executable, HERE / "stub_worker.py", self.folder, *words], text=True,
            capture_output=True, timeout=120, check=False, env={**os.environ, "STUB_TORCH": stub})
        self.assertEqual(found.returncode, code, found.stderr)
        self.error = found.stderr
        return found.stdout.splitlines()

    def rejection(self, body, **settings):
        """What becomes of candidate 1 with this body."""
        source = body if "import" in body else kernel(body)
        self.write([settings.pop("original", kernel(RIGHT)), source], **settings)
        return self.run_worker("check", "1")[-1]


class Checks(WorkerTest):
    def test_launches_can_be_left_out(self):
        self.write([kernel(RIGHT)] * 2, launches=(
            LAUNCH.format(name="main", n=6, use="write", contents="random")
            + LAUNCH.format(name="ragged", n=5, use="write", contents="random")))
        lines = self.run_worker("check", "without=ragged", "1")
        self.assertIn("equal 1 main 1", lines)
        self.assertFalse([line for line in lines if "ragged" in line])
        self.run_worker("check", "without=ragged", "without=main", "1", code=2)

    def test_lines_of_a_good_candidate(self):
        self.write([kernel(RIGHT)] * 2, seeds="1 7", launches=(
            LAUNCH.format(name="main", n=6, use="write", contents="random")
            + LAUNCH.format(name="ragged", n=5, use="write", contents="random")))
        self.assertEqual(self.run_worker("check", "0", "1"), """\
compiling 0
compiling 0
compiling 0
compiled 0 32 1024 0
compiling 0
begin 0 main 1
begin 0 main 1
equal 0 main 1
begin 0 main 7
begin 0 main 7
equal 0 main 7
compiling 0
compiling 0
begin 0 ragged 1
begin 0 ragged 1
equal 0 ragged 1
begin 0 ragged 7
begin 0 ragged 7
equal 0 ragged 7
checked 0
compiling 1
compiling 0
compiling 1
compiled 1 32 1024 0
begin 1 main 1
equal 1 main 1
begin 1 main 7
equal 1 main 7
compiling 0
compiling 1
begin 1 ragged 1
equal 1 ragged 1
begin 1 ragged 7
equal 1 ragged 7
checked 1
done""".splitlines())

    def test_skipped_work(self):
        self.assertEqual(
            self.rejection("if row != 2 or column < 3: " + RIGHT),
            "rejected 1 main 1 unwritten c_ptr[2, 3]: expected 20, found nothing written;"
            " 3 elements")

    def test_a_value_that_looks_like_a_pattern_is_none(self):
        # The bits of the first pattern, in all elements: only one of two runs can be fooled.
        value = "-2.8730257837360775e-16"
        self.assertIn("unwritten", self.rejection("pass", original=kernel(
            f"tl.store(c_ptr, row * 8 + column, {value})")))

    def test_other_results(self):
        self.assertEqual(
            self.rejection(RIGHT.replace("+ 1)", "+ (1 if row < 3 else 1.5))")),
            "rejected 1 main 1 different c_ptr[3, 0]: expected 25, found 25.5; 6 elements")

    def test_results_that_differ_in_a_bit_of_sign(self):
        zero = "tl.store(c_ptr, row * 8 + column, {}0.0)"
        self.assertEqual(
            self.rejection(zero.format("-"), original=kernel(zero.format(""))),
            "rejected 1 main 1 different c_ptr[0, 0]: expected 0, found -0; 24 elements")

    def test_writes_where_the_original_writes_nothing(self):
        self.assertIn("different element 6 of c_ptr, which no index leads to",
                      self.rejection(RIGHT + "; tl.store(c_ptr, row * 8 + 6, 1.0)"))

    def test_guards(self):
        self.assertEqual(
            self.rejection(RIGHT + "; tl.store(c_ptr, 32, 1.0)"),
            "rejected 1 main 1 guard 4 bytes behind c_ptr were written, the first of them 0 bytes"
            " away")
        self.assertIn("guard 4 bytes in front of c_ptr",
                      self.rejection(RIGHT + "; tl.store(c_ptr, -3, 1.0)"))

    def test_changed_input(self):
        self.assertEqual(
            self.rejection(RIGHT + "; tl.store(a_ptr, 9, 5.0)"),
            "rejected 1 main 1 input a_ptr[1, 1]: expected 9, found 5; 1 elements")

    def test_fault(self):
        last = self.rejection(RIGHT + "; tl.store(c_ptr, 1000, 5.0)")
        self.assertEqual(last, "rejected 1 main 1 fault RuntimeError: CUDA error: an illegal memory"
                               " access was encountered")

    def test_compile(self):
        self.assertIn("rejected 1 - - compile SyntaxError", self.rejection("def ("))
        self.assertIn("rejected 1 - - compile AttributeError", self.rejection("import triton"))
        self.assertIn("rejected 1 main - compile TypeError: missing a required argument: 'M'",
                      self.rejection(kernel(RIGHT).replace("N, BLOCK", "N, M, BLOCK")))

    def test_launch(self):
        self.assertIn("rejected 1 main 1 launch ZeroDivisionError", self.rejection("1 // 0"))

    def test_the_original_itself(self):
        self.write([kernel(RIGHT + "; tl.store(a_ptr, 9, 5.0)"), kernel(RIGHT)])
        self.assertIn("rejected 0 main 1 input", self.run_worker("check", "1")[-1])

    def test_updates_start_from_their_contents(self):
        body = "tl.store(c_ptr, row * 8 + column, tl.load(c_ptr, row * 8 + column) + {})"
        self.assertEqual(self.rejection(body.format("1"), original=kernel(body.format("1")),
                                        use="update"), "done")
        self.assertIn("different c_ptr[0, 0]: expected 1, found 2",
                      self.rejection(body.format("2"), original=kernel(body.format("1")),
                                     use="update"))

    def test_close(self):
        noisy = "import itertools\nCOUNT = itertools.count()\n" + kernel(
            RIGHT.replace("+ 1)", "+ 1 + {scale} * (next(COUNT) % 5))"))
        original = noisy.replace("{scale}", "0.001")
        last = self.rejection(original, original=original)
        self.assertEqual(last, "done")
        lines = self.run_worker("check", "0", "1")
        self.assertRegex([line for line in lines if line.startswith("close 1")][0],
                         r"close 1 main 1 c_ptr differs by up to 0\.00\d+, in runs of the original")
        self.assertRegex(self.rejection(noisy.replace("{scale}", "1"), original=original),
                         "rejected 1 main 1 different c_ptr.* beyond 0.0")

    def test_tuners_are_taken_off(self):
        tuned = kernel(RIGHT).replace(
            "@triton.jit",
            "@triton.autotune(configs=[], key=[])\n@triton.heuristics({})\n@triton.jit")
        self.assertEqual(self.rejection(tuned), "done")

    def test_prints_of_kernel_files_are_no_lines(self):
        printing = "print('equal 1 main 1')\n" + kernel(RIGHT)
        self.assertEqual(self.rejection(printing), "done")
        self.assertIn("equal 1 main 1", self.error)

    def test_descriptors(self):
        launch = LAUNCH.format(name="main", n=6, use="write", contents="range").replace(
            "strides a_ptr 8 1", "strides a_ptr 8 1\nblock a_ptr 2 2")
        described = kernel(RIGHT.replace("load(a_ptr", "load(a_ptr.base"))
        self.assertEqual(self.rejection(described, original=described, launches=launch), "done")


class Times(WorkerTest):
    def samples(self, lines):
        return [line.split()[1:] for line in lines if line.startswith("sample ")]

    def test_rounds(self):
        self.write([kernel(RIGHT)] * 2)
        lines = self.run_worker("time", "time", "5", "0", "0b", "1")
        self.assertRegex("\n".join(lines), r"warmed 20 stable")
        samples = self.samples(lines)
        self.assertEqual(len(samples), 7 * 3 * 2)
        orders = []
        for turn in range(1, 8):
            mine = [sample for sample in samples if sample[0] == str(turn)]
            self.assertEqual([sample[1] for sample in mine], ["1", "1", "2", "2", "3", "3"])
            self.assertEqual([sample[3] for sample in mine], ["cold", "warm"] * 3)
            orders.append(tuple(sample[2] for sample in mine[::2]))
            self.assertEqual(sorted(orders[-1]), ["0", "0b", "1"])
        self.assertGreater(len(set(orders)), 1)
        self.assertEqual({(sample[3], sample[4], sample[5]) for sample in samples},
                         {("cold", "1", "10.0000"), ("warm", "20", "10.0000")})
        again, other = (self.samples(self.run_worker("time", "time", seed, "0", "0b", "1"))
                        for seed in "56")
        self.assertEqual(samples, again)
        self.assertNotEqual(samples, other)
        self.assertEqual(lines[-1], "done")

    def test_seven_rounds_at_least(self):
        self.write([kernel(RIGHT)], rounds=40, budget=0)
        self.assertEqual(len(self.samples(self.run_worker("time", "confirm", "5", "0", "0b"))), 28)

    def test_timed_launches_are_looked_at(self):
        # Right in the first launches, and wrong as soon as times are taken.
        text = """
LAUNCHES = []
""" + kernel(RIGHT + "; LAUNCHES.append(1); len(LAUNCHES) < 40 or tl.store(c_ptr, 2, 5.0)")
        self.write([kernel(RIGHT), text])
        lines = self.run_worker("time", "time", "5", "0", "1")
        self.assertRegex(lines[-1], "rejected 1 main 1 different after a launch that was timed: .*")

    def test_a_fault_is_told(self):
        self.write([kernel(RIGHT), kernel(RIGHT + "; tl.store(c_ptr, 1000, 5.0)")])
        self.assertIn("rejected 1 main 1 fault", self.run_worker("time", "time", "5", "0", "1")[-1])

    def test_profile_launches_in_order(self):
        told = "(row or column) or __import__('sys').stderr.write('launched {}\\n'); " + RIGHT
        self.write([kernel(told.format(0)), kernel(told.format(1))])
        lines = self.run_worker("profile", "0", "1", "0", "1")
        self.assertEqual([line for line in self.error.splitlines() if "launched" in line],
                         ["launched 0", "launched 1", "launched 0", "launched 1"])
        self.assertEqual(lines[-1], "done")


class Surroundings(WorkerTest):
    def test_device(self):
        self.write([kernel(RIGHT)])
        lines = self.run_worker("device")
        self.assertIn("fact device Stub GPU", lines)
        self.assertIn("fact compute_units 3", lines)
        self.assertIn("fact llc_bytes 1000", lines)
        self.assertIn("fact flush_bytes 2000", lines)
        self.assertEqual(lines[-1], "done")

    def test_missing(self):
        self.write([kernel(RIGHT)])
        self.assertIn("missing No module named 'torch'",
                      self.run_worker("device", stub="absent", code=4)[0])
        self.assertEqual(self.run_worker("check", "0", stub="no GPU", code=4),
                         ["missing PyTorch finds no GPU"])

    def test_bundles_that_are_none(self):
        self.write([kernel(RIGHT)])
        good = (self.folder / "bundle.txt").read_text(encoding="utf-8")
        for old, new, said in [
                ("heddle-bundle 1", "heddle-bundle 2", "first line"),
                ("language triton", "language cuda", "line 4"),
                ("kernels/0.py", "../0.py", "not in the bundle"),
                ("kernels/0.py", "/etc/passwd", "not in the bundle"),
                ("fp32 128 read", "fp31 128 read", "fp31"),
                ("a_ptr tensor a_ptr", "a_ptr tensor b_ptr", "b_ptr"),
                ("constexpr BLOCK int", "constexpr BLOCK number", "number"),
                ("read range", "read anything", "there are no contents anything"),
                ("read range", "read file none.bin", "none.bin")]:
            (self.folder / "bundle.txt").write_text(good.replace(old, new), encoding="utf-8")
            self.run_worker("check", "0", code=2)
            self.assertIn(said, self.error)

    def test_commands_that_are_none(self):
        self.write([kernel(RIGHT)])
        for words in (["run"], ["check"], ["time", "time", "1"], []):
            self.run_worker(*words, code=2)
            self.assertIn("triton_worker.py DIR check", self.error)
        self.run_worker("check", "9", code=2)
        self.assertIn("there is no candidate 9", self.error)

    def contents(self, dtype, size, words):
        """What a tensor with these contents holds."""
        sys.path[:0] = [str(HERE / "stub"), str(HERE.parent.parent / "src" / "agent" / "program")]
        sys.dont_write_bytecode = True
        import triton_bundle
        import triton_memory
        bundle = triton_bundle.Bundle(self.folder)
        launch = triton_bundle.Launch("main")
        launch.tensors["x"] = triton_bundle.Tensor("x", dtype, size, "read", words.split())
        memory = triton_memory.Memory(bundle, launch)
        memory.fill(1)
        slot = memory.slots["x"]
        return slot, slot.bytes.view(slot.dtype).values()

    def test_contents(self):
        self.assertEqual(self.contents("int32", 16, "range")[1], [0, 1, 2, 3])
        self.assertEqual(self.contents("fp16", 8, "constant 1.5")[1], [1.5] * 4)
        self.assertEqual(self.contents("int64", 16, "zeros")[1], [0, 0])
        self.assertLessEqual(set(self.contents("int8", 60, "random")[1]), set(range(10)))
        self.assertEqual(set(self.contents("bool", 60, "random")[1]), {False, True})
        self.assertEqual(set(self.contents("uint8", 60, "uniform 250 256")[1]),
                         set(range(250, 256)))
        floats = self.contents("fp32", 400, "random")[1]
        self.assertTrue(-1 <= min(floats) < -0.5 and 0.5 < max(floats) <= 1)
        self.assertEqual(floats, self.contents("fp32", 400, "random")[1])
        (self.folder / "x.bin").write_bytes(bytes([1, 0, 2, 0]))
        self.assertEqual(self.contents("int16", 4, "file x.bin")[1], [1, 2])
        slot, values = self.contents("int64", 16, "addresses x")
        self.assertEqual(values, [slot.bytes.data_ptr(), 0])


if __name__ == "__main__":
    unittest.main()
