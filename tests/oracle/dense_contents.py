"""What tensors hold: the generators of job files, written a second time.

    element = make("uniform", [0, 10], seed=7, ...)
    element(17)        the number at element 17, counted along the memory
"""
import ast
import math
import struct

from dense_values import DenseError, to_type

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mix(state):
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK
    return state ^ state >> 31


class Stream:
    """Number i of a stream depends on the seed and i only (SplitMix64)."""

    def __init__(self, seed):
        self.key = mix((seed + STEP) & MASK)

    def bits(self, i):
        return mix((self.key + (i + 1) * STEP) & MASK)

    def unit(self, i):
        return (self.bits(i) >> 11) * 2.0**-53

    def below(self, limit, i):
        return self.bits(i) * limit >> 64

    def normal(self, i):
        points = Stream(self.bits(i))
        draw = 0
        while True:
            x = 2 * points.unit(draw) - 1
            y = 2 * points.unit(draw + 1) - 1
            square = x * x + y * y
            if 0 < square < 1:
                return x * math.sqrt(-2 * natural_log(square) / square)
            draw += 2


def natural_log(value):
    """The series of 2 artanh, in the same steps as heddle: the last bits must agree."""
    fraction, exponent = math.frexp(value)
    if fraction < float.fromhex("0x1.6A09E667F3BCDp-1"):
        fraction *= 2
        exponent -= 1
    s = (fraction - 1) / (fraction + 1)
    square = s * s
    total = 0.0
    for term in range(23, 0, -2):
        total = total * square + 1.0 / term
    return exponent * float.fromhex("0x1.62E42FEFA39EFp-1") + 2 * s * total


def make_csr(rows, columns, density, seed):
    """Row offsets and column indices; gaps between non-zeros are geometric."""
    stream = Stream(seed)
    cells = rows * columns
    offsets = [0] * (rows + 1)
    indices = []
    cell = draws = 0
    while cell < cells and density > 0:
        if density < 1:
            gap = natural_log(1 - stream.unit(draws)) / natural_log(1 - density)
            draws += 1
            if gap >= cells - cell:
                break
            cell += int(gap)
        indices.append(cell % columns)
        offsets[cell // columns + 1] += 1
        cell += 1
    for row in range(rows):
        offsets[row + 1] += offsets[row]
    return offsets, indices


def permutation(limit, seed):
    stream = Stream(seed)
    numbers = list(range(limit))
    for i in range(limit, 1, -1):
        other = stream.below(i, i)
        numbers[i - 1], numbers[other] = numbers[other], numbers[i - 1]
    return numbers


NPY_LETTERS = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H",
               "u4": "I", "u8": "Q", "f2": "e", "f4": "f", "f8": "d"}


def read_npy(path):
    with open(path, "rb") as file:
        content = file.read()
    if content[:6] != b"\x93NUMPY":
        raise DenseError(f"{path} is no .npy file")
    wide = content[6] > 1
    start = 12 if wide else 10
    length = struct.unpack("<I" if wide else "<H", content[8:start])[0]
    header = ast.literal_eval(content[start:start + length].decode("latin-1").strip())
    elements = math.prod(header["shape"])
    letter = NPY_LETTERS[header["descr"][1:]]
    sign = ">" if header["descr"][0] == ">" else "<"
    return list(struct.unpack_from(f"{sign}{elements}{letter}", content, start + length))


def make(kind, arguments, tensor, seed, folder, addresses):
    """A function element number -> number. `addresses` are those of other tensors, by name."""
    dtype = tensor.dtype
    stream = Stream(seed)
    real = dtype.is_floating()
    if kind == "zeros":
        number = lambda i: 0
    elif kind == "constant":
        number = lambda i: arguments[0]
    elif kind == "range":
        number = lambda i: i
    elif kind == "normal":
        number = stream.normal
    elif kind == "uniform" and real:
        number = lambda i: arguments[0] + (arguments[1] - arguments[0]) * stream.unit(i)
    elif kind == "uniform":
        first, end = math.ceil(arguments[0]), math.ceil(arguments[1])
        number = lambda i: first + (stream.below(end - first, i) if end > first else 0)
    else:
        lists = {
            "csr_offsets": lambda: make_csr(*arguments, seed)[0],
            "csr_columns": lambda: make_csr(*arguments, seed)[1],
            "permutation": lambda: permutation(tensor.bytes // dtype.bytes, seed),
            "values": lambda: arguments,
            "file": lambda: read_npy(folder / arguments[0]),
            "addresses": lambda: [addresses[name] for name in arguments],
        }
        if kind not in lists:
            raise DenseError(f"there are no contents called {kind}")
        number = lists[kind]().__getitem__
    return lambda i: to_type(number(i), dtype)
