"""One step of Adam: four arrays are read, three of them written in place."""
import triton
import triton.language as tl


@triton.jit
def adam_step_kernel(
    weight_ptr, gradient_ptr, mean_ptr, square_ptr, count, rate, beta1, beta2, eps, BLOCK: tl.constexpr,
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    gradient = tl.load(gradient_ptr + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.load(mean_ptr + at, mask=inside, other=0.0)
    square = tl.load(square_ptr + at, mask=inside, other=0.0)
    mean = beta1 * mean + (1.0 - beta1) * gradient
    square = beta2 * square + (1.0 - beta2) * gradient * gradient
    weight = tl.load(weight_ptr + at, mask=inside, other=0.0)
    weight -= rate * mean / (tl.sqrt(tl.abs(square)) + eps)
    tl.store(weight_ptr + at, weight, mask=inside)
    tl.store(mean_ptr + at, mean, mask=inside)
    tl.store(square_ptr + at, square, mask=inside)
