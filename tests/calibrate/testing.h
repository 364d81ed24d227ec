// Small workloads and a small GPU for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "calibrate/workload.h"
#include "config/gpu_testing.h"
#include "pipeline.h"

namespace heddle::calibrate {

inline std::string example(const std::string& name) {
  return std::string(HEDDLE_TESTS_DIR) + "/../examples/" + name + ".toml";
}

inline MeasuredPoint point(const std::string& order, std::optional<double> l2_hit_pct,
                           std::optional<double> speedup = {}) {
  MeasuredPoint result;
  result.table = "t.csv";
  result.line = 7;
  result.order = order;
  result.l2_hit_pct = l2_hit_pct;
  result.speedup = speedup;
  return result;
}

inline Workload workload(const std::string& name, const std::vector<std::string>& overrides,
                         const std::vector<MeasuredPoint>& points) {
  LoadedKernel loaded = load_kernel(example(name), overrides);
  return {PointGroup{example(name), overrides, "test", points}, std::move(loaded)};
}

/// With an L2 of 128 KiB: small kernels do not fit.
inline config::Gpu small_gpu(const testing::GpuChanges& changes = {}) {
  return testing::gpu_of(testing::gpu_file(changes));
}

}  // namespace heddle::calibrate
