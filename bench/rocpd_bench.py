#!/usr/bin/env python3
"""How long analyze takes for large databases of rocprofv3, and how much memory: of many dispatches with few counters,
of few with many, and of counters with many instances. The databases are made up.

    rocpd_bench.py --program build/heddle [--megabytes 1000] [--keep FOLDER] [--shape 8 ...]
"""
import argparse
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import time

# Counters of a dispatch, instances of each.
SHAPES = ["8x1", "48x1", "273x1", "17x16"]
COUNTERS = ["SQ_WAVES", "GRBM_GUI_ACTIVE", "GRBM_COUNT", "SQ_BUSY_CYCLES", "TCC_HIT_sum", "TCC_MISS_sum", "TCC_REQ_sum",
            "SQ_INSTS_VALU"]
GUID = "0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9"
KERNELS = 40
AGENT = '{"cu_count":304,"num_xcc":8,"wave_front_size":64,"max_engine_clk_fcompute":2100}'


def schema():
    return f"""
CREATE TABLE rocpd_metadata_{GUID} (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
CREATE TABLE rocpd_info_agent_{GUID} (id INTEGER PRIMARY KEY, guid TEXT, type TEXT, name TEXT, product_name TEXT,
  extdata JSONB);
CREATE TABLE rocpd_info_pmc_{GUID} (id INTEGER PRIMARY KEY, guid TEXT, agent_id INTEGER, name TEXT);
CREATE TABLE rocpd_info_kernel_symbol_{GUID} (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT,
  sgpr_count INTEGER, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);
CREATE TABLE rocpd_kernel_dispatch_{GUID} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER,
  agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT,
  end BIGINT, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER,
  workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER,
  region_name_id INTEGER, event_id INTEGER, extdata JSONB DEFAULT '{{}}');
CREATE TABLE rocpd_pmc_event_{GUID} (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, pmc_id INTEGER, value REAL,
  extdata JSONB DEFAULT '{{}}');
"""


def make(path, counters, instances, megabytes):
    path.unlink(missing_ok=True)
    file = sqlite3.connect(path)
    file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + schema())
    insert = lambda table, rows: file.executemany(  # noqa: E731
        f"INSERT INTO rocpd_{table}_{GUID} VALUES ({','.join('?' * len(rows[0]))})", rows)
    insert("metadata", [(None, "schema_version", "3")])
    insert("info_agent", [(1, GUID, "GPU", "gfx942", "MI300X", AGENT)])
    names = COUNTERS + [f"SQC_EXTRA_{i}" for i in range(counters)]
    insert("info_pmc", [(1 + i, GUID, 1, names[i // instances]) for i in range(counters * instances)])
    insert("info_kernel_symbol",
           [(1 + i, GUID, f"kernel_{i}.kd", f"void kernel_{i}<float, 128>(float*, int)", 32, 64, 0) for i in range(KERNELS)])
    dispatch = 0
    while path.stat().st_size < megabytes * 1e6:
        launches, values = [], []
        for _ in range(max(1, 40_000 // (counters * instances))):
            dispatch += 1
            start = 1_700_000_000_000_000_000 + 20_000 * dispatch
            launches.append((None, GUID, 1, 2, 3, 1, 1 + dispatch % KERNELS, dispatch, 1, 1, start,
                             start + 4000 + dispatch % 977, 0, 0, 256, 1, 1, 65536, 1, 1, 1, dispatch, "{}"))
            values += [(None, GUID, dispatch, 1 + i, float(1000 + (dispatch * 7 + i) % 4096), "{}")
                       for i in range(counters * instances)]
        insert("kernel_dispatch", launches)
        insert("pmc_event", values)
        file.commit()
    file.close()
    return dispatch


def measure(program, path):
    begin = time.monotonic()
    process = subprocess.Popen([program, "analyze", "-p", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1000, os.waitstatus_to_exitcode(status)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--shape", nargs="*", default=SHAPES, help="counters, or counters x instances: 17x16")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the databases here, and use those that are here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for shape in arguments.shape:
            counters, instances = (list(map(int, shape.split("x"))) + [1])[:2]
            path = folder / f"{shape}_{arguments.megabytes}_results.db"
            if not path.exists():
                make(path, counters, instances, arguments.megabytes)
            busy, wall, peak, code = measure(arguments.program, path)
            print(f"{shape:>7}: {path.stat().st_size / 1e6:.0f} MB, exit {code}: {busy:.1f} s of a processor, "
                  f"{wall:.1f} s by the clock, {peak:.0f} MB", flush=True)
            if not arguments.keep:
                path.unlink()


if __name__ == "__main__":
    main()
