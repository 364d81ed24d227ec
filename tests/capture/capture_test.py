#!/usr/bin/env python3
"""heddle capture with stand-ins for PyTorch and Triton: what is written, and what the program sees."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HEDDLE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

KERNEL = """
import torch
import triton
import triton.language as tl

SCALE = tl.constexpr(2)

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
"""
# What the program saw itself, at its end.
SHOW = """
print("launched", len(triton.JITFunction.launched), [one[1] for one in triton.JITFunction.launched][:3])
"""


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def environment(self):
        return {**os.environ, "PYTHONPATH": str(HERE / "stub"), "PYTHONDONTWRITEBYTECODE": "1"}

    def write(self, text, name="program.py"):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def run_it(self, text, *options, out="out"):
        program = self.write(KERNEL + textwrap.dedent(text) + SHOW)
        command = [HEDDLE, "capture", "-o", str(self.path / out), *options, "--",
                   sys.executable, str(program)]
        return subprocess.run(command, capture_output=True, text=True, env=self.environment(),
                              cwd=self.path)

    def jobs(self, out="out"):
        paths = sorted((self.path / out).glob("*.toml"), key=lambda path: (len(path.name), path))
        return {path.name: path.read_text() for path in paths}

    def job(self, name="add.toml", out="out"):
        return self.jobs(out)[name]

    def check(self, done, code=0):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    # ---- what is written

    def test_a_job_holds_the_launch(self):
        done = self.run_it("""
            x = torch.as_strided(torch.empty(64, 128, dtype=torch.float16), (60, 100), (128, 1))
            y = torch.empty(4096, offset=4)
            for _ in range(3):
                add[(4, 1, 1)](x, y, 4000, BLOCK=1024, num_warps=8)
            """)
        self.check(done)
        self.assertEqual(done.stdout, "launched 3 [(4, 1, 1), (4, 1, 1), (4, 1, 1)]\n")
        text = self.job()
        for line in ('function = "add"', "grid = [4]", 'dtype = "fp16"', "shape = [60, 100]",
                     "strides = [128, 1]", "n = 4000", "BLOCK = 1024", "warps = 8", "stages = 3",
                     "registers = 40", "shared_bytes = 1024", "launches = 3", "time_us = 25.000",
                     "spills = 3", 'gpu = "A fake GPU"'):
            self.assertIn("\n" + line + "\n", text)
        addresses = [int(one, 16) for one in re.findall(r"address = (0x\w+)", text)]
        self.assertEqual([address % 16 for address in addresses], [0, 4])
        self.assertNotIn("SCALE", text)  # the file says it

    def test_heddle_reads_the_job(self):
        self.check(self.run_it("""
            add[(4,)](torch.empty(4096), torch.empty(4096), 4096, BLOCK=1024)
            """))
        done = subprocess.run([HEDDLE, "trace", str(self.path / "out" / "add.toml")],
                              capture_output=True, text=True)
        self.check(done)
        self.assertIn("PROVED", done.stdout)

    def test_one_job_for_each_signature(self):
        self.check(self.run_it("""
            x, y = torch.empty(4096), torch.empty(4096)
            for n in (4096, 4000, 4096, 4000):
                for step in range(10):
                    add[lambda meta: (4096 // meta["BLOCK"],)](x, y, n, BLOCK=1024)
            add[(4,)](x, y, 4096, BLOCK=1024)
            """))
        texts = list(self.jobs().values())
        self.assertEqual([re.search(r"\nn = (\d+)", one)[1] for one in texts],
                         ["4096", "4000"])
        self.assertEqual([re.search(r"launches = (\d+)", one)[1] for one in texts],
                         ["21", "20"])

    def test_other_types_are_other_signatures(self):
        self.check(self.run_it("""
            half, y = torch.empty(4096, dtype=torch.float16), torch.empty(4096)
            for step in range(50):
                add[(4,)](y, y, 4096, BLOCK=1024)
            for step in range(50):
                add[(4,)](half, y, 4096, BLOCK=1024)
                add[(4,)](y, y, 4096, BLOCK=1024)
            """))
        texts = list(self.jobs().values())
        self.assertEqual([re.findall(r'dtype = "(\w+)"', one) for one in texts],
                         [["fp32", "fp32"], ["fp16", "fp32"]])
        self.assertEqual([re.search(r"launches = (\d+)", one)[1] for one in texts], ["100", "50"])

    def test_a_launcher_that_is_kept_tells_launches_apart(self):
        self.check(self.run_it("""
            half, y = torch.empty(4096, dtype=torch.float16), torch.empty(4096)
            launch = add[(4,)]
            for step in range(40):
                launch(y, y, 4096, BLOCK=1024)
                launch(y, y, 4096, BLOCK=1024)
                launch(y, y, 4000, BLOCK=1024)
                launch(y, y, 4000, BLOCK=512)
            for step in range(40):
                launch(half, y, 4000, BLOCK=512)
                launch(y, y, 4000, BLOCK=512)
            """))
        numbers = [[int(re.search(rf"\n{name} = (\d+)", one)[1])
                    for name in ("n", "BLOCK", "launches")] + ["fp16" in one]
                   for one in self.jobs().values()]
        self.assertEqual(sorted(numbers), [[4000, 512, 40, True], [4000, 512, 80, False],
                                           [4000, 1024, 40, False], [4096, 1024, 80, False]])

    def test_floating_values_make_no_signature(self):
        self.check(self.run_it("""
            x = torch.empty(4096)
            for step in range(40):
                add[(4,)](x, 0.5 * step, 4096, BLOCK=1024)
            """))
        self.assertEqual(len(self.jobs()), 1)
        self.assertIn("y_ptr = 0.0\n", self.job())

    def test_an_autotuner_is_not_captured(self):
        self.check(self.run_it("""
            tuned = triton.autotune([triton.Config({"BLOCK": 256}), triton.Config(
                {"BLOCK": 512}, num_warps=2)], key=[])(add)
            x = torch.empty(4096)
            tuned[lambda meta: (4096 // meta["BLOCK"],)](x, x, 4096)
            half = torch.empty(4096, dtype=torch.float16)
            tuned[lambda meta: (4096 // meta["BLOCK"],)](half, half, 4096)
            """))
        self.assertEqual(list(self.jobs()), ["add.toml", "add-2.toml"])
        for text in self.jobs().values():
            self.assertIn("BLOCK = 512\n", text)
            self.assertIn("warps = 2\n", text)

    def test_integers_are_kept(self):
        self.check(self.run_it("""
            index = torch.tensor([3, 1, 2, -1])
            add[(1,)](index, torch.empty(4), 4, BLOCK=4)
            """))
        path = re.search(r"file\('(.*)'\)", self.job())[1]
        data = (self.path / "out" / path).read_bytes()
        self.assertTrue(data.startswith(b"\x93NUMPY\x01\x00"))
        self.assertEqual(len(data) - 16, int.from_bytes(data[8:10], "little") + 10)
        self.assertEqual(len(data[:-16]) % 64, 0)
        self.assertIn(b"'descr': '<i4', 'fortran_order': False, 'shape': (4,)", data)
        numbers = [int.from_bytes(data[-16 + 4 * i:][:4], "little", signed=True) for i in range(4)]
        self.assertEqual(numbers, [3, 1, 2, -1])

    def test_sources_travel(self):
        self.write("""
            import triton
            import triton.language as tl
            from .deep import twice
            LIMIT = len("four")
            @triton.jit
            def kernel(x_ptr, n):
                tl.store(x_ptr, twice(n) + LIMIT)
            """, "package/kernels.py")
        self.write("import triton\n@triton.jit\ndef twice(n):\n    return n * 2\n",
                   "package/deep.py")
        self.write("", "package/__init__.py")
        self.check(self.run_it("""
            from package.kernels import kernel
            kernel[(1,)](torch.empty(4), 2)
            """))
        text = self.job("kernel.toml")
        path = self.path / "out" / re.search(r'kernel = "(.*)"', text)[1]
        self.assertEqual(path.parts[-2:], ("package", "kernels.py"))
        self.assertIn("def twice", (path.parent / "deep.py").read_text())
        self.assertIn("LIMIT = 4\n", text)

    def test_a_kernel_that_was_compiled_ahead(self):
        self.check(self.run_it("""
            x = torch.empty(4096)
            kernel = add.warmup(x, x, 4096, BLOCK=512, grid=(1,))
            for step in range(30):
                kernel[(8, 1, 1)](x, x, 4096, 512)
            assert len(kernel.launched) == 30
            """))
        for line in ("grid = [8]", "n = 4096", "BLOCK = 512", "launches = 30", "time_us = 25.000"):
            self.assertIn("\n" + line + "\n", self.job())

    def test_kernels_of_torch_compile(self):
        self.write("""
            import triton
            @triton.jit
            def triton_poi_0(in_ptr0, out_ptr0, xnumel, XBLOCK: "constexpr"):
                pass
            """, "generated.py")
        self.check(self.run_it("""
            import generated
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner
            tuner = CachingAutotuner(generated.triton_poi_0, {"constants": {}},
                                     generated.__file__, {"XBLOCK": 1024})
            for step in range(40):
                tuner.run(torch.empty(5000), torch.empty(5000), 5000, stream=7)
            print(len(tuner.launched), tuner.launched[0][:4])
            """))
        text = self.job("triton_poi_0.toml")
        for line in ("grid = [5]", "xnumel = 5000", "XBLOCK = 1024", "warps = 8", "registers = 20",
                     "launches = 40", "time_us = 25.000"):
            self.assertIn("\n" + line + "\n", text)
        path = re.search(r'kernel = "(.*)"', text)[1]
        self.assertIn("def triton_poi_0", (self.path / "out" / path).read_text())

    # ---- what is not

    def test_limit_and_kernel(self):
        program = """
            x = torch.empty(4096)
            for n in range(100, 110):
                add[(4,)](x, x, n, BLOCK=1024)
            """
        done = self.run_it(program, "--limit", "2")
        self.check(done)
        self.assertEqual(len(self.jobs()), 2)
        self.assertIn("add: more than 2 signatures", done.stderr)
        self.check(self.run_it(program, "--kernel", "mul*", out="other"), 3)
        self.assertEqual(self.jobs("other"), {})

    def test_signatures_beyond_the_limit_are_left_alone(self):
        done = self.run_it("""
            x = torch.empty(4096)
            for n in range(3000):
                add[(4,)](x, x, n, BLOCK=1024)
                add[(4,)](x, x, 0, BLOCK=1024)
            """, "--limit", "1")
        self.check(done)
        self.assertTrue(done.stdout.startswith("launched 6000 "))
        self.assertEqual(len(self.jobs()), 1)

    def test_forms_of_a_call_are_told_apart(self):
        self.check(self.run_it("""
            x, y = torch.empty(4096), torch.empty(4096)
            for step in range(40):
                add[(4,)](x, y, 4096, BLOCK=1024)
                add[(4,)](x, y, n=4096, BLOCK=1024)
                add[(4,)](x, y_ptr=y, n=4000, BLOCK=1024)
                add[[4]](x, y, 4096, 1024)
                add[(4,)](x, y, 4096, BLOCK=1024, num_warps=8)
            """))
        numbers = [[int(re.search(rf"\n{name} = (\d+)", one)[1])
                    for name in ("n", "warps", "launches")] for one in self.jobs().values()]
        self.assertEqual(sorted(numbers), [[4000, 4, 40], [4096, 4, 120], [4096, 8, 40]])

    def test_what_a_job_cannot_say_is_named(self):
        done = self.run_it("""
            for step in range(40):
                add[(4,)](torch.empty(4), object(), 4, BLOCK=1024)
            """)
        self.check(done, 3)
        self.assertIn("add was not captured: y_ptr is of type object", done.stderr)
        self.assertTrue(done.stdout.startswith("launched 40 "))

    # ---- the program

    def test_errors_and_exit_codes_are_the_programs(self):
        done = self.run_it("""
            x = torch.empty(4)
            add[(1,)](x, x, 4, BLOCK=4)
            try:
                add[(1,)](x, x, 4, BLOCK=4, num_warps=64)
            except ValueError as error:
                print(error)
            raise SystemExit(9)
            """)
        self.check(done, 9)
        self.assertEqual(done.stdout, "too many warps\n")
        self.assertEqual(list(self.jobs()), ["add.toml"])

    def test_a_crash_leaves_whole_files(self):
        done = self.run_it("""
            import os, signal
            x = torch.empty(4096)
            for n in range(5):
                add[(1,)](x, x, n, BLOCK=4)
            os.kill(os.getpid(), signal.SIGKILL)
            """)
        self.check(done, 128 + signal.SIGKILL)
        self.assertEqual(len(self.jobs()), 5)
        for text in self.jobs().values():
            self.assertIn("[captured]\n", text)
        self.assertEqual(list((self.path / "out").rglob("*.part")), [])

    def test_ctrl_c_is_the_programs(self):
        program = self.write(KERNEL + textwrap.dedent("""
            import time
            x = torch.empty(4096)
            try:
                for n in range(10 ** 9):
                    add[(1,)](x, x, 4, BLOCK=4)
                    if n == 20:
                        print("going", flush=True)
            except KeyboardInterrupt:
                print("stopped")
                raise SystemExit(3)
            """))
        process = subprocess.Popen(
            [HEDDLE, "capture", "-o", str(self.path / "out"), "--", sys.executable, str(program)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment(),
            start_new_session=True)
        self.assertEqual(process.stdout.readline(), "going\n")
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual((output, process.returncode), ("stopped\n", 3))
        self.assertGreater(int(re.search(r"launches = (\d+)", self.job())[1]), 20)

    def test_the_users_own_sitecustomize_runs(self):
        self.write("print('mine')\n", "own/sitecustomize.py")
        environment = {**self.environment()}
        environment["PYTHONPATH"] += f":{self.path / 'own'}"
        done = subprocess.run(
            [HEDDLE, "capture", "-o", str(self.path / "out"), "--", sys.executable, "-c",
             "import sitecustomize; print(sitecustomize.__file__)"],
            capture_output=True, text=True, env=environment)
        self.assertEqual(done.stdout.splitlines(),
                         ["mine", str(self.path / "own" / "sitecustomize.py")])

    def test_two_processes_share_a_folder(self):
        self.check(self.run_it("""
            import subprocess, sys
            x = torch.empty(4096)
            add[(4,)](x, x, 4096, BLOCK=1024)
            if len(sys.argv) == 1:
                subprocess.run([sys.executable, __file__, "child"], check=True)
            else:
                add[(4,)](x, x, 4000, BLOCK=1024)
            """))
        self.assertEqual(len(self.jobs()), 2)

    def test_a_folder_is_not_written_over(self):
        self.write("here", "out/file")
        self.check(self.run_it("print('not run')"), 2)

    def test_launches_cost_little(self):
        """Of a launch by the stand-in, which does far less than Triton's: a small multiple."""
        text = """
            import time
            x = torch.empty(4096)
            def once(count):
                begin = time.perf_counter()
                for _ in range(count):
                    add[(4,)](x, x, 4096, BLOCK=1024)
                return time.perf_counter() - begin
            once(100)
            print(min(once(200) for _ in range(20)) / 200 * 1e6)
            """
        done = self.run_it(text)
        self.check(done)
        plain = subprocess.run([sys.executable, str(self.path / "program.py")], capture_output=True,
                               text=True, env=self.environment())
        cost_us = float(done.stdout.split()[0]) - float(plain.stdout.split()[0])
        self.assertLess(cost_us, 5.0)


@unittest.skipUnless(__import__("importlib.util").util.find_spec("torch"), "needs PyTorch")
class RealTest(unittest.TestCase):
    def test_a_real_kernel(self):
        import torch
        if not torch.cuda.is_available():
            self.skipTest("needs a GPU")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text(KERNEL + textwrap.dedent("""
                x = torch.arange(4096, device="cuda", dtype=torch.float32)
                y = torch.empty_like(x)
                for _ in range(20):
                    add[(4,)](x, y, 4096, BLOCK=1024)
                assert torch.equal(x, y)
                """))
            out = pathlib.Path(folder) / "out"
            subprocess.run([HEDDLE, "capture", "-o", str(out), "--", sys.executable, str(program)],
                           check=True)
            text = (out / "add.toml").read_text()
            self.assertIn("launches = 20\n", text)
            self.assertIn("time_us = ", text)


if __name__ == "__main__":
    unittest.main()
