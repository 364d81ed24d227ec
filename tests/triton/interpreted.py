"""Addresses from Triton's own interpreter: TRITON_INTERPRET=1, its memory operations watched."""
import importlib.util
import sys

import numpy
from triton.runtime import interpreter

from launches import Launch, in_launch_order


class Watch:
    """Stands between the interpreter and memory while one kernel runs."""

    def __init__(self, launch):
        self.launch = launch
        self.records = []

    def line(self):
        """The innermost line of the kernel's file on the stack."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == str(self.launch.kernel_path):
                return frame.f_lineno
            frame = frame.f_back
        raise LookupError("a memory operation that comes from no line of the kernel")

    def note(self, builder, kind, pointers, mask):
        addresses = numpy.asarray(pointers.data)
        # A mask is a TensorHandle or, for block pointers, an array: both have .data.
        active = numpy.broadcast_to(numpy.asarray(mask.data), addresses.shape)
        chosen = [int(address) for address in addresses[active.astype(bool)].reshape(-1)]
        size = max(pointers.get_element_ty().primitive_bitwidth // 8, 1)
        self.records.append(
            self.launch.record(builder.grid_idx, self.line(), kind, size, chosen))

    def install(self):
        watch = self
        builder = interpreter.InterpreterBuilder
        load, store = builder.create_masked_load, builder.create_masked_store
        update, exchange = builder.create_atomic_rmw, builder.create_atomic_cas

        def create_masked_load(self, ptrs, mask, *rest, **named):
            watch.note(self, "read", ptrs, mask)
            return load(self, ptrs, mask, *rest, **named)

        def create_masked_store(self, ptrs, value, mask, *rest, **named):
            watch.note(self, "write", ptrs, mask)
            return store(self, ptrs, value, mask, *rest, **named)

        def create_atomic_rmw(self, operation, ptr, value, mask, *rest):
            watch.note(self, "atomic", ptr, mask)
            return update(self, operation, ptr, value, mask, *rest)

        def create_atomic_cas(self, ptr, *rest):
            watch.note(self, "atomic", ptr, numpy.ones(ptr.data.shape, bool))
            return exchange(self, ptr, *rest)

        for function in (create_masked_load, create_masked_store, create_atomic_rmw,
                         create_atomic_cas):
            setattr(builder, function.__name__, function)


def allow_loops():
    """Triton 3.6 makes a loop bound of a one-element array by int(), which numpy 2.4 refuses."""
    patch = interpreter._patch_lang_tensor

    def patch_more(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patch_more


def bare_kernel(path, name):
    """The kernel without autotuner and heuristics: the job has chosen already."""
    spec = importlib.util.spec_from_file_location("kernel_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    kernel = getattr(module, name)
    while not isinstance(kernel, interpreter.InterpretedFunction):
        kernel = kernel.fn
    return kernel


def addresses(path, settings):
    launch = Launch(path, settings, "cpu")
    kernel = bare_kernel(launch.kernel_path, launch.function)
    watch = Watch(launch)
    watch.install()
    allow_loops()
    kernel[launch.grid](**launch.arguments)
    return in_launch_order(watch.records)
