"""Values of a job, and walks over tiles as lists of (row, column)."""
import math
import pathlib
import tomllib
import types

FOLDER = pathlib.Path(__file__).resolve().parent


class Tensor:
    def __init__(self, shape):
        self.shape = shape

    def stride(self, axis):
        return math.prod(self.shape[axis + 1:])


def cdiv(a, b):
    return -(-a // b)


def job_values(name, config=None):
    """Sizes, scalars and constexprs of a job, and its grid as `grid`."""
    with open(FOLDER / "kernels" / (name + ".toml"), "rb") as file:
        job = tomllib.load(file)
    texts = dict(config or {})
    for section in ("sizes", "scalars", "constexprs"):
        texts.update(job.get(section, {}))
    names = {"cdiv": cdiv, "min": min}

    class Names(dict):
        def __missing__(self, key):
            if key in job["tensors"]:
                self[key] = Tensor([value(extent) for extent in job["tensors"][key]["shape"]])
            elif key in texts:
                self[key] = value(texts[key])
            else:
                raise KeyError(key)
            return self[key]

    scope = Names(names)

    def value(text):
        return eval(text, {"__builtins__": {}}, scope) if isinstance(text, str) else text

    values = types.SimpleNamespace(**{key: scope[key] for key in texts})
    values.grid = [value(extent) for extent in job["grid"]]
    return values


def blocks(grid):
    """Every block's index, in the order of launch ids."""
    padded = list(grid) + [1] * (3 - len(grid))
    return [(x, y, z) for z in range(padded[2]) for y in range(padded[1]) for x in range(padded[0])]


def rows_walk(rows, cols):
    return [(r, c) for r in range(rows) for c in range(cols)]


def columns_walk(rows, cols):
    return [(r, c) for c in range(cols) for r in range(rows)]


def group_walk(rows, cols, height):
    walk = []
    for top in range(0, rows, height):
        walk += [(r, c) for c in range(cols) for r in range(top, min(top + height, rows))]
    return walk


def rotated_group(pid, rows, cols, height):
    """`pid % group_size` for `pid % width % group_size`: a low band begins in its middle."""
    width = height * cols
    top = pid // width * height
    tall = min(rows - top, height)
    return top + pid % tall, pid % width // tall


def xcd_walk(total, dies):
    """Launch id to tile: die d runs ids d, d + dies, ...; it gets as many neighbouring tiles."""
    tile_of, first = {}, 0
    for die in range(dies):
        for tile, pid in enumerate(range(die, total, dies), first):
            tile_of[pid] = tile
        first += len(range(die, total, dies))
    return tile_of


def chunk_walk(total, dies, chunk):
    """Rounds of dies * chunk ids: die d takes chunk d of the round; the tail stays."""
    tile_of = {pid: pid for pid in range(total)}
    whole = total - total % (dies * chunk)
    for begin in range(0, whole, dies * chunk):
        for die in range(dies):
            for turn in range(chunk):
                tile_of[begin + turn * dies + die] = begin + die * chunk + turn
    return tile_of
