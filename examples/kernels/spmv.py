"""y = A x with A in compressed sparse rows: one row a block, its non-zeros in steps of BLOCK."""
import triton
import triton.language as tl


@triton.jit
def spmv_kernel(
    row_offsets_ptr,
    columns_ptr,
    values_ptr,
    x_ptr,
    y_ptr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    first = tl.load(row_offsets_ptr + row)
    last = tl.load(row_offsets_ptr + row + 1)

    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(first, last, BLOCK):
        entry = start + tl.arange(0, BLOCK)
        present = entry < last
        column = tl.load(columns_ptr + entry, mask=present, other=0)
        value = tl.load(values_ptr + entry, mask=present, other=0.0)
        x = tl.load(x_ptr + column, mask=present, other=0.0)
        total += value.to(tl.float32) * x.to(tl.float32)

    tl.store(y_ptr + row, tl.sum(total, axis=0))
