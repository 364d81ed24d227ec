"""Addresses from compiled Triton on a GPU.

The kernel's source is rewritten (instrument.py) so that every load, store and atomic first writes
its pointers to a log; then it is compiled and launched as usual, and the log is read back. What a
block pointer or a tensor descriptor addresses is read through a twin of it over a tensor that
holds, at every element, the element's own number plus one.
"""
import importlib.util
import pathlib
import sys

import torch

import dense
import dense_memory
import instrument
from launches import Launch, in_launch_order

HEADER_WORDS = 2  # site, number of elements


def extent(path, settings):
    """Most records of a tile and most elements of a record, from the oracle."""
    most = {"records": 0, "elements": 1}
    plain = dense_memory.access

    def access(kind, pointers, mask, line):
        most["elements"] = max(most["elements"], len(pointers.data))
        return plain(kind, pointers, mask, line)

    dense_memory.access = access
    try:
        tiles = {}
        for record in dense.records(path, settings):
            tile = tuple(record["tile"])
            tiles[tile] = tiles.get(tile, 0) + 1
        most["records"] = max(tiles.values(), default=0)
    finally:
        dense_memory.access = plain
    return most["records"] + 4, HEADER_WORDS + most["elements"]


def twins(launch):
    """For every tensor its twin: int32 numbers 1, 2, 3, ... in the same layout."""
    result = {}
    for tensor in launch.job.tensors:
        if tensor.name in launch.arguments:
            count = launch.buffers[tensor.name].numel()
            numbers = torch.arange(1, count + 1, dtype=torch.int32, device="cuda")
            result[tensor.name + instrument.TWIN] = launch.view(tensor, numbers)
    return result


def read_log(launch, log, counts, capacity, sites):
    records = []
    grid = launch.grid
    for program, used in enumerate(counts.tolist()):
        if used > capacity:
            raise OverflowError(f"{used} records in a tile, room for {capacity}")
        tile = (program % grid[0], program // grid[0] % grid[1], program // (grid[0] * grid[1]))
        for row in log[program, :used].tolist():
            site, count, words = row[0], row[1], row[HEADER_WORDS:]
            line, kind, tensor = sites[site]
            active = [word for word in words[:count] if word]
            if tensor is not None:
                base = launch.buffers[tensor].data_ptr()
                size = launch.elements[tensor]
                active = [base + (number - 1) * size for number in active]
            records.append(launch.record(tile, line, kind, None, active))
    return records


def addresses(path, settings, folder):
    capacity, row = extent(path, settings)
    launch = Launch(path, settings, "cuda")
    source, sites, uses_twins = instrument.instrumented(
        launch.kernel_path, launch.function, list(launch.buffers), capacity, row)
    target = pathlib.Path(folder) / f"instrumented_{launch.function}.py"
    target.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(target.stem, target)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)

    programs = launch.grid[0] * launch.grid[1] * launch.grid[2]
    log = torch.zeros((programs, capacity, row), dtype=torch.int64, device="cuda")
    counts = torch.zeros(programs, dtype=torch.int32, device="cuda")
    arguments = dict(launch.arguments)
    if uses_twins:
        arguments |= twins(launch)
    getattr(module, launch.function)[launch.grid](
        **{instrument.LOG: log, instrument.COUNTS: counts}, **arguments, **launch.options)
    torch.cuda.synchronize()
    records = read_log(launch, log.cpu(), counts.cpu(), capacity, sites)
    for record in records:
        # The log holds addresses only; the width is that of the tensor's elements.
        record["element_bytes"] = launch.elements.get(record["tensor"], 0)
    fill_widths(records)
    return in_launch_order(records)


def fill_widths(records):
    """Where nothing was active the width comes from the same line elsewhere."""
    widths = {(r["line"], r["kind"]): r["element_bytes"] for r in records if r["offsets"]}
    for record in records:
        if not record["offsets"]:
            record["element_bytes"] = widths.get((record["line"], record["kind"]), 0)
