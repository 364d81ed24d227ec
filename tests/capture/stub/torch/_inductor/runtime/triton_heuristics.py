"""The class that launches torch.compile's kernels."""
import types


class CachingAutotuner:
    def __init__(self, fn, triton_meta, filename, config):
        self.fn, self.triton_meta, self.filename = fn, triton_meta, filename
        self.config, self.launchers, self.launched = config, [], []

    def run(self, *args, stream, benchmark_run=False, **kwargs):
        if not self.launchers:
            scope = {"runner": lambda *values: self.launched.append(values)}
            exec("def launcher(in_ptr0, out_ptr0, xnumel, stream):\n"
                 "    grid_0 = -(xnumel // -1024)\n    grid_1 = 1\n    grid_2 = 1\n"
                 "    runner(grid_0, grid_1, grid_2, stream, in_ptr0, out_ptr0, xnumel)\n", scope)
            launcher = scope["launcher"]
            launcher.config = types.SimpleNamespace(kwargs=self.config, num_warps=8, num_stages=1)
            launcher.n_regs, launcher.n_spills, launcher.shared = 20, 0, 0
            self.launchers = [launcher]
        (launcher,) = self.launchers
        return launcher(*args, **kwargs, stream=stream)
