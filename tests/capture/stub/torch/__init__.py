"""As much of PyTorch as the recorder looks at: tensors in plain memory, and no GPU."""
import contextlib
import ctypes

from . import cuda  # noqa: F401


class dtype:
    def __init__(self, name, size):
        self.name, self.itemsize = name, size

    def __repr__(self):
        return f"torch.{self.name}"


float16, float32 = dtype("float16", 2), dtype("float32", 4)
int32, int64 = dtype("int32", 4), dtype("int64", 8)


class Tensor:
    def __init__(self, memory, offset, shape, strides, kind):
        self.memory, self.offset, self.dtype = memory, offset, kind
        self.shape, self.strides = tuple(shape), tuple(strides)

    def data_ptr(self):
        return ctypes.addressof(self.memory) + self.offset

    def stride(self, axis=None):
        return self.strides if axis is None else self.strides[axis]

    def element_size(self):
        return self.dtype.itemsize

    def detach(self):
        return self

    def cpu(self):
        return self

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        raise AssertionError("tensors are not compared")


def empty(*shape, dtype=float32, offset=0):
    """Memory at a multiple of 16, and `offset` bytes."""
    size = dtype.itemsize
    strides = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    memory = (ctypes.c_char * (size + offset + 16))()
    begin = -ctypes.addressof(memory) % 16 + offset
    return Tensor(memory, begin, shape, [step // dtype.itemsize for step in strides], dtype)


def tensor(values, dtype=int32):
    found = empty(len(values), dtype=dtype)
    kind = {int32: ctypes.c_int32, int64: ctypes.c_int64}[dtype]
    ctypes.memmove(found.data_ptr(), (kind * len(values))(*values), len(values) * dtype.itemsize)
    return found


def as_strided(one, shape, strides):
    return Tensor(one.memory, one.offset, shape, strides, one.dtype)


no_grad = contextlib.nullcontext
