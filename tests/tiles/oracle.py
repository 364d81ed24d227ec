#!/usr/bin/env python3
"""What each kernel of this folder does with its launch ids, told a second time.

    oracle.py --update      writes the maps into labels.toml

One function for each kernel: it takes the values of the job and the block's index, and gives the
tile, as names with values. A persistent kernel gives a list of tiles. A block that the index code
sends home gives None; a tile that has no work because of what is in memory has `idle`.
Orders are enumerated by plain loops where that is possible, not computed by the kernel's formula.
`writes` says which element a tile writes first, so that run.py can compare with a trace; `reads`
likewise, where two tiles write the same place.
"""
import argparse
import itertools
import pathlib
import re
import struct
import tomllib
import types

from walks import (blocks, cdiv, chunk_walk, columns_walk, group_walk, job_values, rotated_group,
                   rows_walk, xcd_walk)

FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = {}


def kernel(writes, reads=None):
    """Registers a function under its name; `writes(v, t)` gives a tensor and an element of it."""
    def register(function):
        touched = {"write": writes, **({"read": reads} if reads else {})}
        KERNELS[function.__name__] = types.SimpleNamespace(tile=function, touched=touched)
        return function
    return register


def tiles_of(name):
    """For each launch id what the kernel's function gives."""
    config = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 4}
    values = job_values(name, config if name == "gemm_grouped" else None)
    return values, [KERNELS[name].tile(values, p) for p in blocks(values.grid)]


def plane(walk, p, *names):
    return dict(zip(names, walk[p]))


# ---- GEMMs on one axis -------------------------------------------------------------------------


@kernel(lambda v, t: ("C", t["pid_m"] * v.BM * v.N + t["pid_n"] * v.BN))
def gemm_rows(v, p):
    return plane(rows_walk(cdiv(v.M, v.BM), cdiv(v.N, v.BN)), p[0], "pid_m", "pid_n")


@kernel(lambda v, t: ("y_ptr", t["t"] * v.BLOCK_T * v.features + t["f"] * v.BLOCK_F))
def gemm_columns(v, p):
    walk = columns_walk(cdiv(v.tokens, v.BLOCK_T), cdiv(v.features, v.BLOCK_F))
    return plane(walk, p[0], "t", "f")


@kernel(lambda v, t: ("out_ptr", t["pid_m"] * 32 * v.N + t["pid_n"] * 32))
def gemm_grouped(v, p):
    return plane(group_walk(cdiv(v.M, 32), cdiv(v.N, 32), v.GROUP_SIZE_M), p[0], "pid_m", "pid_n")


@kernel(lambda v, t: ("c", t["i"] * v.TM * v.N + t["j"] * v.TN))
def gemm_swizzle2d(v, p):
    return plane(group_walk(cdiv(v.M, v.TM), cdiv(v.N, v.TN), v.GROUP), p[0], "i", "j")


@kernel(lambda v, t: ("out", t["bm"] * v.BLOCK_M * v.N + t["bn"] * v.BLOCK_N))
def gemm_group_columns(v, p):
    walk = group_walk(cdiv(v.N, v.BLOCK_N), cdiv(v.M, v.BLOCK_M), v.GROUP_N)
    return plane(walk, p[0], "bn", "bm")


@kernel(lambda v, t: ("c_ptr", t["pid_m"] * v.BLOCK_M * v.N + t["pid_n"] * v.BLOCK_N))
def gemm_xcd(v, p):
    rows, cols = cdiv(v.M, v.BLOCK_M), cdiv(v.N, v.BLOCK_N)
    return plane(rows_walk(rows, cols), xcd_walk(rows * cols, v.NUM_XCDS)[p[0]], "pid_m", "pid_n")


@kernel(lambda v, t: ("c", t["pid_m"] * v.BLOCK_SIZE_M * v.N + t["pid_n"] * v.BLOCK_SIZE_N))
def gemm_xcd_grouped(v, p):
    rows, cols = cdiv(v.M, v.BLOCK_SIZE_M), cdiv(v.N, v.BLOCK_SIZE_N)
    walk = group_walk(rows, cols, v.GROUP_SIZE_M)
    return plane(walk, xcd_walk(rows * cols, v.NUM_XCDS)[p[0]], "pid_m", "pid_n")


@kernel(lambda v, t: ("c_ptr", t["row"] * v.BLOCK * v.N + t["col"] * v.BLOCK))
def gemm_window(v, p):
    rows, cols = cdiv(v.M, v.BLOCK), cdiv(v.N, v.BLOCK)
    walk = group_walk(rows, cols, v.WINDOW)
    return plane(walk, chunk_walk(rows * cols, v.NUM_XCDS, v.CHUNK)[p[0]], "row", "col")


@kernel(lambda v, t: ("c", t["i"] * v.BM * v.N + t["j"] * v.BN))
def gemm_snake(v, p):
    walk = []
    for r in range(cdiv(v.M, v.BM)):
        columns = list(range(cdiv(v.N, v.BN)))
        walk += [(r, c) for c in (columns[::-1] if r % 2 else columns)]
    return plane(walk, p[0], "i", "j")


@kernel(lambda v, t: ("c", t["row"] * v.TILE * v.N + t["col"] * v.TILE))
def gemm_morton(v, p):
    def quadrants(side, r, c):
        if side == 1:
            return [(r, c)]
        h = side // 2
        return [tile for dr in (0, h) for dc in (0, h) for tile in quadrants(h, r + dr, c + dc)]
    return plane(quadrants(v.N // v.TILE, 0, 0), p[0], "row", "col")


@kernel(lambda v, t: ("c", t["y"] * v.TILE * v.N + t["x"] * v.TILE))
def gemm_hilbert(v, p):
    """The curve of side 2s: the first quadrant transposed, two moved, the last one mirrored."""
    walk = [(0, 0)]  # (x, y)
    side = 1
    while side < v.SIDE:
        # x of a quadrant's place comes from bit 1 of the id, y from bit 1 xor bit 0
        walk = ([(y, x) for x, y in walk] + [(x, y + side) for x, y in walk]
                + [(x + side, y + side) for x, y in walk]
                + [(2 * side - 1 - y, side - 1 - x) for x, y in walk])
        side *= 2
    x, y = walk[p[0]]
    return {"y": y, "x": x}


@kernel(lambda v, t: ("c", t["i"] * v.BM * v.N + t["j"] * v.BN))
def gemm_table(v, p):
    schedule = (5, 0, 10, 15, 3, 8, 1, 12, 7, 14, 2, 9, 4, 11, 6, 13)
    return plane(rows_walk(v.M // v.BM, v.N // v.BN), schedule[p[0]], "i", "j")


@kernel(lambda v, t: ("c", t["pid_m"] * v.BM * v.N + t["pid_n"] * v.BN))
def gemm_padded(v, p):
    rows, cols = cdiv(v.M, v.BM), cdiv(v.N, v.BN)
    tile = xcd_walk(v.grid[0], v.DIES)[p[0]]
    return plane(rows_walk(rows, cols), tile, "pid_m", "pid_n") if tile < rows * cols else None


@kernel(lambda v, t: ("c", t["row"] * v.B * v.N + t["col"] * v.B))
def gemm_triangle(v, p):
    return plane([(r, c) for r in range(v.N // v.B) for c in range(r + 1)], p[0], "row", "col")


@kernel(lambda v, t: ("out_ptr0", t["pid_m"] * 16 * 80 + t["pid_n"] * 16))
def gemm_generated(v, p):
    m, n = rotated_group(p[0], 6, 5, 4)
    return {"pid_m": m, "pid_n": n}


@kernel(lambda v, t: ("c", t["tm"] * v.BM * v.N + t["tn"] * v.BN))
def gemm_group_zigzag(v, p):
    walk = []
    for top in range(0, v.M // v.BM, v.GROUP):
        rows = list(range(top, min(top + v.GROUP, v.M // v.BM)))
        walk += [(r, c) for c in range(v.N // v.BN) for r in (rows[::-1] if c % 2 else rows)]
    return plane(walk, p[0], "tm", "tn")


# ---- batches and splits ------------------------------------------------------------------------


@kernel(lambda v, t: ("out",
                      (t["batch"] * v.M + t["pid_m"] * v.BLOCK_M) * v.N + t["pid_n"] * v.BLOCK_N))
def bmm_axis(v, p):
    m, n = rotated_group(p[0], cdiv(v.M, v.BLOCK_M), cdiv(v.N, v.BLOCK_N), v.GROUP_M)
    return {"batch": p[1], "pid_m": m, "pid_n": n}


@kernel(lambda v, t: ("O",
                      (t["pid_b"] * v.M + t["pid_m"] * v.TILE_M) * v.N + t["pid_n"] * v.TILE_N))
def bmm_repacked(v, p):
    walk = group_walk(v.grid[0], v.grid[1], v.GROUP_M)
    return {"pid_b": p[2], **plane(walk, p[0] + p[1] * v.grid[0], "pid_m", "pid_n")}


@kernel(lambda v, t: ("C", (t["b"] * v.M + t["m"] * v.BLOCK_M) * v.N + t["n"] * v.BLOCK_N))
def bmm_packed(v, p):
    spaces = [range(v.batches), range(cdiv(v.M, v.BLOCK_M)), range(cdiv(v.N, v.BLOCK_N))]
    return plane(list(itertools.product(*spaces)), p[0], "b", "m", "n")


@kernel(lambda v, t: ("s", (t["i_b"] * v.M + t["i_m"] * v.BM) * v.N + t["i_n"] * v.BN))
def bmm_grid3(v, p):
    return {"i_b": p[2], "i_m": p[1], "i_n": p[0]}


@kernel(lambda v, t: ("c_ptr", t["pid_m"] * v.BLOCK_M * v.N + t["pid_n"] * v.BLOCK_N),
        reads=lambda v, t: ("a_ptr", t["pid_m"] * v.BLOCK_M * v.K + t["pid_k"] * v.BLOCK_K))
def gemm_splitk(v, p):
    spaces = [range(cdiv(v.M, v.BLOCK_M)), range(cdiv(v.N, v.BLOCK_N)), range(v.SPLIT_K)]
    return plane(list(itertools.product(*spaces)), p[0], "pid_m", "pid_n", "pid_k")


@kernel(lambda v, t: ("ws_ptr",
        (t["pid_k"] * v.M + t["pid_m"] * v.BLOCK_SIZE_M) * v.N + t["pid_n"] * v.BLOCK_SIZE_N))
def gemm_splitk_axis(v, p):
    m, n = rotated_group(p[0], cdiv(v.M, v.BLOCK_SIZE_M), cdiv(v.N, v.BLOCK_SIZE_N), v.GROUP_SIZE_M)
    return {"pid_k": p[1], "pid_m": m, "pid_n": n}


@kernel(lambda v, t: ("C", t["pid_m"] * v.BLOCK_M * v.N + t["pid_n"] * v.BLOCK_N),
        reads=lambda v, t: ("B", t["first"] * v.BLOCK_K * v.N + t["pid_n"] * v.BLOCK_N))
def gemm_streamk(v, p):
    """Parts of tiles: `first` and `last` are steps of the tile, the last one exclusive."""
    steps = v.K // v.BLOCK_K
    tiles = rows_walk(v.M // v.BLOCK_M, v.N // v.BLOCK_N)
    every = [(m, n, k) for m, n in tiles for k in range(steps)]
    mine = every[p[0] * v.iters_per_block:(p[0] + 1) * v.iters_per_block]
    parts = [(tile, [k for *_, k in part])
             for tile, part in itertools.groupby(mine, key=lambda step: step[:2])]
    return [{"pid_m": m, "pid_n": n, "first": ks[0], "last": ks[-1] + 1} for (m, n), ks in parts]


# ---- persistent --------------------------------------------------------------------------------


@kernel(lambda v, t: ("c_ptr", t["pid_m"] * v.BLOCK_M * v.N + t["pid_n"] * v.BLOCK_N))
def persistent_strided(v, p):
    walk = rows_walk(cdiv(v.M, v.BLOCK_M), cdiv(v.N, v.BLOCK_N))
    return [{"pid_m": m, "pid_n": n} for m, n in walk[p[0]::v.NUM_SMS]]


@kernel(lambda v, t: ("y", t["r_tile"] * v.TR * v.cols + t["c_tile"] * v.TC))
def persistent_chunked(v, p):
    walk = columns_walk(cdiv(v.rows, v.TR), cdiv(v.cols, v.TC))
    for cta in range(p[0] + 1):
        count = len(range(cta, cdiv(v.rows, v.TR) * cdiv(v.cols, v.TC), v.NUM_CTAS))
        mine, walk = walk[:count], walk[count:]
    return [{"r_tile": r, "c_tile": c} for r, c in mine]


@kernel(lambda v, t: ("d_ptr", t["m"] * v.BM * v.N + t["n"] * v.BN))
def persistent_grouped(v, p):
    rows, cols = cdiv(v.M, v.BM), cdiv(v.N, v.BN)
    mine = range(p[0], rows * cols, v.NUM_SMS)
    tiles = [rotated_group(tile, rows, cols, v.GROUP) for tile in mine]
    return [{"m": m, "n": n} for m, n in tiles]


@kernel(lambda v, t: ("c_ptr", t["pid_m"] * v.BLOCK_M * v.N + t["pid_n"] * v.BLOCK_N))
def persistent_flat(v, p):
    rows, cols = cdiv(v.M, v.BLOCK_M), cdiv(v.N, v.BLOCK_N)
    mine = range(p[0], rows * cols, v.NUM_SMS)
    tiles = [rotated_group(tile, rows, cols, v.GROUP_M) for tile in mine]
    return [{"pid_m": m, "pid_n": n} for m, n in tiles]


@kernel(lambda v, t: ("c_ptr", (t["top"] + t["tm"] * v.BM) * v.N + t["tn"] * v.BN))
def grouped_problems(v, p):
    begins = (0, 40, 56, 126)
    every = [{"g": g, "tm": m, "tn": n, "top": begins[g]} for g in range(v.problems)
             for m, n in rows_walk(cdiv(begins[g + 1] - begins[g], v.BM), cdiv(v.N, v.BN))]
    return every[p[0]::v.NUM_SM]


@kernel(lambda v, t: ("output_ptr", t["row_idx"] * v.n_cols))
def softmax_persistent(v, p):
    return [{"row_idx": row} for row in range(p[0], v.n_rows, v.grid[0])]


# ---- attention ---------------------------------------------------------------------------------


@kernel(lambda v, t: ("O",
                      ((t["batch"] * v.heads + t["head"]) * v.seq + t["q_tile"] * v.BLOCK_Q) * v.D))
def gqa_line(v, p):
    spaces = [range(v.batches), range(v.heads), range(cdiv(v.seq, v.BLOCK_Q))]
    return plane(list(itertools.product(*spaces)), p[0], "batch", "head", "q_tile")


@kernel(lambda v, t: ("Out",
        ((t["off_z"] * v.H + t["off_h"]) * v.N_CTX + t["start_m"] * v.BLOCK_M) * v.HEAD_DIM))
def attention_hz(v, p):
    z, h = rows_walk(v.Z, v.H)[p[1]]
    return {"off_z": z, "off_h": h, "start_m": p[0], "off_hz": p[1]}


@kernel(lambda v, t: ("o_ptr", (t["i_bh"] * v.T + t["i_t"] * v.BT) * v.D))
def attention_heaviest(v, p):
    walk = [(t, head) for t in reversed(range(cdiv(v.T, v.BT))) for head in range(v.BH)]
    return plane(walk, p[0], "i_t", "i_bh")


@kernel(lambda v, t: ("out", t["head"] * v.T * v.T + t["m_block"] * v.BM * v.T))
def attention_causal_plane(v, p):
    return {"head": p[1], "m_block": list(range(v.grid[0]))[-1 - p[0]]}


@kernel(lambda v, t: ("Mid",
        ((t["seq"] * v.kv_heads + t["kv_head"]) * v.GROUP * v.SPLITS + t["split"]) * v.D))
def decode_splitkv(v, p):
    seq, head = rows_walk(v.sequences, v.kv_heads)[p[0]]
    pages = cdiv((100, 17, 64)[seq], v.PAGE)
    idle = p[1] * cdiv(pages, v.SPLITS) >= pages
    return {"split": p[1], "seq": seq, "kv_head": head, "idle": idle}


@kernel(lambda v, t: ("h",
        (((t["i_b"] * cdiv(v.T, v.BT) + t["i_t"]) * v.H + t["i_h"]) * v.K + t["i_k"] * v.BK) * v.V
        + t["i_v"] * v.BV))
def scan_chunks(v, p):
    k, c = rows_walk(cdiv(v.K, v.BK), cdiv(v.V, v.BV))[p[0]]
    b, h = rows_walk(v.batches, v.H)[p[2]]
    return {"i_b": b, "i_h": h, "i_t": p[1], "i_k": k, "i_v": c, "i_bh": p[2], "i_kv": p[0]}


# ---- others ------------------------------------------------------------------------------------


def sorted_tokens():
    data = (FOLDER / "kernels" / "moe_sorted_ids.npy").read_bytes()
    return struct.unpack("<96i", data[-96 * 4:])


def moe_first_write(v, t):
    rows = sorted_tokens()[t["pid_m"] * v.BLOCK_SIZE_M:(t["pid_m"] + 1) * v.BLOCK_SIZE_M]
    return "y_ptr", min(rows) * v.N + t["pid_n"] * v.BLOCK_SIZE_N


@kernel(moe_first_write)
def moe_sorted(v, p):
    walk = group_walk(cdiv(v.EM, v.BLOCK_SIZE_M), cdiv(v.N, v.BLOCK_SIZE_N), v.GROUP_SIZE_M)
    tile = plane(walk, p[0], "pid_m", "pid_n")
    return {**tile, "idle": tile["pid_m"] * v.BLOCK_SIZE_M >= 64}


@kernel(lambda v, t: ("y", t["pid_npq"] * v.BLOCK_NPQ * v.K + t["pid_k"] * v.BLOCK_K))
def conv2d(v, p):
    walk = group_walk(cdiv(v.N * v.P * v.Q, v.BLOCK_NPQ), cdiv(v.K, v.BLOCK_K), v.GROUP)
    return plane(walk, p[0], "pid_npq", "pid_k")


@kernel(lambda v, t: ("dst",
                      (t["z"] * (v.H // 2) + t["y"] * v.BLOCK_H) * (v.W // 2) + t["x"] * v.BLOCK_W))
def pool3d(v, p):
    spaces = [range(v.D // 2), range(cdiv(v.H // 2, v.BLOCK_H)), range(cdiv(v.W // 2, v.BLOCK_W))]
    return plane(list(itertools.product(*spaces)), p[0], "z", "y", "x")


@kernel(lambda v, t: ("Y", t["row"] * v.n_cols))
def layernorm_rows(v, p):
    return {"row": p[0]}


@kernel(lambda v, t: ("x_ptr", (t["token"] * v.heads + t["block"] * v.BLOCK_HEADS) * v.head_dim))
def rope_packed(v, p):
    return plane(rows_walk(v.tokens, cdiv(v.heads, v.BLOCK_HEADS)), p[0], "token", "block")


@kernel(lambda v, t: ("dst", t["tx"] * v.TILE * v.rows + t["ty"] * v.TILE))
def transpose_line(v, p):
    return plane(rows_walk(cdiv(v.rows, v.TILE), cdiv(v.cols, v.TILE)), p[0], "ty", "tx")


@kernel(lambda v, t: ("dst", t["tile_col"] * v.TILE * v.n + t["tile_row"] * v.TILE))
def transpose_diagonal(v, p):
    side = v.n // v.TILE
    diagonals = [[(row, (row + shift) % side) for row in range(side)] for shift in range(side)]
    return plane(diagonals[p[1]], p[0], "tile_row", "tile_col")


# ---- C++ ---------------------------------------------------------------------------------------


@kernel(lambda v, t: ("C", t["tile_m"] * 16 * v.N + t["tile_n"] * 16))
def sgemm_line(v, p):
    return plane(rows_walk(cdiv(v.M, 16), cdiv(v.N, 16)), p[0], "tile_m", "tile_n")


@kernel(lambda v, t: ("C", t["tile_m"] * 16 * v.N + t["tile_n"] * 16))
def sgemm_blocked(v, p):
    walk = [(m + i, n + j) for m in range(0, v.M // 16, 3) for n in range(0, v.N // 16, 2)
            for i in range(3) for j in range(2)]
    return plane(walk, p[0], "tile_m", "tile_n")


@kernel(lambda v, t: ("c", t["tile.m"] * 16 * v.N + t["tile.n"] * 16))
def sgemm_grouped(v, p):
    return plane(group_walk(cdiv(v.M, 16), cdiv(v.N, 16), v.GROUP_M), p[0], "tile.m", "tile.n")


@kernel(lambda v, t: ("out", t["by"] * 16 * v.cols + t["bx"] * 16))
def sgemm_xcd(v, p):
    rows, cols = cdiv(v.rows, 16), cdiv(v.cols, 16)
    return plane(rows_walk(rows, cols), xcd_walk(rows * cols, 8)[p[0]], "by", "bx")


@kernel(lambda v, t: ("z", (t["block"] * v.m + t["mt"] * 16) * v.n + t["nt"] * 16))
def bmm_line(v, p):
    spaces = [range(v.batches), range(cdiv(v.m, 16)), range(cdiv(v.n, 16))]
    return plane(list(itertools.product(*spaces)), p[0], "block", "mt", "nt")


@kernel(lambda v, t: ("C", t["tileM"] * 16 * v.N + t["tileN"] * 16))
def persistent_loop(v, p):
    walk = columns_walk(cdiv(v.M, 16), cdiv(v.N, 16))
    return [{"tileM": m, "tileN": n} for m, n in walk[p[0]::v.grid[0]]]


@kernel(lambda v, t: ("out", t["tr"] * 16 * v.cols + t["tc"] * 16))
def persistent_chunks(v, p):
    walk = rows_walk(cdiv(v.rows, 16), cdiv(v.cols, 16))
    begin, end = (len(walk) * (p[0] + more) // v.grid[0] for more in (0, 1))
    return [{"tr": r, "tc": c} for r, c in walk[begin:end]]


@kernel(lambda v, t: ("f",
        (max(t["bz"] * 4, 1) * v.ny + max(t["by"] * 4, 1)) * v.nx + max(t["bx"] * 16, 1)))
def stencil3d_line(v, p):
    spaces = [range(cdiv(v.nz, 4)), range(cdiv(v.ny, 4)), range(cdiv(v.nx, 16))]
    return plane(list(itertools.product(*spaces)), p[0], "bz", "by", "bx")


@kernel(lambda v, t: ("o", ((t["batch"] * v.q_heads + t["head"]) * v.seq + t["q_block"] * 32) * 16))
def attention_gqa(v, p):
    group = v.q_heads // v.kv_heads
    spaces = [range(v.batches), range(v.kv_heads), range(cdiv(v.seq, 32)), range(group)]
    tile = plane(list(itertools.product(*spaces)), p[0], "batch", "kv_head", "q_block", "member")
    return {**tile, "head": tile["kv_head"] * group + tile["member"]}


@kernel(lambda v, t: ("c", t["row"] * 16 * v.N + t["col"] * 16))
def window(v, p):
    walk = group_walk(v.M // 16, v.N // 16, v.WINDOW)
    return plane(walk, chunk_walk(len(walk), 8, v.CHUNK)[p[0]], "row", "col")


@kernel(lambda v, t: ("C", t["tm"] * 16 * v.N + t["tn"] * 16),
        reads=lambda v, t: ("A", t["tm"] * 16 * v.K + t["split"] * cdiv(v.K, 2)))
def splitk_z(v, p):
    m, n = rows_walk(cdiv(v.M, 16), cdiv(v.N, 16))[p[0]]
    return {"split": p[2], "tm": m, "tn": n}


@kernel(lambda v, t: ("C", t["tile_row"] * 16 * v.N + t["tile_col"] * 16))
def panels(v, p):
    rows = list(range(v.grid[1]))
    row = (rows[::-1] if p[2] % 2 else rows)[p[1]]
    return {"tile_row": row, "tile_col": p[2] * v.grid[0] + p[0]}


# ---- labels ------------------------------------------------------------------------------------


def map_of(name, coordinates):
    """The map as labels.toml has it: a tile, a list of tiles, or [] for each launch id."""
    def index(tile):
        return [tile[coordinate] for coordinate in coordinates]
    def entry(tile):
        if isinstance(tile, list):
            return [index(each) for each in tile]
        return index(tile) if tile else []
    return [entry(tile) for tile in tiles_of(name)[1]]


def folded(values):
    """`map = [...]` in lines of at most 100 columns."""
    lines, line = ["map = ["], " "
    for value in values:
        text = " " + str(value).replace(" ", "") + ","
        if len(line) + len(text) > 100:
            lines.append(line)
            line = " "
        line += text
    return "\n".join(lines + [line, "]"]) + "\n"


def update():
    path = FOLDER / "labels.toml"
    text = re.sub(r"^map = \[\n(?:  .*\n)*\]\n", "", path.read_text(encoding="utf-8"), flags=re.M)
    labels = tomllib.loads(text)
    for name in labels:
        begin = text.index(f"[{name}]\n")
        end = text.find("\n[", begin + 1)
        section = text[begin:] if end < 0 else text[begin:end]
        whole = section.rstrip("\n") + "\n" + folded(map_of(name, labels[name]["coordinates"]))
        text = text.replace(section, whole)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", required=True)
    parser.parse_args()
    update()
