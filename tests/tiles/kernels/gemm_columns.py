"""Linear layer with bias; the tile walks down the columns of the output. Names are reused in place."""
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, bias_ptr, y_ptr, tokens, features, inner,
                  BLOCK_T: tl.constexpr, BLOCK_F: tl.constexpr, BLOCK_I: tl.constexpr):
    pid = tl.program_id(axis=0)
    t_blocks = tl.cdiv(tokens, BLOCK_T)
    t = pid % t_blocks
    f = pid // t_blocks
    t_start = t * BLOCK_T
    f_start = f * BLOCK_F

    t = t_start + tl.arange(0, BLOCK_T)
    f = f_start + tl.arange(0, BLOCK_F)
    i = tl.arange(0, BLOCK_I)
    x = x_ptr + t[:, None] * inner + i[None, :]
    w = w_ptr + f[None, :] * inner + i[:, None]
    acc = tl.zeros((BLOCK_T, BLOCK_F), dtype=tl.float32)
    for _ in range(0, tl.cdiv(inner, BLOCK_I)):
        acc = tl.dot(tl.load(x, mask=t[:, None] < tokens, other=0.0),
                     tl.load(w, mask=f[None, :] < features, other=0.0), acc)
        x += BLOCK_I
        w += BLOCK_I
    acc += tl.load(bias_ptr + f, mask=f < features, other=0.0)[None, :]
    tl.store(y_ptr + t[:, None] * features + f[None, :], acc,
             mask=(t[:, None] < tokens) & (f[None, :] < features))
