"""The loss of a language model: a log-sum-exp over the vocabulary, less the logit of the label."""
import triton
import triton.language as tl


@triton.jit
def softmax_cross_entropy_kernel(
    logits_ptr, labels_ptr, loss_ptr, lse_ptr, vocabulary, BLOCK: tl.constexpr,
):
    token = tl.program_id(0)
    row = logits_ptr + token.to(tl.int64) * vocabulary
    highest = -1.0e30
    total = 0.0
    for start in range(0, vocabulary, BLOCK):
        column = start + tl.arange(0, BLOCK)
        x = tl.load(row + column, mask=column < vocabulary, other=-1.0e30).to(tl.float32)
        new_highest = tl.maximum(highest, tl.max(x, axis=0))
        total = total * tl.exp(highest - new_highest) + tl.sum(tl.exp(x - new_highest), axis=0)
        highest = new_highest
    lse = highest + tl.log(total)
    label = tl.load(labels_ptr + token)
    picked = tl.load(row + label).to(tl.float32)
    tl.store(loss_ptr + token, lse - picked)
    tl.store(lse_ptr + token, lse)
