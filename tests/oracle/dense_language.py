"""triton.language for the dense interpreter: the plainest version of every function.

FUNCTIONS, at the end, is what a kernel sees as tl.NAME and as block.NAME(...).
"""
import functools
import math
import operator

import dense_memory
import dense_values
from dense_values import (Block, DenseError, Pointer, apply, arithmetic, as_block,
                          broadcast as broadcast_block, cast, count, divide, filled, float32, int1,
                          int32, matched, permute as permute_axes, pick, positions, promote,
                          reshape as reshape_block, row_major, shared_shape, to_type, uint32,
                          wrap_integer)


class constexpr:
    """tl.constexpr(5) is 5; as an annotation it is only a name."""

    def __new__(cls, value):
        return value



def _axis(axis, rank):
    axis = int(axis)
    return axis + rank if axis < 0 else axis


def _shape(arguments):
    """f(x, 2, 3) and f(x, (2, 3)) mean the same."""
    if len(arguments) == 1 and hasattr(arguments[0], "__iter__"):
        arguments = arguments[0]
    return tuple(int(extent) for extent in arguments)


# ---- making and reshaping blocks ----

def arange(start, end):
    start, end = int(start), int(end)
    extent = end - start
    if extent <= 0 or extent & (extent - 1):
        raise DenseError(f"arange({start}, {end}): the extent is no power of two")
    return Block((extent,), int32, list(range(start, end)))


def zeros(shape, dtype):
    return filled(shape, 0, dtype)


def full(shape, value, dtype):
    return filled(shape, value, dtype)


def zeros_like(block):
    return filled(block.shape, 0, block.dtype)


def reshape(block, *shape, can_reorder=False):
    return reshape_block(as_block(block), _shape(shape))


def ravel(block, can_reorder=False):
    return reshape_block(block, (count(block.shape),))


def expand_dims(block, axis):
    axes = axis if hasattr(axis, "__iter__") else (axis,)
    rank = len(block.shape) + len(axes)
    for place in sorted(_axis(one, rank) for one in axes):
        block = reshape_block(block, block.shape[:place] + (1,) + block.shape[place:])
    return block


def broadcast_to(block, *shape):
    return broadcast_block(as_block(block), _shape(shape))


def broadcast(a, b):
    shape = shared_shape(a, b)
    return broadcast_block(a, shape), broadcast_block(b, shape)


def trans(block, *axes):
    if not axes:
        rank = len(block.shape)
        axes = tuple(range(rank - 2)) + (rank - 1, rank - 2)
    return permute_axes(block, _shape(axes))


def permute(block, *axes):
    return permute_axes(block, _shape(axes))


def _stack(blocks, dtype):
    """Blocks of one shape along a new last axis."""
    data = None
    if all(block.data is not None for block in blocks):
        data = [value for values in zip(*(block.data for block in blocks)) for value in values]
    tensors = frozenset().union(*(block.tensors for block in blocks))
    return Block(blocks[0].shape + (len(blocks),), dtype, data, tensors)


def join(a, b):
    a, b = matched(a, b)
    return _stack([a, b], a.dtype)


def split(block):
    strides = row_major(block.shape)
    return tuple(pick(block, block.shape[:-1], strides[:-1], start) for start in (0, 1))


def interleave(a, b):
    joined = join(a, b)
    return reshape_block(joined, joined.shape[:-2] + (2 * joined.shape[-2],))


def cat(a, b, can_reorder=False, dim=0):
    if _axis(dim, len(a.shape)) != 0 or a.data is None or b.data is None:
        return Block((a.shape[0] + b.shape[0],) + a.shape[1:], a.dtype, None)
    return Block((a.shape[0] + b.shape[0],) + a.shape[1:], a.dtype, a.data + b.data, a.tensors)


def flip(block, dim=-1):
    axis = _axis(dim, len(block.shape))
    strides = list(row_major(block.shape))
    start = strides[axis] * (block.shape[axis] - 1)
    strides[axis] = -strides[axis]
    return pick(block, block.shape, strides, start)


# ---- types ----

def cast_to(block, dtype, fp_downcast_rounding=None, bitcast=False):
    block = as_block(block)
    if not bitcast or block.dtype.kind == "pointer" or dtype.kind == "pointer":
        return cast(block, dtype)
    if block.dtype.is_int() and dtype.is_int() and block.dtype.bits == dtype.bits:
        return cast(block, dtype)
    return Block(block.shape, dtype, None)


def to(block, dtype, fp_downcast_rounding=None, bitcast=False):
    return cast_to(block, dtype, fp_downcast_rounding, bitcast)


# ---- element by element ----

def where(condition, x, y):
    condition = cast(as_block(condition), int1)
    x, y = matched(x, y)
    shape = shared_shape(condition, x)
    condition, x, y = (broadcast_block(block, shape) for block in (condition, x, y))
    result = apply(lambda c, a, b: a if c else b, x.dtype, condition, x, y)
    result.tensors = x.tensors | y.tensors
    return result


def minimum(a, b, propagate_nan=None):
    return arithmetic(min, a, b)


def maximum(a, b, propagate_nan=None):
    return arithmetic(max, a, b)


def clamp(x, low, high, propagate_nan=None):
    return minimum(maximum(x, low), high)


def cdiv(a, b):
    if isinstance(a, Block) or isinstance(b, Block):
        return (a + (b - 1)) // b
    return (a + b - 1) // b


def fdiv(a, b, ieee_rounding=False):
    return divide(a, b)


def logical_and(a, b):
    return cast(a, int1) & cast(b, int1)


def logical_or(a, b):
    return cast(a, int1) | cast(b, int1)


def umulhi(a, b):
    a, b = matched(a, b)
    mask = (1 << a.dtype.bits) - 1
    return apply(lambda x, y: ((x & mask) * (y & mask)) >> a.dtype.bits, a.dtype, a, b)


def fma(x, y, z):
    return x * y + z


def absolute(x):
    return apply(abs, x.dtype, as_block(x))


def _guarded(function):
    def guarded(*values):
        try:
            return function(*values)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan
    return guarded


def _math(function):
    def element_wise(x, *others, **_):
        x = as_block(x)
        x = x if x.dtype.is_floating() else cast(x, float32)
        others = [broadcast_block(cast(other, x.dtype), x.shape) for other in others]
        return apply(_guarded(function), x.dtype, x, *others)
    return element_wise


exp = _math(math.exp)
exp2 = _math(lambda x: 2.0 ** x)
log = _math(math.log)
log2 = _math(math.log2)
sqrt = _math(math.sqrt)
rsqrt = _math(lambda x: 1 / math.sqrt(x))
sin = _math(math.sin)
cos = _math(math.cos)
erf = _math(math.erf)
floor = _math(lambda x: float(math.floor(x)))
ceil = _math(lambda x: float(math.ceil(x)))
sigmoid = _math(lambda x: 1 / (1 + math.exp(-x)))
tanh = _math(math.tanh)
power = _math(lambda x, y: x ** y)


def swizzle2d(i, j, size_i, size_j, size_g):
    position = i * size_j + j
    group_size = size_g * size_j
    group = position // group_size
    first = group * size_g
    size_g = minimum(size_i - first, size_g)
    inside = position % group_size
    return first + inside % size_g, inside // size_g


# ---- across elements ----

def _lines(block, axis):
    """The lists of numbers along an axis, and the shape without it."""
    axis = _axis(axis, len(block.shape))
    order = [k for k in range(len(block.shape)) if k != axis] + [axis]
    turned = permute_axes(block, order)
    extent = block.shape[axis]
    rest = turned.shape[:-1]
    lines = [turned.data[i:i + extent] for i in range(0, len(turned.data), extent)]
    return lines, rest


def _reduced(block, axis, keep_dims, dtype, function):
    if axis is None:
        block, old_shape = ravel(block), block.shape
        result = _reduced(block, 0, False, dtype, function)
        return reshape_block(result, (1,) * len(old_shape)) if keep_dims else result
    axis = _axis(axis, len(block.shape))
    rest = block.shape[:axis] + block.shape[axis + 1:]
    data = None
    if block.data is not None:
        data = [to_type(function(line), dtype) for line in _lines(block, axis)[0]]
    result = Block(rest, dtype, data)
    if keep_dims:
        result = reshape_block(result, block.shape[:axis] + (1,) + block.shape[axis + 1:])
    return result


def _wide(dtype):
    """Reductions of narrow types are made in 32 bits."""
    if dtype.bits >= 32:
        return dtype
    return float32 if dtype.is_floating() else int32


def _sum_type(dtype):
    if dtype.is_floating() or dtype.bits >= 32:
        return dtype
    return int32 if dtype.kind == "int" or dtype is int1 else uint32


def reduce_sum(block, axis=None, keep_dims=False, dtype=None):
    dtype = dtype or _sum_type(block.dtype)
    return _reduced(cast(block, dtype), axis, keep_dims, dtype,
                    lambda line: functools.reduce(operator.add, line))


def xor_sum(block, axis=None, keep_dims=False):
    return _reduced(block, axis, keep_dims, block.dtype,
                    lambda line: functools.reduce(operator.xor, line))


def _best(better):
    def best(block, axis=None, return_indices=False, return_indices_tie_break_left=True,
             keep_dims=False):
        value = _reduced(cast(block, _wide(block.dtype)), axis, keep_dims, _wide(block.dtype),
                         lambda line: functools.reduce(better, line))
        if not return_indices:
            return value
        index = _reduced(block, axis, keep_dims, int32,
                         lambda line: line.index(functools.reduce(better, line)))
        return value, index
    return best


reduce_max = _best(lambda a, b: a if a >= b else b)
reduce_min = _best(lambda a, b: a if a <= b else b)


def argmax(block, axis, tie_break_left=True, keep_dims=False):
    return reduce_max(block, axis, return_indices=True, keep_dims=keep_dims)[1]


def argmin(block, axis, tie_break_left=True, keep_dims=False):
    return reduce_min(block, axis, return_indices=True, keep_dims=keep_dims)[1]


def _along(block, axis, dtype, function):
    """function makes a line of the same length of every line along an axis."""
    axis = _axis(axis, len(block.shape))
    if block.data is None:
        return Block(block.shape, dtype, None)
    lines, rest = _lines(block, axis)
    data = [to_type(value, dtype) for line in lines for value in function(line)]
    turned = Block(rest + (block.shape[axis],), dtype, data)
    order = list(range(len(rest)))
    order.insert(axis, len(rest))
    return permute_axes(turned, order)


def _scan(function, dtype):
    def scan(line):
        result = []
        for value in line:
            result.append(to_type(function(result[-1], value), dtype) if result else value)
        return result
    return scan


def _cumulative(function, block, axis, reverse):
    dtype = _sum_type(block.dtype)
    scan = _scan(function, dtype)
    return _along(cast(block, dtype), axis, dtype,
                  lambda line: scan(line[::-1])[::-1] if reverse else scan(line))


def cumsum(block, axis=0, reverse=False, dtype=None):
    return _cumulative(operator.add, block, axis, reverse)


def cumprod(block, axis=0, reverse=False):
    return _cumulative(operator.mul, block, axis, reverse)


def sort(block, dim=None, descending=False):
    axis = len(block.shape) - 1 if dim is None else dim
    return _along(block, axis, block.dtype, lambda line: sorted(line, reverse=bool(descending)))


def gather(block, index, axis):
    axis = _axis(axis, len(block.shape))
    if block.data is None:
        return Block(index.shape, block.dtype, None)
    strides = list(row_major(block.shape))
    step, strides[axis] = strides[axis], 0
    places = positions(index.shape, tuple(strides))
    data = [block.data[place + step * i] for place, i in zip(places, index.known("an index"))]
    return Block(index.shape, block.dtype, data)


def histogram(block, num_bins, mask=None):
    if block.data is None:
        return Block((num_bins,), int32, None)
    flags = [1] * len(block.data) if mask is None else mask.known("a mask")
    counts = [0] * int(num_bins)
    for value, flag in zip(block.data, flags):
        if flag and 0 <= value < num_bins:
            counts[value] += 1
    return Block((int(num_bins),), int32, counts)


def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    return Block(x.shape, x.dtype, None)


def dot(a, b, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None,
        out_dtype=float32):
    """Matrix products are values of floats or int8: no address here depends on them."""
    dtype = out_dtype if a.dtype.is_floating() else int32
    return Block(a.shape[:-1] + b.shape[-1:], dtype, None)


# ---- random numbers: Philox, ten rounds ----

def _philox(key, counter):
    mask = 2**32 - 1
    c0, c1, c2, c3 = counter & mask, counter >> 32 & mask, 0, 0
    k0, k1 = key & mask, key >> 32 & mask
    for _ in range(10):
        low, high = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = high >> 32 ^ c1 ^ k0, high & mask, low >> 32 ^ c3 ^ k1, low & mask
        k0, k1 = k0 + 0x9E3779B9 & mask, k1 + 0xBB67AE85 & mask
    return c0, c1, c2, c3


def randint4x(seed, offset, n_rounds=10):
    seed = as_block(seed).number("a seed")
    return tuple(apply(lambda i, part=part: _philox(seed & 2**64 - 1, i)[part], uint32, offset)
                 for part in range(4))


def randint(seed, offset, n_rounds=10):
    return randint4x(seed, offset)[0]


def rand(seed, offset, n_rounds=10):
    def unit(bits):
        bits = wrap_integer(bits, int32)
        return (-bits - 1 if bits < 0 else bits) * 4.6566127342e-10
    return apply(unit, float32, randint(seed, offset))


def randn(seed, offset, n_rounds=10):
    return Block(offset.shape, float32, None)


# ---- hints and control ----

def _same(value, *_, **__):
    return value


multiple_of = max_contiguous = max_constancy = _same


def _nothing(*_, **__):
    return None


assume = debug_barrier = device_print = static_print = device_assert = _nothing


def static_assert(condition, message=""):
    if not condition:
        raise DenseError(f"static_assert: {message}")


def static_range(start, end=None, step=1):
    """Python ints: the body sees a constant."""
    if end is None:
        start, end = 0, start
    return range(int(start), int(end), int(step))


def block_range(start, end=None, step=1, **_):
    """Blocks of one number each: the loop variable of a kernel is no Python int."""
    if end is None:
        start, end = 0, start
    dtype = int32
    for bound in (start, end, step):
        dtype = promote(dtype, as_block(bound).dtype, False, False, False)
    for value in range(int(start), int(end), int(step)):
        yield Block((), dtype, [value])


class PropagateNan:
    NONE, ALL = 0, 1


def _functions():
    here = globals()
    plain = """arange zeros full zeros_like reshape ravel expand_dims broadcast_to broadcast trans
        permute join split interleave cat flip to where minimum maximum clamp cdiv fdiv logical_and
        logical_or umulhi fma exp exp2 log log2 sqrt rsqrt sin cos erf floor ceil sigmoid tanh
        swizzle2d xor_sum argmax argmin cumsum cumprod sort gather histogram softmax dot randint4x
        randint rand randn multiple_of max_contiguous max_constancy assume debug_barrier
        device_print static_print device_assert static_assert static_range constexpr
        PropagateNan"""
    memory = """program_id num_programs load store atomic_add atomic_and atomic_cas atomic_max
        atomic_min atomic_or atomic_xchg atomic_xor make_block_ptr advance make_tensor_descriptor
        load_tensor_descriptor store_tensor_descriptor"""
    result = {name: here[name] for name in plain.split()}
    result |= {name: getattr(dense_memory, name) for name in memory.split()}
    result |= {"abs": absolute, "cast": cast_to, "view": reshape, "sum": reduce_sum,
               "max": reduce_max, "min": reduce_min, "pow": power, "range": block_range,
               "sqrt_rn": sqrt, "div_rn": divide, "pointer_type": Pointer, "tensor": Block}
    result |= {dtype.name.replace("fp", "float") if dtype.bits > 8 else dtype.name: dtype
               for dtype in dense_values.ALL_TYPES}
    result |= {"bfloat16": dense_values.bfloat16, "float8e4nv": dense_values.float8e4nv,
               "float8e5": dense_values.float8e5}
    return result


FUNCTIONS = _functions()
