// What a search is about: one launch of a kernel, and the GPU that runs it.
//
//   Subject subject = subject_of("gemm.toml", loaded, gpu, "mi300x", Clock::now());
//   subject.space        64 x 64: the axes that orders are of
//   subject.extents      numbers that the kernel may split its ids by
//   subject.gpu_facts    name, dies, caches, and a hash of the GPU file
//
// Rules
//   1. Trailing axes of one block that the kernel does not use are not axes of its orders.
//   2. A Subject never changes, and outlives every step of its search: they keep references.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "kernel/source.h"
#include "order/space.h"
#include "results/optimization.h"
#include "search/pace.h"

namespace heddle::search {

struct Subject {
  std::string job_path;
  kernel::LoadedKernel kernel;
  config::Gpu gpu;
  GpuFacts gpu_facts;
  order::Space space;
  std::vector<std::int64_t> extents;
  Clock::time_point since;  ///< when the budget began
};

/// `gpu_name` is what the user called the GPU.
Subject subject_of(const std::string& job_path, kernel::LoadedKernel kernel, config::Gpu gpu,
                   const std::string& gpu_name, Clock::time_point since);

}  // namespace heddle::search
