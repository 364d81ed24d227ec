#!/usr/bin/env python3
"""The dense interpreter against offsets worked out by hand."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import dense  # noqa: E402
import dense_contents  # noqa: E402
import random_kernels  # noqa: E402
from dense_values import DenseError  # noqa: E402

HEADER = "import triton\nimport triton.language as tl\n\n"
JOB = """kernel = "k.py"
function = "k"
grid = [GRID]
[tensors.x]
dtype = "int32"
shape = [8, 16]
EXTRA
"""


def run(body, grid="1", extra="", parameters="x", before=""):
    """[(tile x, kind, tensor, offsets)] of a kernel with this body."""
    lines = [f"    {line}" for line in body.strip().splitlines()]
    source = HEADER + before + f"@triton.jit\ndef k({parameters}):\n" + "\n".join(lines) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "k.py").write_text(source, encoding="utf-8")
        job = folder / "job.toml"
        job.write_text(JOB.replace("GRID", grid).replace("EXTRA", extra), encoding="utf-8")
        return [(r["tile"][0], r["kind"], r["tensor"], r["offsets"]) for r in dense.records(job)]


def offsets(body, **more):
    return [record[3] for record in run(body, **more)]


class Addresses(unittest.TestCase):
    def test_program_ids_and_arange(self):
        self.assertEqual(
            run("tl.load(x + tl.program_id(0) * 4 + tl.arange(0, 4))", grid="2"),
            [(0, "read", "x", [0, 4, 8, 12]), (1, "read", "x", [16, 20, 24, 28])])

    def test_two_dimensions_are_row_major(self):
        body = "tl.store(x + tl.arange(0, 2)[:, None] * 16 + tl.arange(0, 2)[None, :], 1)"
        self.assertEqual(run(body), [(0, "write", "x", [0, 4, 64, 68])])

    def test_masks_leave_elements_out(self):
        body = "i = tl.arange(0, 4)\ntl.load(x + i, mask=(i > 0) & (i != 2), other=0)"
        self.assertEqual(offsets(body), [[4, 12]])

    def test_division_truncates_toward_zero_for_blocks_and_rounds_down_for_constants(self):
        body = "i = -7\ntl.load(x + 9 + i // 2)\ntl.load(x + 9 + (-7) // 2)\ntl.load(x + 9 + i % 4)"
        self.assertEqual(offsets(body), [[24], [20], [24]])

    def test_int32_wraps_and_int64_does_not(self):
        body = """
i = 65536
tl.load(x + i * 65536 + 1)
tl.load(x + i.to(tl.int64) * 65536 + 1)
"""
        self.assertEqual(offsets(body), [[4], []])

    def test_unsigned_and_narrow_types(self):
        body = """
i = tl.full([1], 250, tl.uint8)
tl.load(x + (i + 10))
tl.load(x + (i.to(tl.int8) + 10))
"""
        self.assertEqual(offsets(body), [[16], [16]])

    def test_outside_of_the_tensor_is_left_out(self):
        self.assertEqual(offsets("tl.load(x + 126 + tl.arange(0, 4))"), [[504, 508]])

    def test_loops_carry_pointers(self):
        body = "p = x + tl.arange(0, 2)\nfor j in range(5, -1, -3):\n    tl.load(p + j)\n    p += 8"
        self.assertEqual(offsets(body), [[20, 24], [40, 44]])

    def test_while_and_early_return(self):
        body = """
if tl.program_id(0) == 1:
    return
j = 0
while j < 4:
    tl.load(x + j)
    j += 3
"""
        self.assertEqual(run(body, grid="2"), [(0, "read", "x", [0]), (0, "read", "x", [12])])

    def test_helpers_return_blocks_and_tuples(self):
        before = "@triton.jit\ndef two(a, N: tl.constexpr):\n    return a + tl.arange(0, N), 3\n\n"
        body = "i, j = two(1, 2)\ntl.load(x + i * j)"
        self.assertEqual(offsets(body, before=before), [[12, 24]])

    def test_where_on_pointers(self):
        body = "i = tl.arange(0, 4)\ntl.load(tl.where(i < 2, x + i, x + 100 - i))"
        self.assertEqual(offsets(body), [[0, 4, 392, 388]])

    def test_shapes(self):
        body = """
i = tl.arange(0, 4)
tl.load(x + tl.reshape(i, [2, 2]).T)
tl.load(x + tl.interleave(i, i + 16))
tl.load(x + tl.join(i, i * 2))
tl.load(x + tl.flip(i, 0))
tl.load(x + tl.cumsum(i, 0))
tl.load(x + tl.sum(i, 0))
"""
        self.assertEqual(offsets(body), [
            [0, 8, 4, 12], [0, 64, 4, 68, 8, 72, 12, 76], [0, 0, 4, 8, 8, 16, 12, 24],
            [12, 8, 4, 0], [0, 4, 12, 24], [24]])

    def test_the_line_is_where_the_call_starts(self):
        body = "    tl.store(\n        x + 1,\n        tl.load(x))\n"
        source = HEADER + "@triton.jit\ndef k(x):\n" + body
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "k.py").write_text(source, encoding="utf-8")
            job = folder / "job.toml"
            job.write_text(JOB.replace("GRID", "1").replace("EXTRA", ""), encoding="utf-8")
            lines = [(record["kind"], record["line"]) for record in dense.records(job)]
        self.assertEqual(lines, [("read", 8), ("write", 6)])


class BlockPointers(unittest.TestCase):
    def test_boundary_check_looks_at_the_axes_it_names(self):
        body = """
p = tl.make_block_ptr(x, (8, 16), (16, 1), (7, 14), (2, 4), (1, 0))
tl.load(p, boundary_check=(0, 1))
tl.load(p, boundary_check=(0,))
p = tl.advance(p, (-1, -20))
tl.load(p, boundary_check=(1,))
tl.store(p.advance((0, 6)), tl.zeros((2, 4), tl.int32), boundary_check=(0, 1))
"""
        self.assertEqual(run(body), [
            (0, "read", "x", [504, 508]), (0, "read", "x", [504, 508]), (0, "read", "x", []),
            (0, "write", "x", [384, 388, 392, 396, 448, 452, 456, 460])])

    def test_descriptors_leave_out_what_is_outside(self):
        extra = "block = [2, 4]"
        body = "d = x.load([7, 14])\nx.store([-1, 0], d)\nx.atomic_add([0, 12], d)"
        self.assertEqual(run(body, extra=extra), [
            (0, "read", "x", [504, 508]), (0, "write", "x", [0, 4, 8, 12]),
            (0, "atomic", "x", [48, 52, 56, 60, 112, 116, 120, 124])])


class Contents(unittest.TestCase):
    def test_loaded_indices_and_bounds(self):
        extra = 'contents = "values(' + ", ".join(str(i % 5) for i in range(128)) + ')"'
        body = "n = tl.load(x + 3)\nfor j in range(n):\n    tl.load(x + j * 2 + tl.load(x + 7))"
        self.assertEqual(offsets(body, extra=extra), [[12], [28], [8], [28], [16], [28], [24]])

    def test_a_tile_sees_its_own_writes_only(self):
        body = """
old = tl.atomic_add(x + tl.arange(0, 2) * 0, 3)
tl.load(x + tl.load(x))
tl.load(x + old)
tl.store(x + 5, 9)
tl.load(x + tl.load(x + 5))
"""
        expected = [[0, 0], [0], [24], [0, 12], [20], [20], [36]]
        found = run(body, grid="2", extra='contents = "zeros"')
        self.assertEqual([record[3] for record in found if record[0] == 0], expected)
        self.assertEqual([record[3] for record in found if record[0] == 1], expected)

    def test_unknown_contents_may_not_decide(self):
        with self.assertRaises(DenseError):
            run("tl.load(x + tl.load(x))")
        with self.assertRaises(DenseError):
            run("if tl.load(x) > 0:\n    tl.load(x)")
        self.assertEqual(len(run("tl.store(x + 1, tl.load(x) + 1)")), 2)

    def test_a_sparse_matrix_is_consistent(self):
        offsets_, columns = dense_contents.make_csr(50, 40, 0.2, 7)
        self.assertEqual(offsets_[-1], len(columns))
        self.assertTrue(300 < len(columns) < 500, len(columns))
        for row in range(50):
            part = columns[offsets_[row]:offsets_[row + 1]]
            self.assertEqual(part, sorted(set(part)))
            self.assertTrue(all(0 <= column < 40 for column in part))

    def test_permutations_and_streams(self):
        self.assertEqual(sorted(dense_contents.permutation(100, 3)), list(range(100)))
        stream = dense_contents.Stream(5)
        self.assertTrue(all(0 <= stream.below(7, i) < 7 for i in range(100)))

    def test_philox_is_the_published_one(self):
        # The known answer of Philox4x32-10 for counter 0 and key 0.
        from dense_language import _philox
        self.assertEqual(_philox(0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8))


class RandomKernels(unittest.TestCase):
    def test_the_same_seed_gives_the_same_kernel(self):
        first, second = (random_kernels.Generator(11).kernel() for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, random_kernels.Generator(12).kernel())


if __name__ == "__main__":
    unittest.main()
