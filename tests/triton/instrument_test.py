#!/usr/bin/env python3
"""Instrumented kernels, run by the dense interpreter, log what the plain kernels access.

So the rewriting is tested where there is no Triton.
"""
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
sys.path[:0] = [str(HERE), str(HERE.parent / "oracle")]

import dense  # noqa: E402
import dense_job  # noqa: E402
import dense_source  # noqa: E402
import instrument  # noqa: E402
import random_kernels  # noqa: E402
import small_sizes  # noqa: E402
from dense_memory import MACHINE  # noqa: E402
from dense_values import int32, int64  # noqa: E402

CAPACITY = 200
ROW = 2 + 128 * 256
LOG_ADDRESS = 1 << 60


def zero(_):
    return 0


def logged(path, settings, folder):
    """[(tile, line, kind, tensor, offsets)] as the log has them."""
    job = dense_job.Job(path, settings)
    source, sites, uses_twins = instrument.instrumented(
        job.folder / job.table["kernel"], job.kernel.name, [t.name for t in job.tensors],
        CAPACITY, ROW)
    target = folder / "instrumented.py"
    target.write_text(source, encoding="utf-8")
    kernel = dense_source.load_kernel(target, job.kernel.name)

    programs = dense_job.tile_count(job.grid)
    log = dense_job.Tensor(instrument.LOG, int64, [programs * CAPACITY * ROW], [1])
    counts = dense_job.Tensor(instrument.COUNTS, int32, [programs], [1])
    log.address, counts.address = LOG_ADDRESS, LOG_ADDRESS * 2
    log.contents = counts.contents = zero
    tensors = job.tensors + [log, counts]
    arguments = dict(job.arguments)
    arguments |= {one.name: dense_job.argument(one) for one in (log, counts)}
    if uses_twins:
        for number, tensor in enumerate(job.tensors):
            twin = dense_job.Tensor(tensor.name, int32, tensor.shape, tensor.strides)
            twin.address = LOG_ADDRESS * (3 + number)
            twin.contents = lambda i: i + 1
            twin.block = tensor.block
            tensors.append(twin)
            arguments[tensor.name + instrument.TWIN] = dense_job.argument(twin)

    result = []
    for program, tile in enumerate(dense_job.tiles(job.grid)):
        MACHINE.begin(tile, job.grid, tensors)
        kernel.function(**arguments)
        words = MACHINE.written
        for slot in range(words.get(counts.address + 4 * program, 0)):
            row = log.address + 8 * (program * CAPACITY + slot) * ROW
            line, kind, tensor = sites[words[row]]
            numbers = [words[row + 8 * (2 + i)] for i in range(words[row + 8])]
            result.append((tile, line, kind) + located(job, tensor, numbers))
    return result


def located(job, tensor, numbers):
    active = [number for number in numbers if number]
    if not active:
        return None, []
    if tensor is not None:
        size = next(t.dtype.bytes for t in job.tensors if t.name == tensor)
        return tensor, [(number - 1) * size for number in active]
    home = next(t for t in job.tensors if t.address <= active[0] < t.address + t.bytes)
    return home.name, [number - home.address for number in active]


def plain(path, settings):
    return [(tuple(r["tile"]), r["line"], r["kind"], r["tensor"] if r["offsets"] else None,
             r["offsets"]) for r in dense.records(path, settings)]


class Instrumented(unittest.TestCase):
    def compare(self, path, settings):
        with tempfile.TemporaryDirectory() as folder:
            found = logged(path, settings, pathlib.Path(folder))
        self.assertEqual(plain(path, settings), found)

    def test_examples(self):
        for name, settings in small_sizes.cases():
            with self.subTest(name, **settings):
                self.compare(EXAMPLES / f"{name}.toml", settings)

    def test_random_kernels(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(40):
                with self.subTest(seed=seed):
                    self.compare(random_kernels.write(seed, folder, runnable=True), {})


if __name__ == "__main__":
    unittest.main()
