class CompiledKernel:
    def __getitem__(self, grid):
        return lambda *args, stream=None: self.launched.append((grid, args))
