"""Values of the dense interpreter: every block is a flat list of numbers in row-major order.

    Block((2, 2), int32, [0, 1, 2, 3])        a 2 x 2 block
    Block((), Pointer(float16), [4096], {t})  a pointer to byte 4096, derived from tensor t
    Block((64,), float16, None)               64 numbers that nobody knows

Rules
  1. Integers wrap to their type after every operation; // and % truncate toward zero, as on a GPU.
  2. Types meet as in Triton: a Python number takes the type of the block it meets if it can.
  3. data None: the job says nothing about what was loaded. Whatever is computed from it is unknown
     too, and using it for an address, a mask, a bound or a branch is an error.
"""
import functools
import math
import operator
import struct


class DenseError(Exception):
    """Something the dense interpreter does not know or that the kernel may not do."""


class DType:
    def __init__(self, name, bits, kind):
        self.name = name
        self.bits = bits
        self.kind = kind  # "bool", "int", "uint" or "float"
        self.bytes = max(bits // 8, 1)
        self.primitive_bitwidth = bits
        self.int_bitwidth = bits
        self.itemsize = self.bytes

    scalar = property(lambda self: self)

    def is_floating(self):
        return self.kind == "float"

    def is_int(self):
        return self.kind != "float"

    def is_ptr(self):
        return False

    def is_int_signed(self):
        return self.kind == "int"

    def is_int_unsigned(self):
        return self.kind in ("uint", "bool")

    def __repr__(self):
        return self.name


class Pointer:
    def __init__(self, element_ty, address_space=1):
        self.element_ty = element_ty
        self.name = f"pointer<{element_ty.name}>"
        self.kind = "pointer"
        self.bytes = 8

    scalar = property(lambda self: self)

    def is_ptr(self):
        return True

    def is_floating(self):
        return False

    is_int = is_int_signed = is_int_unsigned = is_floating

    def __eq__(self, other):
        return isinstance(other, Pointer) and other.element_ty is self.element_ty

    def __hash__(self):
        return hash(self.name)


int1 = DType("int1", 1, "bool")
int8, int16, int32, int64 = (DType(f"int{bits}", bits, "int") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{bits}", bits, "uint") for bits in (8, 16, 32, 64))
float8e4nv = DType("fp8e4nv", 8, "float")
float8e5 = DType("fp8e5", 8, "float")
float16 = DType("fp16", 16, "float")
bfloat16 = DType("bf16", 16, "float")
float32 = DType("fp32", 32, "float")
float64 = DType("fp64", 64, "float")
ALL_TYPES = [int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8e4nv, float8e5,
             float16, bfloat16, float32, float64]


def wrap_integer(value, dtype):
    if dtype.kind == "bool":
        return 1 if value else 0
    value &= (1 << dtype.bits) - 1
    if dtype.kind == "int" and value >> (dtype.bits - 1):
        value -= 1 << dtype.bits
    return value


def round_float(value, dtype):
    """Nearest, ties to even. Eight-bit floats are kept as they are: no address depends on them."""
    if dtype is float64 or math.isinf(value) or math.isnan(value) or dtype.bits == 8:
        return value
    if dtype is bfloat16:
        bits = struct.unpack("<I", struct.pack("<f", round_float(value, float32)))[0]
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    letter = "e" if dtype is float16 else "f"
    try:
        return struct.unpack("<" + letter, struct.pack("<" + letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def to_type(value, dtype):
    """One number as a type holds it."""
    if dtype.kind == "float":
        return round_float(float(value), dtype)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return 0
        value = int(value)
    return value if dtype.kind == "pointer" else wrap_integer(int(value), dtype)


def number_type(value):
    """The type Triton gives a Python number."""
    if isinstance(value, bool):
        return int1
    if isinstance(value, int):
        for dtype, low, high in ((int32, -2**31, 2**31), (uint32, 2**31, 2**32),
                                 (int64, -2**63, 2**63), (uint64, 2**63, 2**64)):
            if low <= value < high:
                return dtype
        raise DenseError(f"no integer type holds {value}")
    if math.isinf(value) or math.isnan(value) or value == 0 or 2**-126 <= abs(value) < 2.0**128:
        return float32
    return float64


@functools.lru_cache(maxsize=None)
def positions(shape, strides):
    """Row-major list of sum(index * stride) over all indices of a shape."""
    result = [0]
    for extent, stride in zip(shape, strides):
        result = [before + i * stride for before in result for i in range(extent)]
    return tuple(result)


def row_major(shape):
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return tuple(strides)


def count(shape):
    return math.prod(shape)


class Block:
    def __init__(self, shape, dtype, data, tensors=frozenset()):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.data = data
        self.tensors = frozenset(tensors)  # pointers: the tensors they may point into
        if data is not None and len(data) != count(self.shape):
            raise DenseError(f"{len(data)} numbers for a block of shape {self.shape}")

    # ---- what a kernel sees ----
    type = property(lambda self: self.dtype)
    numel = property(lambda self: count(self.shape))
    T = property(lambda self: permute(self, tuple(reversed(range(len(self.shape))))))

    def number(self, what):
        """The one number of a scalar."""
        if count(self.shape) != 1:
            raise DenseError(f"{what} is a block of shape {self.shape}, not a scalar")
        return self.known(what)[0]

    def known(self, what):
        if self.data is None:
            raise DenseError(f"{what} depends on contents that the job does not give")
        return self.data

    def __bool__(self):
        return bool(self.number("a condition"))

    def __index__(self):
        return int(self.number("an integer"))

    __int__ = __index__

    def __hash__(self):
        return id(self)

    def __getattr__(self, name):
        """x.sum(axis=0) is tl.sum(x, axis=0)."""
        if name.startswith("_"):
            raise AttributeError(name)
        from dense_language import FUNCTIONS  # it builds on this file
        if name not in FUNCTIONS:
            raise DenseError(f"the dense interpreter does not know .{name}")
        return functools.partial(FUNCTIONS[name], self)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        block = self
        for axis, part in enumerate(index):
            if part is None:
                block = reshape(block, block.shape[:axis] + (1,) + block.shape[axis:])
            elif not (isinstance(part, slice) and part == slice(None)):
                raise DenseError("only : and None may stand in []")
        return block


def as_block(value):
    """Python numbers become scalars; blocks stay."""
    if isinstance(value, Block):
        return value
    if isinstance(value, (bool, int, float)):
        dtype = number_type(value)
        return Block((), dtype, [to_type(value, dtype)])
    raise DenseError(f"{value!r} is no number and no block")


def filled(shape, value, dtype):
    shape = tuple(int(extent) for extent in shape)
    if isinstance(value, Block):
        value = cast(value, dtype)
        return broadcast(reshape(value, (1,) * len(shape)), shape)
    return Block(shape, dtype, [to_type(value, dtype)] * count(shape))


# ---- shapes ----

def reshape(block, shape):
    shape = tuple(shape)
    if count(shape) != count(block.shape):
        raise DenseError(f"a block of shape {block.shape} cannot be reshaped to {shape}")
    return Block(shape, block.dtype, block.data, block.tensors)


def pick(block, shape, strides, start=0):
    """The block whose element at an index is element start + sum(index * stride) of this one."""
    data = block.data
    if data is not None:
        data = [data[start + i] for i in positions(tuple(shape), tuple(strides))]
    return Block(shape, block.dtype, data, block.tensors)


def permute(block, axes):
    strides = row_major(block.shape)
    return pick(block, [block.shape[axis] for axis in axes], [strides[axis] for axis in axes])


def broadcast(block, shape):
    shape = tuple(shape)
    if block.shape == shape:
        return block
    old = (1,) * (len(shape) - len(block.shape)) + block.shape
    if len(old) != len(shape) or any(a not in (b, 1) for a, b in zip(old, shape)):
        raise DenseError(f"a block of shape {block.shape} cannot be broadcast to {shape}")
    strides = [0 if extent == 1 else stride for extent, stride in zip(old, row_major(old))]
    return pick(block, shape, strides)


def shared_shape(*blocks):
    rank = max(len(block.shape) for block in blocks)
    shape = [1] * rank
    for block in blocks:
        for axis, extent in enumerate((1,) * (rank - len(block.shape)) + block.shape):
            if extent != 1 and shape[axis] not in (1, extent):
                raise DenseError(f"shapes {[block.shape for block in blocks]} do not agree")
            shape[axis] = max(shape[axis], extent)
    return tuple(shape)


# ---- types ----

KIND_RANK = {"bool": 0, "int": 1, "uint": 1, "float": 2}


def promote_integers(a, b):
    if (a.kind == "int") == (b.kind == "int"):
        return a if a.bits > b.bits else b
    if a.kind != "int":
        return a if a.bits >= b.bits else b
    return b if b.bits >= a.bits else a


def promote(a, b, a_is_number, b_is_number, divides):
    half = (float16, bfloat16)
    if a_is_number != b_is_number:
        number, block = (a, b) if a_is_number else (b, a)
        if KIND_RANK[number.kind] <= KIND_RANK[block.kind]:
            return float32 if divides and block in half else block
    for wide in (float64, float32):
        if wide in (a, b):
            return wide
    if float16 in (a, b):
        return float32 if divides else float16
    if bfloat16 in (a, b):
        return bfloat16 if a is b and not divides else float32
    if a.is_floating() or b.is_floating():
        return a if a is b else float16
    return promote_integers(a, b)


def cast(block, dtype):
    block = as_block(block)
    if block.dtype is dtype or block.dtype == dtype:
        return block
    data = block.data
    if data is not None:
        if dtype is int1:
            data = [1 if value else 0 for value in data]
        elif dtype.kind == "pointer" and block.dtype.kind == "int":
            data = [value & (2**64 - 1) for value in data]
        else:
            data = [to_type(value, dtype) for value in data]
    return Block(block.shape, dtype, data, block.tensors)


def matched(a, b, divides=False):
    """Two operands with one type and one shape."""
    a_is_number, b_is_number = not isinstance(a, Block), not isinstance(b, Block)
    a, b = as_block(a), as_block(b)
    if a.dtype.kind != "pointer" and b.dtype.kind != "pointer":
        dtype = promote(a.dtype, b.dtype, a_is_number, b_is_number, divides)
        a, b = cast(a, dtype), cast(b, dtype)
    shape = shared_shape(a, b)
    return broadcast(a, shape), broadcast(b, shape)


# ---- element by element ----

def apply(function, dtype, *blocks):
    """function on every element; all blocks have the same shape."""
    data = None
    if all(block.data is not None for block in blocks):
        data = [to_type(function(*values), dtype)
                for values in zip(*(block.data for block in blocks))]
    tensors = frozenset().union(*(block.tensors for block in blocks))
    return Block(blocks[0].shape, dtype, data, tensors)


def truncated_division(a, b):
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a, b):
    if isinstance(a, float):
        return math.fmod(a, b) if b != 0 and not math.isinf(a) else math.nan
    return a - b * truncated_division(a, b) if b != 0 else 0


def real_division(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


def arithmetic(function, a, b):
    a, b = matched(a, b)
    return apply(function, a.dtype, a, b)


def moved(pointer, offset, sign):
    """pointer + sign * offset, counted in elements."""
    shape = shared_shape(pointer, offset)
    step = sign * pointer.dtype.element_ty.bytes
    return apply(lambda address, index: address + step * index, pointer.dtype,
                 broadcast(pointer, shape), broadcast(offset, shape))


def add(a, b):
    if isinstance(a, Block) and a.dtype.kind == "pointer":
        return moved(a, as_block(b), 1)
    if isinstance(b, Block) and b.dtype.kind == "pointer":
        return moved(b, as_block(a), 1)
    return arithmetic(operator.add, a, b)


def subtract(a, b):
    if isinstance(a, Block) and a.dtype.kind == "pointer":
        return moved(a, as_block(b), -1)
    return arithmetic(operator.sub, a, b)


def divide(a, b):
    a, b = matched(a, b, divides=True)
    if a.dtype.is_int():
        a, b = cast(a, float32), cast(b, float32)
    return apply(real_division, a.dtype, a, b)


def integer_divide(function, a, b):
    a, b = matched(a, b, divides=True)
    return apply(function, a.dtype, a, b)


def compare(function, a, b):
    a, b = matched(a, b)
    return apply(function, int1, a, b)


def negate(a):
    return subtract(Block((), a.dtype, [to_type(0, a.dtype)]), a)


def invert(a):
    return apply((lambda x: not x) if a.dtype is int1 else operator.invert, a.dtype, a)


def shift_right(a, b):
    return a >> b if b < 64 else 0


def shift_left(a, b):
    return a << b if b < 64 else 0


def _install():
    """The operators of Block, both ways round."""
    both = {
        "add": add,
        "sub": subtract,
        "mul": functools.partial(arithmetic, operator.mul),
        "truediv": divide,
        "floordiv": functools.partial(integer_divide, truncated_division),
        "mod": functools.partial(integer_divide, remainder),
        "and": functools.partial(arithmetic, operator.and_),
        "or": functools.partial(arithmetic, operator.or_),
        "xor": functools.partial(arithmetic, operator.xor),
        "lshift": functools.partial(arithmetic, shift_left),
        "rshift": functools.partial(arithmetic, shift_right),
    }
    for name, function in both.items():
        setattr(Block, f"__{name}__", lambda self, other, function=function: function(self, other))
        setattr(Block, f"__r{name}__", lambda self, other, function=function: function(other, self))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        function = getattr(operator, name)
        setattr(Block, f"__{name}__",
                lambda self, other, function=function: compare(function, self, other))
    Block.__neg__ = negate
    Block.__pos__ = lambda self: self
    Block.__invert__ = invert


_install()
