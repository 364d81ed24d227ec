"""Scores of heads that share their values in groups, found by a table of pages."""
import triton
import triton.language as tl


@triton.jit
def shared_heads(x_ptr, value_ptr, page_ptr, out_ptr, page_stride, groups, HEADS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    head = tl.program_id(1)
    heads_of_group = HEADS // groups
    group = head // heads_of_group
    column = tl.arange(0, BLOCK)
    page = tl.load(page_ptr + row * page_stride)
    x = tl.load(x_ptr + (row * HEADS + head) * BLOCK + column)
    value = tl.load(value_ptr + (page * groups + group) * BLOCK + column)
    tl.store(out_ptr + row * HEADS + head, tl.sum(x * value, 0))
