"""A first-order recursive filter along time, y[t] = a y[t - 1] + (1 - a) x[t], for each channel of each clip."""
import triton
import triton.language as tl


@triton.jit
def iir_channels_kernel(x_ptr, a_ptr, y_ptr, steps, channels, BLOCK: tl.constexpr):
    clip = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = c < channels
    a = tl.load(a_ptr + c, mask=live, other=0.0)
    state = tl.zeros((BLOCK,), dtype=tl.float32)
    at = clip * steps * channels + c
    for t in range(steps):
        x = tl.load(x_ptr + at, mask=live, other=0.0).to(tl.float32)
        state = a * state + (1.0 - a) * x
        tl.store(y_ptr + at, state.to(tl.float16), mask=live)
        at += channels
