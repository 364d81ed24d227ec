"""Recordings of runs that never were, for the corpus: figures in, a workload folder out.

    write(folder, {"base": "axpy", "times": {"duration": 0.5}})

A base is a kernel with figures that fit each other and its GPU. `times` multiplies figures, `is` sets
them, `without` leaves counters out, and `dispatches` repeats the launch, each time with factors of its
own.
"""
MI200 = {"gpu_model": "MI200", "gpu_arch": "gfx90a", "gpu_l1": 16, "gpu_l2": 8192, "cu_per_gpu": 104,
         "se_per_gpu": 8, "wave_size": 64, "max_waves_per_cu": 32, "max_sclk": 1700,
         "total_l2_chan": 32, "lds_banks_per_cu": 32, "sqc_per_gpu": 56, "hbm_bw": 1638.4, "num_xcd": 1}
MI300X = {**MI200, "gpu_model": "MI300X_A1", "gpu_arch": "gfx942", "gpu_l1": 32, "gpu_l2": 4096,
          "cu_per_gpu": 304, "se_per_gpu": 32, "max_sclk": 2100, "total_l2_chan": 128,
          "sqc_per_gpu": 160, "hbm_bw": 5300, "num_xcd": 8}

# Requests of lanes; lookups of the L1; requests to the L2; bytes from and to memory; operations; ns.
BASES = {
    # y += a * x of 2^26 doubles: 1.07 GB read, 0.54 GB written.
    "axpy": {"system": MI200, "kernel": "axpy(double, double const*, double*, int) [clone .kd]",
             "waves": 2**20, "lane_reads": 2**27, "lane_writes": 2**26, "lookups": 3 * 2**24,
             "l2_reads": 2**24, "l2_writes": 2**23, "hits": 2**22, "misses": 2**23,
             "read_bytes": 2**30, "write_bytes": 2**29, "vector_operations": 2**27,
             "matrix_operations": 0, "duration": 1_300_000},
    # A product of halves, 4096 x 4096 x 4096, in tiles of 128 x 128: 32 MiB are written.
    "gemm": {"system": MI200, "kernel": "gemm_kernel", "waves": 4096, "lane_reads": 2**28,
             "lane_writes": 2**24, "lookups": 2**26, "l2_reads": 2**25, "l2_writes": 2**19,
             "hits": 12_000_000, "misses": 5_300_000, "read_bytes": 670_000_000,
             "write_bytes": 2**25, "vector_operations": 2**24, "matrix_operations": 2**37,
             "duration": 1_100_000},
    # Attention of many heads on eight dies; 268 MB are written.
    "attention": {"system": MI300X, "kernel": "attention_fwd", "waves": 65_536,
                  "lane_reads": 2**30, "lane_writes": 2**26, "lookups": 2**28, "l2_reads": 2**26,
                  "l2_writes": 2**21, "hits": 30_000_000, "misses": 39_000_000,
                  "read_bytes": 5_000_000_000, "write_bytes": 2**28, "vector_operations": 2**33,
                  "matrix_operations": 2**40, "duration": 2_500_000},
    # A sum of 2^28 floats by atomics: nothing to speak of is written.
    "sum": {"system": MI200, "kernel": "sum_kernel(float const*, float*, int)", "waves": 2**16,
            "lane_reads": 2**28, "lane_writes": 0, "lookups": 2**26, "l2_reads": 2**24,
            "l2_writes": 0, "hits": 100_000, "misses": 2**23, "read_bytes": 2**30,
            "write_bytes": 64, "vector_operations": 2**28, "matrix_operations": 0,
            "duration": 900_000},
    # A few microseconds.
    "short": {"system": MI200, "kernel": "scale(float*, float, int)", "waves": 1024,
              "lane_reads": 2**16, "lane_writes": 2**16, "lookups": 2**15, "l2_reads": 4096,
              "l2_writes": 4096, "hits": 4096, "misses": 2048, "read_bytes": 2**18,
              "write_bytes": 2**18, "vector_operations": 2**16, "matrix_operations": 0,
              "duration": 6_000},
}


class UnknownFigure(Exception):
    pass


def figures_of(run):
    figures = dict(BASES[run["base"]])
    for name, value in run.get("is", {}).items():
        if name not in figures and name != "cycles":
            raise UnknownFigure(name)
        figures[name] = value
    return scaled(figures, run.get("times", {}))


def scaled(figures, factors):
    figures = dict(figures)
    # The clock runs at its highest unless a case says how many cycles there were.
    figures.setdefault("cycles", figures["duration"] * figures["system"]["max_sclk"] / 1000)
    for name, factor in factors.items():
        if not isinstance(figures.get(name), (int, float)):
            raise UnknownFigure(name)
        figures[name] *= factor
        # A run that takes longer has more cycles.
        if name == "duration" and "cycles" not in factors:
            figures["cycles"] *= factor
    return figures


def counters_of(f):
    """Columns of pmc_perf.csv, without times."""
    mi300 = f["system"]["gpu_arch"] == "gfx942"
    fabric = "TCC_EA0_" if mi300 else "TCC_EA_"
    read = f["read_bytes"] / (128 if mi300 else 64)
    columns = {
        "Grid_Size": f["waves"] * 64, "Workgroup_Size": 256, "SQ_WAVES": f["waves"],
        "GRBM_GUI_ACTIVE": f["cycles"] * f["system"]["num_xcd"],
        "GRBM_COUNT": f["cycles"] * f["system"]["num_xcd"],
        "TCP_TOTAL_ACCESSES_sum": f["lane_reads"] + f["lane_writes"],
        "TCP_TOTAL_READ_sum": f["lane_reads"], "TCP_TOTAL_WRITE_sum": f["lane_writes"],
        "TCP_TOTAL_CACHE_ACCESSES_sum": f["lookups"], "TCP_TCC_READ_REQ_sum": f["l2_reads"],
        "TCP_TCC_WRITE_REQ_sum": f["l2_writes"], "TCC_HIT_sum": f["hits"],
        "TCC_MISS_sum": f["misses"], "TCC_REQ_sum": f["hits"] + f["misses"],
        fabric + "RDREQ_sum": read, fabric + "RDREQ_32B_sum": 0,
        fabric + "WRREQ_sum": f["write_bytes"] / 64, fabric + "WRREQ_64B_sum": f["write_bytes"] / 64,
    }
    if mi300:
        columns["TCC_BUBBLE_sum"] = read
    for kind in ("F16", "F32", "F64"):
        for operation in ("ADD", "MUL", "TRANS", "FMA"):
            columns[f"SQ_INSTS_VALU_{operation}_{kind}"] = 0
        columns[f"SQ_INSTS_VALU_MFMA_MOPS_{kind}"] = 0
    columns["SQ_INSTS_VALU_MFMA_MOPS_BF16"] = 0
    columns["SQ_INSTS_VALU_FMA_F32"] = f["vector_operations"] / 128
    columns["SQ_INSTS_VALU_MFMA_MOPS_F16"] = f["matrix_operations"] / 512
    return {name: round(value) for name, value in columns.items()}


def write(folder, run):
    """Writes pmc_perf.csv and sysinfo.csv."""
    figures = figures_of(run)
    rows = []
    start = 1_000_000_000
    for number, factors in enumerate(run.get("dispatches", [{}])):
        one = scaled(figures, factors)
        counters = {name: value for name, value in counters_of(one).items()
                    if not any(name.startswith(left_out) for left_out in run.get("without", []))}
        counters.update(run.get("counters", {}))
        rows.append({"Dispatch_ID": number, "Kernel_Name": f'"{one["kernel"]}"', "GPU_ID": 0,
                     **counters, "Start_Timestamp": start,
                     "End_Timestamp": start + round(one["duration"])})
        start += 10_000_000
    folder.mkdir(parents=True)
    for name, lines in (("pmc_perf.csv", rows), ("sysinfo.csv", [figures["system"]])):
        text = ",".join(lines[0]) + "\n"
        text += "".join(",".join(str(value) for value in line.values()) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
