"""Sums of embeddings over bags of ids: a block does one bag for a slice of the features."""
import triton
import triton.language as tl


@triton.jit
def embedding_bag_kernel(table_ptr, ids_ptr, out_ptr, features, BAG: tl.constexpr, BLOCK: tl.constexpr):
    bag = tl.program_id(1)
    f = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = f < features
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(BAG):
        row = tl.load(ids_ptr + bag * BAG + i)
        total += tl.load(table_ptr + row * features + f, mask=live, other=0.0).to(tl.float32)
    tl.store(out_ptr + bag * features + f, total, mask=live)
