class TensorDescriptor:
    def __init__(self, base, shape, strides, block_shape):
        assert len(shape) == len(strides) == len(block_shape)
        self.base, self.block_shape = base, block_shape
