"""A causal depthwise convolution along tokens, as state space models have it; channels last."""
import triton
import triton.language as tl


@triton.jit
def conv1d_depthwise_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, tokens, channels,
    TAPS: tl.constexpr, BLOCK_TOKENS: tl.constexpr, BLOCK_CHANNELS: tl.constexpr,
):
    channel_tile = tl.program_id(0)
    token_tile = tl.program_id(1)
    sequence = tl.program_id(2)
    token = token_tile * BLOCK_TOKENS + tl.arange(0, BLOCK_TOKENS)
    channel = channel_tile * BLOCK_CHANNELS + tl.arange(0, BLOCK_CHANNELS)
    live = channel < channels
    base = sequence * tokens * channels

    total = tl.zeros((BLOCK_TOKENS, BLOCK_CHANNELS), dtype=tl.float32)
    total += tl.load(bias_ptr + channel, mask=live, other=0.0)[None, :]
    for tap in tl.static_range(TAPS):
        source = token + tap - (TAPS - 1)
        x = tl.load(x_ptr + base + source[:, None] * channels + channel[None, :],
                    mask=(source[:, None] >= 0) & (source[:, None] < tokens) & live[None, :], other=0.0)
        weight = tl.load(weight_ptr + channel * TAPS + tap, mask=live, other=0.0)
        total += x.to(tl.float32) * weight[None, :]

    result = total * tl.sigmoid(total)
    out_ptrs = out_ptr + base + token[:, None] * channels + channel[None, :]
    tl.store(out_ptrs, result.to(tl.bfloat16), mask=(token[:, None] < tokens) & live[None, :])
