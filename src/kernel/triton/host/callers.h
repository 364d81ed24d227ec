// Tests, benchmarks and scripts beside a kernel: code that makes tensors of real sizes and leads to a
// launch.
//
//   @pytest.mark.parametrize("M, N", [(64, 128), (1024, 4096)])
//   def test_matmul(M, N): a = torch.randn((M, 512), ...); matmul(a, b)
//
//   @triton.testing.perf_report(triton.testing.Benchmark(x_names=["M"], x_vals=[1024, 2048], ...))
//   def benchmark(M, provider): ...
//
// Rules
//   1. Benchmarks come first, then tests, functions that take nothing, and what stands outside
//      functions.
//   2. Of several values the one in the middle counts; of providers the one with "triton" in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/launch_sites.h"

namespace heddle::kernel::triton::host {

struct Caller {
  HostFunction function;
  std::map<std::string, Value> parameters;  ///< what its decorators give them, no lists
  std::map<std::string, int> lines;         ///< where
};

/// Of the file itself; at most a few.
std::vector<Caller> find_callers(TritonSource& source, const Module& module, const Node& kernel,
                                 Effort& effort);

}  // namespace heddle::kernel::triton::host
