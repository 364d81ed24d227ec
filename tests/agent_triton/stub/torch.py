"""A stand-in for PyTorch: as much as the worker for Triton kernels uses, on tiny tensors, slowly.

It is for the worker's protocol and its comparisons. That real PyTorch does what is meant here is
seen on a GPU only. Device time is a number: 10 us for each launch, what _sleep is told, else none.
"""
import operator
import os
import random
import struct
import types

if os.environ.get("STUB_TORCH") == "absent":
    raise ImportError("No module named 'torch'")

__version__ = "stub"
version = types.SimpleNamespace(cuda="0", hip=None)


class Dtype:
    def __init__(self, name, code):
        self.name, self.code, self.itemsize = name, code, struct.calcsize(code)


bool = Dtype("bool", "?")
uint8, int8, int16 = Dtype("uint8", "B"), Dtype("int8", "b"), Dtype("int16", "h")
int32, int64, uint64 = Dtype("int32", "i"), Dtype("int64", "q"), Dtype("uint64", "Q")
float16, float32, float64 = Dtype("float16", "e"), Dtype("float32", "f"), Dtype("float64", "d")


class Tensor:
    """Elements in a row of bytes, at an offset; strides are kept, and used by nobody."""

    def __init__(self, storage, begin, count, dtype, shape=None, strides=None):
        self.storage, self.begin, self.count, self.dtype = storage, begin, count, dtype
        self.shape, self.strides = shape or (count,), strides or (1,)

    def values(self):
        end = self.begin + self.count * self.dtype.itemsize
        return list(struct.unpack(f"={self.count}{self.dtype.code}", self.storage[self.begin:end]))

    def write(self, values):
        end = self.begin + self.count * self.dtype.itemsize
        self.storage[self.begin:end] = struct.pack(f"={self.count}{self.dtype.code}", *values)
        return self

    def numel(self):
        return self.count

    def data_ptr(self):
        return id(self.storage) + self.begin

    def stride(self):
        return self.strides

    def __getitem__(self, key):
        if isinstance(key, Tensor):
            chosen = [value for value, is_in in zip(self.values(), key.values()) if is_in]
            return tensor(chosen, dtype=self.dtype)
        begin, end, _ = (slice(key, key + 1) if isinstance(key, int) else key).indices(self.count)
        begin, count = self.begin + begin * self.dtype.itemsize, end - begin
        return Tensor(self.storage, begin, count, self.dtype)

    def view(self, dtype):
        count, rest = divmod(self.count * self.dtype.itemsize, dtype.itemsize)
        assert rest == 0 and self.begin % dtype.itemsize == 0
        return Tensor(self.storage, self.begin, count, dtype)

    def as_strided(self, shape, strides):
        shape, strides = tuple(shape), tuple(strides)
        return Tensor(self.storage, self.begin, self.count, self.dtype, shape, strides)

    def fill_(self, value):
        return self.write([value] * self.count)

    def copy_(self, other):
        assert other.count == self.count
        return self.write(other.to(self.dtype).values())

    def clone(self):
        return tensor(self.values(), dtype=self.dtype)

    def to(self, dtype):
        as_type = float if dtype.code in "efd" else int
        return tensor([as_type(value) for value in self.values()], dtype=dtype)

    def apply(self, function, other, dtype=None):
        others = other.values() if isinstance(other, Tensor) else [other] * self.count
        values = [function(a, b) for a, b in zip(self.values(), others)]
        return tensor(values, dtype=dtype or self.dtype)

    def __eq__(self, other):
        return self.apply(operator.eq, other, bool)

    def __ne__(self, other):
        return self.apply(operator.ne, other, bool)

    def __le__(self, other):
        return self.apply(operator.le, other, bool)

    def __and__(self, other):
        return self.apply(operator.and_, other)

    def __add__(self, other):
        return self.apply(operator.add, other)

    def __sub__(self, other):
        return self.apply(operator.sub, other)

    def __mul__(self, other):
        return self.apply(operator.mul, other)

    def __invert__(self):
        return tensor([not value for value in self.values()], dtype=bool)

    def abs(self):
        return tensor([abs(value) for value in self.values()], dtype=self.dtype)

    def round(self):
        return tensor([round(value) for value in self.values()], dtype=self.dtype)

    def sum(self):
        return tensor([sum(self.values())], dtype=int64)

    def max(self):
        return tensor([max(self.values())], dtype=self.dtype)

    def argmax(self):
        values = self.values()
        return tensor([values.index(max(values))], dtype=int64)

    def item(self):
        (value,) = self.values()
        return value

    __int__ = __index__ = lambda self: int(self.item())
    __float__ = lambda self: float(self.item())


def tensor(values, dtype, device=None):
    made = Tensor(bytearray(len(values) * dtype.itemsize), 0, len(values), dtype)
    return made.write(values)


def empty(count, dtype, device=None):
    return Tensor(bytearray(os.urandom(1)) * (count * dtype.itemsize), 0, count, dtype)


def frombuffer(data, dtype):
    return Tensor(data, 0, len(data) // dtype.itemsize, dtype)


def full(shape, value, dtype, device=None):
    return tensor([value] * shape[0], dtype)


def arange(begin, end, dtype, device=None):
    return tensor(list(range(begin, end)), dtype)


class Generator:
    def __init__(self, device=None):
        self.random = random.Random()

    def manual_seed(self, seed):
        self.random.seed(seed)


def rand(count, generator, device=None):
    return tensor([generator.random.random() for _ in range(count)], float32)


def randn(count, generator, device=None):
    return tensor([generator.random.gauss(0, 1) for _ in range(count)], float32)


def randint(low, high, shape, generator, dtype, device=None):
    return tensor([generator.random.randrange(low, high) for _ in range(shape[0])], dtype)


def isnan(values):
    return values != values


def isfinite(values):
    return tensor([value - value == 0 for value in values.values()], bool)


class cuda:
    """The device: its clock, and an error that the next synchronize tells."""
    now_us = 0.0
    error = None
    OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {})
    profiler = types.SimpleNamespace(start=lambda: None, stop=lambda: None)

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at_us = cuda.now_us

        def synchronize(self):
            cuda.synchronize()

        def elapsed_time(self, end):
            return (end.at_us - self.at_us) / 1000

    @staticmethod
    def is_available():
        return os.environ.get("STUB_TORCH") != "no GPU"

    @staticmethod
    def get_device_properties(_):
        return types.SimpleNamespace(name="Stub GPU", L2_cache_size=1000, multi_processor_count=3)

    @staticmethod
    def mem_get_info():
        return 1 << 20, 1 << 20

    @staticmethod
    def empty_cache():
        pass

    @staticmethod
    def _sleep(cycles):
        cuda.now_us += cycles / 1000

    @staticmethod
    def synchronize():
        if cuda.error:
            raise RuntimeError(cuda.error)
