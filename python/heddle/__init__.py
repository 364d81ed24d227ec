"""heddle from Python: libheddle's functions over ctypes, with no compiler and no package needed.

    import heddle
    heddle.check("xcd(8)", grid="256x256").verdict                       'PROVED'
    heddle.simulate("gemm.toml", gpu="mi300x")["time_us"]
    heddle.optimize(matmul_kernel, (a, b, c, M, N, K), gpu="mi300x", grid=(1024,), BLOCK_M=128)

Rules
  1. Keywords are the flags of the command line: all_sizes=True is --all-sizes, set=["M=1", "N=2"] is
     --set M=1 --set N=2, let={"M": 8192} is --let M=8192.
  2. A result is what `heddle VERB --json` prints, as `result.data`; result["verdict"] looks into it.
     REFUTED and UNKNOWN are results. What heddle cannot do raises heddle.Error.
  3. A kernel is a @triton.jit function with its arguments, or the path of a job or kernel file. Nothing
     of a kernel is run or compiled; tensors may be on any device.
  4. In a notebook a result shows itself as a page, without a script from elsewhere.
"""
from heddle._library import Error, version
from heddle._kernels import job_of
from heddle._results import Result, audit_log, audit_patch, check, optimize, simulate, trace

__all__ = ["Error", "Result", "audit_log", "audit_patch", "check", "job_of", "optimize", "simulate", "trace",
           "version"]
