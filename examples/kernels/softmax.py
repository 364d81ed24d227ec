"""Softmax along rows; a whole row fits into one block's registers."""
import triton
import triton.language as tl


@triton.heuristics(
    values={
        "BLOCK": lambda args: triton.next_power_of_2(args["columns"]),
        "num_warps": lambda args: 16 if args["columns"] > 8192 else 4,
    }
)
@triton.jit
def softmax_kernel(input_ptr, output_ptr, columns, stride_row, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(input_ptr + row * stride_row + column, mask=inside, other=-float("inf"))
    x = x.to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    result = weights / tl.sum(weights, axis=0)
    tl.store(output_ptr + row * stride_row + column, result.to(tl.float16), mask=inside)
