"""Pointers are tensors; what lies outside their buffers is an illegal access, told later."""
import struct

import torch

constexpr = None
program = (0, 0, 0)


def program_id(axis):
    return program[axis]


def place(pointer, offset):
    """Where the element lies in the buffer; nothing if it does not."""
    begin = pointer.begin + offset * pointer.dtype.itemsize
    if 0 <= begin <= len(pointer.storage) - pointer.dtype.itemsize:
        return begin
    torch.cuda.error = "CUDA error: an illegal memory access was encountered"
    return None


def load(pointer, offset):
    begin = place(pointer, offset)
    if begin is None:
        return 0
    return struct.unpack_from("=" + pointer.dtype.code, pointer.storage, begin)[0]


def store(pointer, offset, value):
    begin = place(pointer, offset)
    if begin is not None:
        struct.pack_into("=" + pointer.dtype.code, pointer.storage, begin, value)
