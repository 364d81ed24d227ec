"""As much of Triton as the recorder changes: kernels are compiled by a dictionary, and launch nothing."""
from . import language, runtime  # noqa: F401
from .runtime.autotuner import Config, autotune  # noqa: F401
from .runtime.jit import JITFunction, jit  # noqa: F401

__version__ = "3.6.0"
