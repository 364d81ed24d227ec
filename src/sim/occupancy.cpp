#include "sim/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"

namespace heddle::sim {
namespace {

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

Occupancy find_occupancy(const kernel::KernelProgram& program, const config::Launch& launch,
                         const config::Gpu& gpu) {
  const int waves = launch.waves(gpu.compute.wave_lanes);
  const std::int64_t threads = std::int64_t{waves} * gpu.compute.wave_lanes;
  const kernel::Needs needs = program.needs(launch, gpu);
  Occupancy occupancy;
  occupancy.estimated = needs.estimated;
  occupancy.shared_estimated = needs.shared_estimated;
  occupancy.spills = needs.spills;
  const std::int64_t granule = gpu.compute.register_granule;
  const std::int64_t registers = ceiling(needs.registers, granule) * granule;
  occupancy.registers = static_cast<int>(registers);
  occupancy.shared_bytes = needs.shared_bytes;
  if (waves > gpu.compute.waves)
    throw Error(fmt::format("a block of {} waves does not fit a compute unit of {}, which holds {}",
                            waves, gpu.name, gpu.compute.waves),
                "set fewer " + program.traits().block_unit);
  occupancy.does_not_fit = occupancy.shared_bytes > gpu.compute.shared_bytes;
  if (occupancy.does_not_fit && !needs.shared_estimated)
    throw Error(fmt::format("a block needs {} B of shared memory and a compute unit of {} has {} B",
                            occupancy.shared_bytes, gpu.name, gpu.compute.shared_bytes),
                "set a smaller shared_bytes, or use another GPU");
  const auto limit = [&](std::int64_t blocks, const char* what) {
    if (occupancy.limited_by.empty() || blocks < occupancy.blocks) {
      occupancy.blocks = static_cast<int>(blocks);
      occupancy.limited_by = what;
    }
  };
  limit(gpu.compute.waves / waves, "waves");
  limit(gpu.compute.blocks, "blocks");
  limit(gpu.compute.registers / std::max<std::int64_t>(1, registers * threads), "registers");
  if (occupancy.shared_bytes > 0)
    limit(gpu.compute.shared_bytes / occupancy.shared_bytes, "shared memory");
  occupancy.blocks = std::max(1, occupancy.blocks);
  return occupancy;
}

}  // namespace heddle::sim
