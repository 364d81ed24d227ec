// What a search is about: one launch of a kernel, and the GPU that runs it.
//
//   Subject subject = subject_of("gemm.toml", loaded, gpu, "mi300x", Clock::now());
//   subject.space        the axes that orders are of: 64 x 64 blocks, or tiles of a line of blocks
//   subject.extents      numbers that the kernel may split its ids by
//   subject.gpu_facts    name, dies, caches, and a hash of the GPU file
//
// Rules
//   1. Orders are of the tile space that the kernel unpacks (tiles/launch.h), where it does; else of
//      the launch grid. Trailing axes of one block that the kernel does not use are not axes of its orders.
//   2. A Subject never changes, and outlives every step of its search: they keep references.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "kernel/source.h"
#include "order/space.h"
#include "results/optimization.h"
#include "search/pace.h"
#include "support/grid.h"
#include "tiles/launch.h"
#include "tiles/settings.h"

namespace heddle::search {

struct Subject {
  std::string job_path;
  std::shared_ptr<const kernel::LoadedKernel> loaded;
  tiles::TileLaunch launch;
  config::Gpu gpu;
  GpuFacts gpu_facts;
  order::Space space;
  std::vector<tiles::KnobSetting> settings;  ///< orders that the kernel has with other knobs
  Grid grid{{1}};                            ///< the space's tiles as a grid, columns first
  std::vector<std::int64_t> extents;
  Clock::time_point since;  ///< when the budget began

  const kernel::LoadedKernel& kernel() const { return *loaded; }
  /// What blocks run without a change: the tile of each turn.
  order::Map own_map() const;
};

/// `gpu_name` is what the user called the GPU.
Subject subject_of(const std::string& job_path, tiles::TileLaunch launch,
                   std::shared_ptr<const kernel::LoadedKernel> kernel, config::Gpu gpu,
                   const std::string& gpu_name, Clock::time_point since);

}  // namespace heddle::search
