"""Memory of the dense interpreter: loads, stores and atomics element by element, and their record.

Rules
  1. Every tile starts from the contents that the job gives and sees its own writes only.
  2. A record holds the byte offsets of the active elements that lie inside the tensor.
  3. What is not loaded is `other`, or 0 where the kernel gives none; outside of a tensor with
     contents there are zeros, and writes outside of a tensor are lost.
"""
from dense_values import (Block, DenseError, Pointer, apply, as_block, broadcast, cast, count, int1,
                          int32, positions, shared_shape, to_type)

UNKNOWN = object()


class Machine:
    """What the running tile sees: its index, the tensors, what it has written."""

    def __init__(self):
        self.begin((0, 0, 0), (1, 1, 1), [])

    def begin(self, tile, grid, tensors):
        self.tile = tile
        self.grid = grid
        self.tensors = tensors
        self.written = {}  # address -> number or UNKNOWN
        self.records = []

    def tensor_at(self, address):
        return next((tensor for tensor in self.tensors if tensor.holds(address)), None)

    def read(self, address, pointers):
        dtype = pointers.dtype.element_ty
        tensor = tensor_of(pointers, address)
        if tensor is not None and tensor.contents is not None and not tensor.holds(address):
            return to_type(0, dtype)
        if address in self.written:
            return self.written[address]
        if tensor is None or tensor.contents is None:
            return UNKNOWN
        element, rest = divmod(address - tensor.address, tensor.dtype.bytes)
        if rest or tensor.dtype is not dtype:
            raise DenseError(f"{tensor.name} is read as {dtype}, which it is not made of")
        return tensor.contents(element)


    def write(self, address, pointers, value):
        tensor = tensor_of(pointers, address)
        if tensor is not None and tensor.holds(address):
            self.written[address] = value


MACHINE = Machine()


def tensor_of(pointers, address):
    """The tensor a pointer was made from, else the one that holds the address."""
    if len(pointers.tensors) == 1:
        tensor, = pointers.tensors
        return tensor
    return MACHINE.tensor_at(address)


def access(kind, pointers, mask, line):
    """Notes one memory instruction; gives (element number, address) of the active elements."""
    addresses = pointers.known("an address")
    flags = [1] * len(addresses) if mask is None else mask.known("a mask")
    active = [(i, address) for i, address in enumerate(addresses) if flags[i]]
    tensor = tensor_of(pointers, active[0][1] if active else 0)
    if tensor is not None:
        end = tensor.address + tensor.bytes - pointers.dtype.element_ty.bytes
        inside = [address for _, address in active if tensor.address <= address <= end]
        MACHINE.records.append({
            "tile": list(MACHINE.tile), "line": line, "kind": kind, "tensor": tensor.name,
            "element_bytes": pointers.dtype.element_ty.bytes,
            "offsets": [address - tensor.address for address in inside]})
    return active


def load_block(pointers, mask, other, line):
    dtype = pointers.dtype.element_ty
    active = access("read", pointers, mask, line)
    if other is None:
        data = [to_type(0, dtype)] * count(pointers.shape)
    else:
        data = broadcast(cast(other, dtype), pointers.shape).data
    if not active:
        return Block(pointers.shape, dtype, data)
    if data is None:
        return Block(pointers.shape, dtype, None)
    data = list(data)
    for i, address in active:
        value = MACHINE.read(address, pointers)
        if value is UNKNOWN:
            return Block(pointers.shape, dtype, None)
        data[i] = value
    return Block(pointers.shape, dtype, data)


def store_block(pointers, value, mask, line):
    dtype = pointers.dtype.element_ty
    data = broadcast(cast(value, dtype), pointers.shape).data
    for i, address in access("write", pointers, mask, line):
        MACHINE.write(address, pointers, UNKNOWN if data is None else data[i])


def atomic_block(function, pointers, value, mask, line):
    """function(old, new) is what memory holds afterwards; the old values are the result."""
    dtype = pointers.dtype.element_ty
    data = broadcast(cast(value, dtype), pointers.shape).data
    old = [to_type(0, dtype)] * count(pointers.shape)
    known = True
    for i, address in access("atomic", pointers, mask, line):
        before = MACHINE.read(address, pointers)
        if before is UNKNOWN or data is None:
            known = False
            MACHINE.write(address, pointers, UNKNOWN)
        else:
            old[i] = before
            MACHINE.write(address, pointers, to_type(function(before, data[i], i), dtype))
    return Block(pointers.shape, dtype, old if known else None)


# ---- what kernels call ----

def program_id(axis):
    return Block((), int32, [MACHINE.tile[int(axis)]])


def num_programs(axis):
    return Block((), int32, [MACHINE.grid[int(axis)]])


def _masked(pointer, mask):
    """Pointers and mask of one shape."""
    if not isinstance(pointer, Block) or pointer.dtype.kind != "pointer":
        raise DenseError("a load or store needs a pointer")
    if mask is None:
        return pointer, None
    mask = cast(as_block(mask), int1)
    shape = shared_shape(pointer, mask)
    return broadcast(pointer, shape), broadcast(mask, shape)


def load(pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="",
         eviction_policy="", volatile=False, _line=0):
    if isinstance(pointer, BlockPointer):
        pointers, inside = pointer.elements(boundary_check)
        return load_block(pointers, inside, None, _line)
    pointers, mask = _masked(pointer, mask)
    return load_block(pointers, mask, other, _line)


def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="",
          _line=0):
    if isinstance(pointer, BlockPointer):
        pointers, inside = pointer.elements(boundary_check)
        store_block(pointers, value, inside, _line)
    else:
        pointers, mask = _masked(pointer, mask)
        store_block(pointers, value, mask, _line)


def _atomic(function):
    def atomic(pointer, val, mask=None, sem=None, scope=None, _line=0):
        pointers, mask = _masked(pointer, mask)
        return atomic_block(lambda old, new, _: function(old, new), pointers, val, mask, _line)
    return atomic


atomic_add = _atomic(lambda old, new: old + new)
atomic_max = _atomic(max)
atomic_min = _atomic(min)
atomic_and = _atomic(lambda old, new: old & new)
atomic_or = _atomic(lambda old, new: old | new)
atomic_xor = _atomic(lambda old, new: old ^ new)
atomic_xchg = _atomic(lambda old, new: new)


def atomic_cas(pointer, cmp, val, sem=None, scope=None, _line=0):
    expected = broadcast(cast(cmp, pointer.dtype.element_ty), pointer.shape).data

    def exchange(old, new, i):
        return new if old == expected[i] else old

    if expected is None:
        val = Block((), pointer.dtype.element_ty, None)
    return atomic_block(exchange, pointer, val, None, _line)


# ---- block pointers and descriptors ----

def _integers(values):
    return [int(value) for value in values]


def element_pointers(base, strides, starts, shape):
    """Pointers to the elements of a block whose first one has the index `starts`."""
    size = base.dtype.element_ty.bytes
    first = base.number("a base") + size * sum(a * b for a, b in zip(starts, strides))
    data = [first + size * step for step in positions(tuple(shape), tuple(strides))]
    return Block(shape, base.dtype, data, base.tensors)


def inside_bounds(starts, shape, limits, axes):
    """1 where the index lies in 0..limit-1 along all of `axes`."""
    flags = Block(shape, int1, [1] * count(shape))
    for axis in axes:
        column = [1 if 0 <= starts[axis] + i < limits[axis] else 0 for i in range(shape[axis])]
        place = [1] * len(shape)
        place[axis] = shape[axis]
        flags = apply(min, int1, flags, broadcast(Block(place, int1, column), shape))
    return flags


class BlockPointer:
    def __init__(self, base, shape, strides, offsets, block_shape):
        self.base = base
        self.limits = _integers(shape)
        self.strides = _integers(strides)
        self.offsets = _integers(offsets)
        self.block_shape = tuple(_integers(block_shape))
        self.dtype = Pointer(base.dtype.element_ty)
        self.shape = self.block_shape

    type = property(lambda self: self.dtype)

    def elements(self, boundary_check):
        checked = boundary_check if hasattr(boundary_check, "__iter__") else (boundary_check,)
        pointers = element_pointers(self.base, self.strides, self.offsets, self.block_shape)
        return pointers, inside_bounds(self.offsets, self.block_shape, self.limits,
                                       _integers(checked))

    def advance(self, offsets):
        moved = [a + b for a, b in zip(self.offsets, _integers(offsets))]
        return BlockPointer(self.base, self.limits, self.strides, moved, self.block_shape)


def make_block_ptr(base, shape, strides, offsets, block_shape, order=None):
    return BlockPointer(base, shape, strides, offsets, block_shape)


def advance(base, offsets):
    return base.advance(offsets)


class Descriptor:
    """A tensor descriptor (TMA): what lies outside is neither read nor written."""

    def __init__(self, base, shape, strides, block_shape):
        self.base = base
        self.limits = _integers(shape)
        self.stride_numbers = _integers(strides)
        self.block_shape = tuple(_integers(block_shape))
        self.dtype = base.dtype.element_ty
        self.shape = [as_block(extent) for extent in self.limits]
        self.strides = [as_block(stride) for stride in self.stride_numbers]

    def _elements(self, offsets):
        starts = _integers(offsets)
        pointers = element_pointers(self.base, self.stride_numbers, starts, self.block_shape)
        axes = range(len(self.block_shape))
        return pointers, inside_bounds(starts, self.block_shape, self.limits, axes)

    def load(self, offsets, cache_modifier="", eviction_policy="", _line=0):
        return load_block(*self._elements(offsets), None, _line)

    def store(self, offsets, value, _line=0):
        pointers, inside = self._elements(offsets)
        store_block(pointers, value, inside, _line)

    def _reduce(self, function, offsets, value, line):
        pointers, inside = self._elements(offsets)
        atomic_block(lambda old, new, _: function(old, new), pointers, value, inside, line)

    def atomic_add(self, offsets, value, _line=0):
        self._reduce(lambda old, new: old + new, offsets, value, _line)

    def atomic_max(self, offsets, value, _line=0):
        self._reduce(max, offsets, value, _line)

    def atomic_min(self, offsets, value, _line=0):
        self._reduce(min, offsets, value, _line)

    def _rows(self, x_offsets, y_offset):
        """Rows x_offsets, BLOCK columns from y_offset on."""
        columns = self.block_shape[1]
        shape = (x_offsets.shape[0], columns)
        data, flags = [], []
        for x in x_offsets.known("an address"):
            row = element_pointers(self.base, self.stride_numbers, (x, int(y_offset)), (1, columns))
            data += row.data
            flags += inside_bounds((x, int(y_offset)), (1, columns), self.limits, (0, 1)).data
        return Block(shape, self.base.dtype, data, self.base.tensors), Block(shape, int1, flags)

    def gather(self, x_offsets, y_offset, cache_modifier="", eviction_policy="", _line=0):
        return load_block(*self._rows(x_offsets, y_offset), None, _line)

    def scatter(self, value, x_offsets, y_offset, _line=0):
        pointers, inside = self._rows(x_offsets, y_offset)
        store_block(pointers, value, inside, _line)


def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    return Descriptor(base, shape, strides, block_shape)


def load_tensor_descriptor(desc, offsets, _line=0):
    return desc.load(offsets, _line=_line)


def store_tensor_descriptor(desc, offsets, value, _line=0):
    desc.store(offsets, value, _line=_line)
