"""Softmax over rows; a few programs walk all rows with the grid as the stride."""
import triton
import triton.language as tl


@triton.jit
def softmax_rows(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                 BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        source = input_ptr + row_idx * input_row_stride
        cols = tl.arange(0, BLOCK_SIZE)
        row = tl.load(source + cols, mask=cols < n_cols, other=-float("inf"))
        e = tl.exp(row - tl.max(row, axis=0))
        tl.store(output_ptr + row_idx * output_row_stride + cols, e / tl.sum(e, axis=0),
                 mask=cols < n_cols)
