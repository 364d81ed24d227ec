"""Layer normalisation of rows longer than a block: three passes over each row."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    rstd_ptr,
    columns,
    eps,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    x_ptr += row * columns
    y_ptr += row * columns

    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total) / columns

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
        centred = tl.where(column < columns, x - mean, 0.0)
        squares += centred * centred
    rstd = tl.rsqrt(tl.sum(squares) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < columns
        x = tl.load(x_ptr + column, mask=inside, other=0.0, eviction_policy="evict_first")
        y = (x.to(tl.float32) - mean) * rstd
        y *= tl.load(weight_ptr + column, mask=inside)
        if bias_ptr is not None:
            y += tl.load(bias_ptr + column, mask=inside)
        tl.store(y_ptr + column, y.to(tl.float16), mask=inside)
