"""Job files of launches: arguments as TOML, contents of integer tensors, copies of sources.

    described = Description("matmul_kernel")
    described.add("a_ptr", tensor, False)
    job = job_of("matmul_kernel", files, described, (64, 1, 1), launch, facts)     writes it

A file is whole or not there: it is written beside its name and moved. Nothing is imported that the
program may not have imported itself; PyTorch only where there is a tensor.
"""
import os
import sys

FOLDER = os.path.abspath(os.environ.get("HEDDLE_CAPTURE") or ".")
CONTENTS_BYTES = 16 << 20  # of one tensor
ALL_CONTENTS_BYTES = 1 << 30
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()
TYPES = {**{name: name for name in INTEGERS}, "float16": "fp16", "bfloat16": "bf16",
         "float32": "fp32", "float64": "fp64", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
         "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16"}


class Unsupported(Exception):
    """Something that a job cannot say."""


# ---- files


def write(path, data):
    """The whole file or none; False if there is one of that name."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            file.write(data)
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if os.path.exists(path):
                return False
            os.replace(part, path)
        return True
    finally:
        remove(part)


def replace(path, data):
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, path)
    finally:
        remove(part)


def remove(path):
    try:
        os.unlink(path)
    except OSError:
        pass


noted = set()


def note(text):
    """Once for each text."""
    text = " ".join(str(text).split())[:600]
    if text in noted or len(noted) > 1000:
        return
    noted.add(text)
    try:
        with open(os.path.join(FOLDER, "notes.txt"), "a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError:
        pass


def digest(*parts):
    import hashlib
    found = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "replace")
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()[:16]


# ---- values as TOML


def quoted(text):
    import json
    return json.dumps(text, ensure_ascii=True)


def is_tensor(value):
    return hasattr(value, "data_ptr") and hasattr(value, "dtype")


def is_descriptor(value):
    return hasattr(value, "block_shape") and hasattr(value, "base")


def constant(value, name):
    """A number, flag, text or type as the value of a TOML key; texts are expressions there."""
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if value is None:
        return '"None"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -2 ** 63 <= value < 2 ** 63:
            raise Unsupported(f"{name} is {value}, which has more than 64 bits")
        return str(int(value))
    if isinstance(value, float):
        return real(value)
    if hasattr(value, "__index__"):  # of NumPy
        return constant(int(value), name)
    if isinstance(value, str):
        return quoted("'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'")
    if isinstance(value, (tuple, list)):
        return quoted("[" + ", ".join(element(one, name) for one in value) + "]")
    return quoted(dtype_text(value, name))


def real(value):
    text = repr(value)
    return text if any(mark in text for mark in ".einf") else text + ".0"


def element(value, name):
    """An element of a list, as an expression."""
    text = constant(value, name)
    return {"true": "True", "false": "False"}.get(text, text[1:-1] if text[0] == '"' else text)


def dtype_text(value, name):
    """`tl.float16` for a type of Triton or PyTorch."""
    kind = type(value)
    if kind.__name__ == "dtype":
        if kind.__module__.startswith("triton"):
            short = str(value)
            return "tl." + {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32",
                            "fp64": "float64", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5"
                            }.get(short, short)
        if kind.__module__.startswith("torch"):
            return "tl." + str(value).replace("torch.", "").replace("bool", "int1")
    raise Unsupported(f"{name} is of type {kind.__name__}, which a job cannot hold")


def tensor_type(tensor, name):
    text = str(tensor.dtype).replace("torch.", "")
    text = TYPES.get(text, text)
    if text not in TYPES.values():
        raise Unsupported(f"{name} has elements of type {text}")
    return text


# ---- contents


def is_capturing():
    torch = sys.modules.get("torch")
    try:
        return torch is not None and torch.cuda.is_available() \
            and torch.cuda.is_current_stream_capturing()
    except Exception:
        return False

written_bytes = 0


def contents_of(tensor, kind, name):
    """The path of a file with the tensor's memory, in the folder; None where it is too large."""
    global written_bytes
    import ctypes
    import torch
    if is_capturing():
        note(f"the contents of {name} were not saved: a CUDA graph was being captured")
        return None
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride()))
    size = tensor.element_size() * count
    if size > CONTENTS_BYTES or written_bytes + size > ALL_CONTENTS_BYTES:
        note(f"the contents of {name} were not saved: they are {size} bytes")
        return None
    with torch.no_grad():  # as it lies in memory, gaps included
        flat = torch.as_strided(tensor.detach(), (count,), (1,)).cpu()
    data = ctypes.string_at(flat.data_ptr(), size)
    code = {"bool": "|b1", "int8": "|i1", "uint8": "|u1"}.get(
        kind, f"<{kind[0]}{tensor.element_size()}")
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data
    path = f"contents/{digest(data)}.npy"
    if write(os.path.join(FOLDER, path), data):
        written_bytes += size
    return path


# ---- sources


def source_files(function):
    """{path in the copy: bytes}: the kernel's file, then those that it takes helpers from."""
    files, waiting, seen = {}, [function], set()
    while waiting and len(files) < 64:
        one = waiting.pop(0)
        inner = getattr(one, "fn", one)
        code = getattr(inner, "__code__", None)
        if code is None or id(inner) in seen:
            continue
        seen.add(id(inner))
        path, module = code.co_filename, getattr(inner, "__module__", "") or ""
        place = place_of(path, module)
        if place not in files:
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    files[place] = file.read()
            else:  # typed in, or made by exec
                files[place] = source_text(one).encode("utf-8", "replace")
        waiting += helpers_of(inner)
    return files


def place_of(path, module):
    """a/b/c.py for the module a.b.c, so that its imports lead to the copies."""
    name = os.path.basename(path)
    name = name if name.endswith(".py") else "kernel.py"
    parents = module.split(".")
    last = "__init__.py" if name == "__init__.py" else parents[-1] + ".py"
    if last != name or not all(part.isidentifier() for part in parents):
        return name  # a script, or loaded under another name
    return "/".join(parents + [name] if name == "__init__.py" else parents[:-1] + [name])


def source_text(function):
    text = getattr(function, "raw_src", None) or getattr(function, "src", "")
    text = "".join(text) if isinstance(text, list) else text
    head = "import triton\nimport triton.language as tl\n\n\n"
    return head + (text if text.lstrip().startswith("@") else "@triton.jit\n" + text)


def helpers_of(inner):
    """Functions of other files that this one names."""
    found, names = [], set(inner.__code__.co_names)
    for name in names:
        value = inner.__globals__.get(name)
        if type(value).__name__ == "module":
            if not is_installed(value.__name__):
                found += [getattr(value, other) for other in names if hasattr(value, other)]
        elif value is not None:
            found.append(value)
    for cell in inner.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            pass
    return [one for one in found
            if hasattr(getattr(one, "fn", one), "__code__")
            and not is_installed(getattr(getattr(one, "fn", one), "__module__", "") or "")]


def is_installed(module):
    """Of Triton and PyTorch, which heddle knows."""
    return module.split(".")[0] in ("triton", "torch", "builtins", "math")


def global_values(function, text):
    """What the kernel takes from around it and its file does not spell out: numbers, texts."""
    import ast
    spelled = set()
    try:
        for statement in ast.parse(text).body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                value = statement.value
                if isinstance(value, ast.Call) and len(value.args) == 1 \
                        and ast.unparse(value.func).endswith("constexpr"):
                    value = value.args[0]
                value = value.operand if isinstance(value, ast.UnaryOp) else value
                if isinstance(value, ast.Constant):
                    targets = getattr(statement, "targets", None) or [statement.target]
                    spelled |= {one.id for one in targets if isinstance(one, ast.Name)}
    except (SyntaxError, ValueError, RecursionError):
        pass
    inner = function.fn
    around = {name: inner.__globals__[name] for name in inner.__code__.co_names
              if name in inner.__globals__ and name not in spelled}
    for name, cell in zip(inner.__code__.co_freevars, inner.__closure__ or ()):
        try:
            around[name] = cell.cell_contents
        except ValueError:
            pass
    return {name: value for name, value in around.items()
            if isinstance(value, (bool, int, float, str)) or type(value).__name__ == "constexpr"
            or type(value).__name__ == "dtype"}


# ---- jobs


class Job:
    """One signature of one kernel."""

    def __init__(self, name):
        self.name = name
        self.path = None
        self.head = ""  # of the text; what changes comes after it
        self.facts = {}
        self.times, self.pending = [], []
        self.entry = None

    def text(self):
        lines = ["[captured]"]
        if self.entry is not None:
            lines.append(f"launches = {self.entry[0]}")
        if self.times:
            ordered = sorted(self.times)
            middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
            lines.append(f"time_us = {middle:.3f}")
        lines += [f"{key} = {value}" for key, value in self.facts.items()]
        return (self.head + "\n".join(lines) + "\n").encode("utf-8", "replace")

    def settle(self):
        """Takes the times that are there, without waiting."""
        left = []
        for start, stop in self.pending:
            try:
                if stop.query():
                    self.times.append(start.elapsed_time(stop) * 1000)
                else:
                    left.append((start, stop))
            except Exception:  # the device has failed: the program will hear of it
                pass
        self.pending = left

    def save(self):
        self.settle()
        if self.path:
            replace(self.path, self.text())


known = {}  # signature -> its Job


class Description:
    """The tables of a job while its arguments are looked at."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.tensors, self.scalars, self.constants = [], [], []
        self.signature = []

    def add(self, name, value, is_constexpr):
        if is_constexpr:
            self.constants.append(f"{name} = {constant(value, name)}")
        elif is_tensor(value):
            self.add_tensor(name, value)
        elif is_descriptor(value):
            self.add_tensor(name, value.base, value)
        elif isinstance(value, (tuple, list)):
            self.add_list(name, value)
        else:
            text = constant(value, name)
            self.scalars.append(f"{name} = {text}")
            self.signature.append((name, "float" if isinstance(value, float) else text))
            return
        if is_constexpr:
            self.signature.append(self.constants[-1])

    def add_list(self, name, values):
        parts = []
        for index, value in enumerate(values):
            if is_tensor(value):
                self.add_tensor(f"{name}_{index}", value, parameter=False)
                parts.append(f"{name}_{index}")
            else:
                parts.append(element(value, name))
        self.scalars.append(f"{name} = {quoted('[' + ', '.join(parts) + ']')}")
        self.signature.append(self.scalars[-1])

    def add_tensor(self, name, tensor, descriptor=None, parameter=True):
        kind = tensor_type(tensor, name)
        base = getattr(tensor, "base", tensor)  # of triton.reinterpret
        base = base if is_tensor(base) else tensor
        shape, strides = [int(n) for n in base.shape], [int(n) for n in base.stride()]
        if descriptor is not None:
            shape = [int(n) for n in descriptor.shape]
            strides = [int(n) for n in descriptor.strides]
        lines = [f"[tensors.{name}]", f'dtype = "{kind}"', f"shape = {shape}"]
        if strides != row_major(shape):
            lines.append(f"strides = {strides}")
        lines.append(f"address = {hex(tensor.data_ptr())}")
        if descriptor is not None:
            lines.append(f"block = {[int(n) for n in descriptor.block_shape]}")
        if not parameter:
            lines.append("parameter = false")
        if kind in INTEGERS and base is tensor and descriptor is None and 0 not in shape:
            path = contents_of(tensor, kind, f"{name} of {self.kernel}")
            if path:
                lines.append(f"contents = \"file('{path}')\"")
        self.tensors.append("\n".join(lines))
        self.signature.append((name, kind, shape, strides, tensor.data_ptr() % 16,
                               descriptor and list(descriptor.block_shape)))


def row_major(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return strides


def job_of(name, files, described, grid, launch, facts):
    """The job, written unless its signature is known already."""
    grid = [int(extent) for extent in grid]
    while len(grid) > 1 and grid[-1] == 1:
        grid.pop()
    folder = "sources/" + digest(*(part for item in sorted(files.items()) for part in item))
    for place, data in files.items():
        write(os.path.join(FOLDER, folder, *place.split("/")), data)
    signature = digest(folder, name, grid, described.signature,
                       [item for item in launch.items() if item[0] in ("warps", "stages")])
    if signature in known:
        return known[signature]
    job = known[signature] = Job(name)
    parts = [f"# Captured by heddle. Signature {signature}.\n"
             f"kernel = {quoted(folder + '/' + next(iter(files)))}\n"
             f"function = {quoted(name)}\ngrid = {grid}\n"]
    parts += [text + "\n" for text in described.tensors]
    for table, lines in (("scalars", described.scalars), ("constexprs", described.constants),
                         ("launch", [f"{key} = {value}" for key, value in launch.items()])):
        if lines:
            parts.append(f"[{table}]\n" + "\n".join(lines) + "\n")
    job.head = "\n".join(parts) + "\n"
    job.facts = facts
    for number in range(1, 100_000):
        path = os.path.join(FOLDER, f"{name}.toml" if number == 1 else f"{name}-{number}.toml")
        if write(path, job.text()):
            job.path = path
            break
        with open(path, "rb") as file:  # of another process, perhaps
            if f"Signature {signature}." in file.readline().decode("utf-8", "replace"):
                break
    return job


def launch_values(warps, stages, registers, shared):
    found = {"warps": warps, "stages": stages, "registers": registers, "shared_bytes": shared}
    return {key: value for key, value in found.items()
            if isinstance(value, int) and not isinstance(value, bool)
            and value >= (0 if key == "shared_bytes" else 1)}


def facts_of(spills, source):
    facts = {}
    if isinstance(spills, int) and spills >= 0:
        facts["spills"] = spills
    try:
        import torch
        import triton
        facts["triton"] = quoted(triton.__version__)
        facts["gpu"] = quoted(torch.cuda.get_device_name())
    except Exception:
        pass
    facts["source"] = quoted(source)
    return facts
