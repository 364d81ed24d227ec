#include "config/launch_limits.h"

#include <fmt/format.h>

#include "support/error.h"
#include "support/text.h"

namespace heddle::config {
namespace {

constexpr std::int64_t kMostBlocksCuda = 65'535;  ///< along axes 1 and 2
constexpr int kMostThreads = 1024;

}  // namespace

std::string launch_refusal(const Launch& launch, const Target& target) {
  for (int axis = 1; axis < launch.grid.axes() && target.vendor == Vendor::nvidia; ++axis)
    if (launch.grid.extent(axis) > kMostBlocksCuda)
      return fmt::format("the grid has {} blocks along axis {}, and CUDA launches {} there at most",
                         with_separators(launch.grid.extent(axis)), axis,
                         with_separators(kMostBlocksCuda));
  const int threads =
      launch.thread_count() > 0 ? launch.thread_count() : launch.warps * target.wave_lanes;
  if (threads > kMostThreads)
    return fmt::format("a block has {} threads, and there are {} at most", with_separators(threads),
                       with_separators(kMostThreads));
  return {};
}

void check_limits(const Launch& launch, const Gpu& gpu, const std::string& job_path) {
  const std::string refusal = launch_refusal(launch, target_of(gpu));
  if (!refusal.empty())
    throw Error(fmt::format("{} cannot start this launch: {}", gpu.title, refusal),
                "give another grid, other block sizes or fewer warps")
        .in(job_path);
  if (launch.shared_bytes.value_or(0) > gpu.compute.shared_bytes)
    throw Error(
        fmt::format("a block takes {} B of shared memory, and a compute unit of {} has {} B",
                    with_separators(*launch.shared_bytes), gpu.title,
                    with_separators(gpu.compute.shared_bytes)),
        "give smaller blocks, or fewer stages")
        .in(job_path);
}

}  // namespace heddle::config
