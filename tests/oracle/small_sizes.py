"""Sizes at which the examples are compared element by element, with the oracle and with Triton.

Small, ragged where the kernel allows it, and valid for a real launch (a dot product needs 16).
"""
SMALL_SIZES = [
    ("attention_causal", "BATCH=2 heads=2 sequence=72 SIZE=16 BLOCK_QUERIES=32 BLOCK_KEYS=16"),
    ("attention_fwd", "sequence=64 HEADS=2 SIZE=32"),
    ("attention_gqa", "HEADS=4 GROUP=2 sequence=72 SIZE=32 BLOCK_QUERIES=32 BLOCK_KEYS=16"),
    ("attention_heads", "HEADS=3 sequence=72 SIZE=32 BLOCK_QUERIES=32 BLOCK_KEYS=16"),
    ("copy", "elements=5000 BLOCK=512"),
    ("fused_elementwise", "ROWS=5 columns=100 BLOCK=128"),
    ("gemm", "M=40 N=50 K=48 BLOCK_M=16 BLOCK_N=32 BLOCK_K=16"),
    ("gemm", "M=40 N=50 K=40 BLOCK_M=16 BLOCK_N=32 BLOCK_K=16"),
    ("gemm_9216", "M=96 N=64 K=32 PART=16 BLOCK_N=32 BLOCK_K=16"),
    ("gemm_grouped", "M=200 N=300 K=72"),
    ("gemm_grouped", "M=72 N=70 K=40 BLOCK_M=16 BLOCK_N=32 BLOCK_K=16 GROUP_M=2"),
    ("gemm_wide", "M=40 N=72 K=40 BLOCK_M=16 BLOCK_N=32 BLOCK_K=16"),
    ("histogram", "elements=1000 bins=37 BLOCKS=3 BLOCK=128"),
    ("in_place", "rows=40 columns=50 BLOCK=16"),
    ("ising", "rows=40 columns=64 BLOCK=16"),
    ("layer_norm", "ROWS=3 columns=300 BLOCK=128"),
    ("softmax", "ROWS=3 columns=200"),
    ("spmv", "ROWS=9 COLUMNS=300 DENSITY=0.5 BLOCK=32"),
    ("spmv", "ROWS=40 COLUMNS=50 DENSITY=0.02 BLOCK=16"),
    ("stencil_2d", "rows=70 columns=50"),
    ("stencil_3d", "size_z=6 size_y=12 size_x=40 BLOCK_Z=2 BLOCK_Y=4 BLOCK_X=16"),
    ("transpose", "rows=70 columns=40 BLOCK=16"),
]


def cases():
    """(name of the example, settings as a dictionary of texts)"""
    for name, settings in SMALL_SIZES:
        yield name, dict(setting.split("=") for setting in settings.split())
