"""Linear attention, first pass: the state K^T V of every chunk of tokens, in tiles of keys x values."""
import triton
import triton.language as tl


@triton.jit
def linear_attention_chunk_kernel(
    k_ptr, v_ptr, state_ptr, sequence, chunk, key_size, value_size,
    BLOCK_KEYS: tl.constexpr, BLOCK_VALUES: tl.constexpr, BLOCK_TOKENS: tl.constexpr,
):
    value_tile = tl.program_id(0)
    key_tile = tl.program_id(1)
    chunks = tl.cdiv(sequence, chunk)
    head = tl.program_id(2) // chunks
    index = tl.program_id(2) % chunks
    key = key_tile * BLOCK_KEYS + tl.arange(0, BLOCK_KEYS)
    value = value_tile * BLOCK_VALUES + tl.arange(0, BLOCK_VALUES)

    state = tl.zeros((BLOCK_KEYS, BLOCK_VALUES), dtype=tl.float32)
    last = tl.minimum((index + 1) * chunk, sequence)
    for start in range(index * chunk, last, BLOCK_TOKENS):
        token = start + tl.arange(0, BLOCK_TOKENS)
        row = head * sequence + token
        k = tl.load(k_ptr + row[None, :] * key_size + key[:, None],
                    mask=(token[None, :] < last) & (key[:, None] < key_size), other=0.0)
        v = tl.load(v_ptr + row[:, None] * value_size + value[None, :],
                    mask=(token[:, None] < last) & (value[None, :] < value_size), other=0.0)
        state = tl.dot(k, v, state)

    out = ((head * chunks + index) * key_size + key[:, None]) * value_size + value[None, :]
    tl.store(state_ptr + out, state.to(tl.bfloat16), mask=(key[:, None] < key_size) & (value[None, :] < value_size))
