"""The score of every pair of letters of two sequences: bytes in, a matrix of int32 out."""
import triton
import triton.language as tl


@triton.jit
def letter_scores_kernel(
    first_ptr, second_ptr, score_ptr, rows, columns, pitch, same, other, BLOCK: tl.constexpr,
):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    first = tl.load(first_ptr + row, mask=row < rows, other=0)
    second = tl.load(second_ptr + column, mask=column < columns, other=0)
    score = tl.where(first == second, same, other)
    tl.store(score_ptr + row * pitch + column, score, mask=(row < rows) & (column < columns))
