"""Linear attention, last pass: a chunk attends to itself and to the state before it."""
import triton
import triton.language as tl


@triton.jit
def linear_attention_output_kernel(
    q_ptr, k_ptr, v_ptr, state_ptr, out_ptr, chunks, value_size,
    CHUNK: tl.constexpr, BLOCK_VALUES: tl.constexpr, SIZE: tl.constexpr,
):
    value_tile = tl.program_id(0)
    chunk = tl.program_id(1)
    head = tl.program_id(2)
    token = tl.arange(0, CHUNK)
    part = tl.arange(0, SIZE)
    value = value_tile * BLOCK_VALUES + tl.arange(0, BLOCK_VALUES)
    row = (head * chunks + chunk) * CHUNK + token
    inside = value[None, :] < value_size

    q = tl.load(q_ptr + row[:, None] * SIZE + part[None, :])
    k = tl.load(k_ptr + row[None, :] * SIZE + part[:, None])
    v = tl.load(v_ptr + row[:, None] * value_size + value[None, :], mask=inside, other=0.0)
    state_rows = (head * chunks + chunk) * SIZE + part
    state = tl.load(state_ptr + state_rows[:, None] * value_size + value[None, :], mask=inside, other=0.0)

    scores = tl.dot(q, k)
    scores = tl.where(token[:, None] >= token[None, :], scores, 0.0)
    out = tl.dot(q, state)
    out = tl.dot(scores.to(v.dtype), v, out)
    tl.store(out_ptr + row[:, None] * value_size + value[None, :], out.to(tl.bfloat16), mask=inside)
