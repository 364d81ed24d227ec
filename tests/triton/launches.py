"""A job as a launch of real Triton: torch tensors with the contents of the job, arguments, grid.

Needs PyTorch and Triton.
"""
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "oracle"))

import torch  # noqa: E402

import dense_job  # noqa: E402
import dense_values  # noqa: E402

TORCH_TYPES = {
    "int1": torch.bool, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
    "int64": torch.int64, "uint8": torch.uint8, "fp16": torch.float16, "bf16": torch.bfloat16,
    "fp32": torch.float32, "fp64": torch.float64,
}


class Launch:
    """What a kernel is started with."""

    def __init__(self, path, settings, device):
        self.job = dense_job.Job(path, settings)
        self.kernel_path = self.job.folder / self.job.table["kernel"]
        self.function = self.job.kernel.name
        self.grid = self.job.grid
        self.buffers = {}   # name -> flat tensor that holds the bytes
        self.elements = {}  # name -> element bytes
        for tensor in self.job.tensors:
            count = tensor.bytes // tensor.dtype.bytes
            buffer = torch.zeros(count, dtype=TORCH_TYPES[tensor.dtype.name])
            if tensor.contents is not None:
                values = [tensor.contents(i) for i in range(count)]
                buffer = torch.tensor(values, dtype=buffer.dtype)
            self.buffers[tensor.name] = buffer.to(device)
            self.elements[tensor.name] = tensor.dtype.bytes
        self.arguments = {name: self._argument(name) for name in self.job.arguments}
        launch = self.job.table.get("launch", {})
        self.options = {"num_warps": launch.get("warps", 4), "num_stages": launch.get("stages", 2)}

    def _argument(self, name):
        tensor = next((t for t in self.job.tensors if t.name == name), None)
        if tensor is None:
            value = self.job.names[name] if name in self.job.names else self.job.arguments[name]
            return self._constant(value)
        return self.view(tensor, self.buffers[name])

    @staticmethod
    def _constant(value):
        if isinstance(value, dense_values.Block):
            return value.number("an argument")
        if isinstance(value, dense_values.DType):
            import triton.language as tl
            return getattr(tl, value.name.replace("fp", "float"))
        return value

    @staticmethod
    def view(tensor, buffer):
        """A torch tensor or a tensor descriptor over a buffer."""
        shaped = buffer.as_strided(tensor.shape, tensor.strides)
        if tensor.block is None:
            return shaped
        from triton.tools.tensor_descriptor import TensorDescriptor
        return TensorDescriptor(shaped, list(tensor.shape), list(tensor.strides),
                                list(tensor.block))

    def find(self, address):
        """The tensor that holds an address: its name and the offset in it."""
        for name, buffer in self.buffers.items():
            offset = address - buffer.data_ptr()
            if 0 <= offset < buffer.numel() * buffer.element_size():
                return name, offset
        raise LookupError(f"address {address:#x} lies in no tensor of the job")

    def record(self, tile, line, kind, element_bytes, addresses):
        """A record in the form of dense.py."""
        name = None
        offsets = []
        if addresses:
            name, first = self.find(addresses[0])
            base = addresses[0] - first
            offsets = [address - base for address in addresses]
        return {"tile": list(tile), "line": line, "kind": kind, "tensor": name,
                "element_bytes": element_bytes, "offsets": offsets}


def in_launch_order(records):
    """Sorted by tile, x fastest; the order within a tile is kept."""
    return sorted(records, key=lambda record: record["tile"][::-1])
