"""libheddle, loaded by ctypes."""
import ctypes
import glob
import json
import os

ABI = 1
NAME = f"libheddle.so.{ABI}"


class Error(Exception):
    """What heddle could not do: its message, what to try, and the exit code of the program."""

    def __init__(self, message, hint=None, exit_code=2, file=None, line=None):
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(place + message + (f"\n  try: {hint}" if hint else ""))
        self.message, self.hint, self.exit_code, self.file, self.line = message, hint, exit_code, file, line


def candidates():
    """Where the library may be: as told, where this file was installed with it, where the system looks."""
    if os.environ.get("HEDDLE_LIBRARY"):
        yield os.environ["HEDDLE_LIBRARY"]
        return
    here = os.path.dirname(os.path.abspath(__file__))
    prefix = os.path.normpath(os.path.join(here, "..", "..", ".."))  # lib, of lib/python3/dist-packages/heddle
    yield os.path.join(prefix, NAME)
    yield from sorted(glob.glob(os.path.join(prefix, "*-linux-gnu", NAME)))
    yield NAME


def load():
    problems = []
    for path in candidates():
        if os.path.dirname(path) and not os.path.exists(path):
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            problems.append(str(error))
    raise Error("libheddle cannot be loaded" + "".join(f"\n  {problem}" for problem in problems),
                f"install heddle, or name {NAME} in HEDDLE_LIBRARY", 4)


def declare(library):
    words = ctypes.POINTER(ctypes.c_char_p)
    for name, texts in (("check", 1), ("check_kernel", 1), ("trace", 1), ("simulate", 2), ("optimize", 2),
                        ("audit_patch", 2), ("audit_log", 1)):
        function = getattr(library, f"heddle_{name}")
        function.argtypes = [ctypes.c_char_p] * texts + [words]
        function.restype = ctypes.c_void_p
    for name in ("json", "messages"):
        function = getattr(library, f"heddle_{name}")
        function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_char_p
    library.heddle_exit_code_of.argtypes, library.heddle_exit_code_of.restype = [ctypes.c_void_p], ctypes.c_int
    library.heddle_free.argtypes, library.heddle_free.restype = [ctypes.c_void_p], None
    library.heddle_version.restype = ctypes.c_char_p
    library.heddle_abi_version.restype = ctypes.c_int
    if library.heddle_abi_version() != ABI:
        raise Error(f"libheddle has ABI {library.heddle_abi_version()}, and {ABI} is needed",
                    "install the Python files that came with it", 4)
    return library


_loaded = None


def library():
    global _loaded
    if _loaded is None:
        _loaded = declare(load())
    return _loaded


def version():
    return library().heddle_version().decode()


def words_of(flags):
    """Keywords as flags: rule 1."""
    words = []
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-") if len(name) > 1 else "-" + name
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        if isinstance(value, dict):
            value = [f"{key}={one}" for key, one in value.items()]
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [flag, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
    return words


def call(name, *texts, flags=()):
    """The exit code, the document and the messages of a function of libheddle."""
    api = library()
    encoded = [os.fsencode(word) for word in flags]
    array = (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None)
    result = getattr(api, f"heddle_{name}")(*(os.fsencode(text) for text in texts), array)
    try:
        code = api.heddle_exit_code_of(result)
        text = api.heddle_json(result).decode("utf-8", "replace")
        messages = api.heddle_messages(result).decode("utf-8", "replace")
    finally:
        api.heddle_free(result)
    data = json.loads(text) if text.strip() else {}
    if "error" in data:
        error = data["error"]
        raise Error(error["message"], error["hint"], code, error["file"], error["line"])
    return code, data, messages
