"""The tensors of a launch on the device: guards around them, contents by seed, comparisons.

    memory = Memory(bundle, launch)
    memory.fill(1)              the contents of seed 1; what may not change is kept
    memory.prepare(0xA5)        a pattern in what is only written, contents again in the rest
    ...                         a launch with memory.arguments
    memory.check_surroundings() a Rejection if a guard or an input is not what it was

Rules
  1. A tensor lies in a buffer of bytes between two guards of GUARD_BYTES, so that what is written
     a little out of bounds is seen and hits no other tensor.
  2. Contents depend on the seed and on the tensor's place in the launch, and on the version of
     PyTorch: they are the same for every candidate, not on every machine.
  3. Comparisons are of bits, on the device, CHUNK elements at a time.
"""
import torch

from triton_bundle import DTYPES, BundleError, Rejection, Tensor

GUARD_BYTES = 2 << 20
GUARD_VALUE = 0xC3
CHUNK = 1 << 25  # elements


def scan(count, mask_of):
    """(how many, the first) of the elements that mask_of(begin, end) marks; (0, None) if none."""
    total, first = 0, None
    for begin in range(0, count, CHUNK):
        mask = mask_of(begin, min(begin + CHUNK, count))
        marked = int(mask.sum())
        if marked and first is None:
            first = begin + int(mask.to(torch.uint8).argmax())
        total += marked
    return total, first


class Slot:
    """A tensor of a launch in its buffer, between two guards."""

    def __init__(self, tensor):
        self.tensor = tensor
        name, bits = DTYPES[tensor.dtype]
        self.dtype, self.bit_dtype = getattr(torch, name), getattr(torch, bits)
        self.buffer = torch.empty(tensor.size + 2 * GUARD_BYTES, dtype=torch.uint8, device="cuda")
        self.bytes = self.buffer[GUARD_BYTES:GUARD_BYTES + tensor.size]
        self.guards = (("in front of", self.buffer[:GUARD_BYTES]),
                       ("behind", self.buffer[GUARD_BYTES + tensor.size:]))
        for _, guard in self.guards:
            guard.fill_(GUARD_VALUE)
        self.kept = None  # a copy of the contents

    def bits(self, data):
        return data.view(self.bit_dtype)

    def argument(self):
        values, tensor = self.bytes.view(self.dtype), self.tensor
        if tensor.shape is not None:
            strides = tensor.strides or contiguous(tensor.shape)
            values = values.as_strided(tensor.shape, strides)
        return values if tensor.block is None else descriptor(values, tensor)

    def poison(self, pattern):
        """The element that only holds the pattern, as bits."""
        width = self.bit_dtype.itemsize
        return int.from_bytes(bytes([pattern]) * width, "little",
                              signed=self.bit_dtype != torch.uint8)

    def value(self, data, element):
        if self.tensor.is_float:
            return format(float(data.view(self.dtype)[element].to(torch.float32).item()), ".9g")
        bits = int(self.bits(data)[element].item())
        unsigned = self.tensor.dtype.startswith("uint")
        return str(bits % (1 << (8 * self.bit_dtype.itemsize)) if unsigned else bits)

    def place(self, element):
        """"c_ptr[3, 17]"; the number of the element where no index leads to it."""
        tensor, rest = self.tensor, element
        if tensor.shape is None:
            return f"{tensor.name}[{element}]"
        strides = tensor.strides or contiguous(tensor.shape)
        index = [0] * len(strides)
        for axis in sorted(range(len(strides)), key=lambda axis: -strides[axis]):
            if strides[axis] > 0:
                index[axis] = min(rest // strides[axis], tensor.shape[axis] - 1)
                rest -= index[axis] * strides[axis]
        if rest:
            return f"element {element} of {tensor.name}, which no index leads to"
        return f"{tensor.name}[{', '.join(map(str, index))}]"

    def difference(self, found, expected, count, first):
        was, now = self.value(expected, first), self.value(found, first)
        if was == now:
            was, now = (hex(int(self.bits(data)[first].item()) % (1 << 64))
                        for data in (expected, found))
        return f"{self.place(first)}: expected {was}, found {now}; {count} elements"

    def check_guards(self):
        for side, guard in self.guards:
            count, first = scan(guard.numel(), lambda a, b: guard[a:b] != GUARD_VALUE)
            if count:
                away = first if side == "behind" else GUARD_BYTES - 1 - first
                raise Rejection("guard", f"{count} bytes {side} {self.tensor.name} were written,"
                                         f" the first of them {away} bytes away")

    def check_unchanged(self):
        now, before = self.bits(self.bytes), self.bits(self.kept)
        count, first = scan(now.numel(), lambda a, b: now[a:b] != before[a:b])
        if count:
            raise Rejection("input", self.difference(self.bytes, self.kept, count, first))


def descriptor(values, tensor):
    from triton.tools.tensor_descriptor import TensorDescriptor
    shape = tensor.shape or list(values.shape)
    return TensorDescriptor(values, list(shape), list(tensor.strides or contiguous(shape)),
                            tensor.block)


def contiguous(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


def draw(tensor, begin, end, generator):
    """Elements of a tensor with random or regular contents, as numbers."""
    kind, settings, count = tensor.contents[0], tensor.contents[1:], end - begin
    options = {"device": "cuda"}
    if kind == "zeros" or kind == "constant":
        value = float(settings[0]) if kind == "constant" else 0
        return torch.full((count,), value if tensor.is_float else int(value),
                          dtype=torch.float64 if tensor.is_float else torch.int64, **options)
    if kind == "range":
        return torch.arange(begin, end, dtype=torch.int64, **options)
    if kind == "normal":
        values = torch.randn(count, generator=generator, **options)
        return values if tensor.is_float else values.round().to(torch.int64)
    if kind not in ("random", "uniform"):
        raise BundleError(f"tensor {tensor.name}: there are no contents {kind}")
    if tensor.is_float:
        low, high = (float(word) for word in settings) if kind == "uniform" else (-1.0, 1.0)
        return torch.rand(count, generator=generator, **options) * (high - low) + low
    low, high = (int(word) for word in settings) if kind == "uniform" \
        else (0, 2 if tensor.dtype == "bool" else 10)
    return torch.randint(low, high, (count,), generator=generator, dtype=torch.int64, **options)


class Memory:
    """The tensors of a launch on the device."""

    def __init__(self, bundle, launch):
        self.bundle, self.launch = bundle, launch
        self.slots = {name: Slot(tensor) for name, tensor in launch.tensors.items()}
        self.outputs = [slot for slot in self.slots.values() if slot.tensor.use != "read"]
        self.arguments = {name: self.slots[value.name].argument() if isinstance(value, Tensor)
                          else value for name, value in launch.arguments.items()}

    def fill(self, seed):
        """The contents of this seed, in all tensors. Keeps what runs may not or must not change."""
        for place, slot in enumerate(self.slots.values()):
            slot.kept = None
            self.fill_slot(slot, seed * 1_000_003 + place)
            if slot.tensor.use != "write":
                slot.kept = slot.bytes.clone()

    def fill_slot(self, slot, seed):
        tensor = slot.tensor
        if tensor.contents[0] == "file":
            data = self.bundle.path(tensor.contents[1]).read_bytes()
            if len(data) != tensor.size:
                raise BundleError(f"tensor {tensor.name}: its file has {len(data)} bytes,"
                                  f" not {tensor.size}")
            slot.bytes.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
            return
        values = slot.bytes.view(slot.dtype if tensor.is_float else slot.bit_dtype)
        if tensor.contents[0] == "addresses":
            addresses = [self.slots[name].bytes.data_ptr() for name in tensor.contents[1:]]
            slot.bytes.fill_(0)
            values[:len(addresses)].copy_(torch.tensor(addresses, dtype=torch.int64))
            return
        generator = torch.Generator(device="cuda")
        generator.manual_seed(seed)
        for begin in range(0, values.numel(), CHUNK):
            end = min(begin + CHUNK, values.numel())
            values[begin:end].copy_(draw(tensor, begin, end, generator))

    def prepare(self, pattern):
        for slot in self.outputs:
            if slot.tensor.use == "write":
                slot.bytes.fill_(pattern)
        self.restore()

    def restore(self):
        for slot in self.outputs:
            if slot.kept is not None:
                slot.bytes.copy_(slot.kept)

    def check_surroundings(self):
        for slot in self.slots.values():
            slot.check_guards()
        for slot in self.slots.values():
            if slot.tensor.use == "read":
                slot.check_unchanged()
