"""A sparse matrix with as many non-zeros in each row, times a dense one; a tile is rows x columns of the result."""
import triton
import triton.language as tl


@triton.jit
def spmm_kernel(
    columns_ptr, values_ptr, dense_ptr, out_ptr, rows, features,
    NONZEROS: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_FEATURES: tl.constexpr,
):
    feature_tile = tl.program_id(0)
    row_tile = tl.program_id(1)
    row = row_tile * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    feature = feature_tile * BLOCK_FEATURES + tl.arange(0, BLOCK_FEATURES)
    live = row < rows
    total = tl.zeros((BLOCK_ROWS, BLOCK_FEATURES), dtype=tl.float32)
    for entry in range(NONZEROS):
        column = tl.load(columns_ptr + row * NONZEROS + entry, mask=live, other=0)
        value = tl.load(values_ptr + row * NONZEROS + entry, mask=live, other=0.0).to(tl.float32)
        x = tl.load(dense_ptr + column[:, None] * features + feature[None, :],
                    mask=live[:, None] & (feature[None, :] < features), other=0.0)
        total += value[:, None] * x.to(tl.float32)
    tl.store(out_ptr + row[:, None] * features + feature[None, :], total.to(tl.float16),
             mask=live[:, None] & (feature[None, :] < features))
