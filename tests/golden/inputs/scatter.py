"""Where a block writes is data."""
import triton
import triton.language as tl


@triton.jit
def scatter_kernel(index_ptr, out_ptr):
    row = tl.program_id(0)
    tl.store(out_ptr + tl.load(index_ptr + row), row)
