"""An embedding: out[t] = table[ids[t]], in tiles of tokens x features."""
import triton
import triton.language as tl


@triton.jit
def gather_rows_kernel(
    table_ptr, ids_ptr, out_ptr, tokens, features,
    BLOCK_TOKENS: tl.constexpr, BLOCK_FEATURES: tl.constexpr,
):
    feature_tile = tl.program_id(0)
    token_tile = tl.program_id(1)
    token = token_tile * BLOCK_TOKENS + tl.arange(0, BLOCK_TOKENS)
    feature = feature_tile * BLOCK_FEATURES + tl.arange(0, BLOCK_FEATURES)
    row = tl.load(ids_ptr + token, mask=token < tokens, other=0).to(tl.int64)
    inside = (token[:, None] < tokens) & (feature[None, :] < features)
    x = tl.load(table_ptr + row[:, None] * features + feature[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + token[:, None] * features + feature[None, :], x, mask=inside)
