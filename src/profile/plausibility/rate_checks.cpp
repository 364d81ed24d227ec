// Bytes and operations of one dispatch over its own duration.
#include <fmt/format.h>

#include "profile/plausibility/amounts.h"

namespace heddle::profile {
namespace {

/// What lies beside HBM, other GPUs and the host, adds to what the L2s move.
constexpr double kFabricTolerance = 1.25;
/// Packed instructions do twice what the table of peaks counts.
constexpr double kOperationsPerLane = 4;

struct Rate {
  std::string_view name;
  std::optional<double> limit;  ///< GB/s or GFLOP/s
  double tolerance = kReplayTolerance;
};

/// Adds the dispatch if its amount in its time is beyond the limit.
void judge(const Rate& rate, std::optional<double> amount, const Dispatch& dispatch,
           std::string_view unit, std::string_view unit_of_rate, Group& group) {
  if (!amount || !rate.limit || !dispatch.duration_ns || *dispatch.duration_ns <= 0) return;
  const double per_ns = *amount / *dispatch.duration_ns;
  if (per_ns <= *rate.limit * rate.tolerance) return;
  group.add(per_ns / *rate.limit, fmt::format("{}, {}", rate.name, place_of(dispatch)),
            fmt::format("{} {} in {} ns are {} {}, {} % of the {} that are possible",
                        figure(*amount), unit, figure(*dispatch.duration_ns), figure(per_ns),
                        unit_of_rate, figure(100 * per_ns / *rate.limit), figure(*rate.limit)));
}

std::optional<double> times(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

/// A clock and CU, of the narrowest type: FP4 on MI350, FP8 on MI300.
double most_matrix_operations(const Recording& recording) {
  if (recording.workload().arch.starts_with("gfx95")) return 16384;
  return recording.is_mi300() ? 4096 : 1024;
}

}  // namespace

void check_bandwidth(const Recording& recording, std::vector<Finding>& findings) {
  const double line = recording.is_mi300() ? 128 : 64;
  const auto clock = times(recording.system("max_sclk"), 0.001);
  const Rate first{"vL1D", times(times(clock, recording.system("cu_per_gpu")), line)};
  const Rate second{"L2", times(times(clock, recording.system("total_l2_chan")), 128)};
  Rate memory{"memory", recording.system("hbm_bw"), kFabricTolerance};
  if (recording.is_mi300() && memory.limit) {
    memory.name = "Infinity Cache";
    memory.limit = std::max(*memory.limit, kInfinityCacheGbPerS);
  }
  Group of_first("impossible-bandwidth", "dispatch");
  Group of_second("impossible-bandwidth", "dispatch");
  Group of_memory("impossible-bandwidth", "dispatch");
  for (const Dispatch* dispatch : recording.dispatches()) {
    judge(first, times(line, recording.counter("TCP_TOTAL_CACHE_ACCESSES_sum", *dispatch)),
          *dispatch, "bytes", "GB/s", of_first);
    judge(second, times(128, recording.counter("TCC_REQ_sum", *dispatch)), *dispatch, "bytes",
          "GB/s", of_second);
    const auto fabric = fabric_bytes(recording, *dispatch);
    judge(memory, fabric ? std::optional(fabric->read + fabric->written) : std::nullopt, *dispatch,
          "bytes", "GB/s", of_memory);
  }
  of_first.append_to(findings);
  of_second.append_to(findings);
  of_memory.append_to(findings);
}

void check_arithmetic(const Recording& recording, std::vector<Finding>& findings) {
  const auto clock = times(recording.system("max_sclk"), 0.001);
  const auto units = times(clock, recording.system("cu_per_gpu"));
  const Rate vector{"vector units", times(units, 64 * kOperationsPerLane)};
  const Rate matrix{"matrix units", times(units, most_matrix_operations(recording))};
  Group of_vector("impossible-arithmetic", "dispatch");
  Group of_matrix("impossible-arithmetic", "dispatch");
  for (const Dispatch* dispatch : recording.dispatches()) {
    judge(vector, vector_operations(recording, *dispatch), *dispatch, "operations", "GFLOP/s",
          of_vector);
    judge(matrix, matrix_operations(recording, *dispatch), *dispatch, "operations", "GFLOP/s",
          of_matrix);
  }
  of_vector.append_to(findings);
  of_matrix.append_to(findings);
}

}  // namespace heddle::profile
