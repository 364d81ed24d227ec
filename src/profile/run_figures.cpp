#include "profile/run_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/plausibility/amounts.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// Of an L2 whose size sysinfo.csv does not give: that of the largest, eight times 4 MiB.
constexpr double kLargestCaches = 32.0 * 1024 * 1024;

/// `value` is asked for each dispatch; nothing if it is missing for one.
template <class Value>
std::optional<RunFigure> over_dispatches(const Recording& recording, Value value) {
  RunFigure figure;
  double sum = 0;
  bool is_first = true;
  for (const Dispatch* dispatch : recording.dispatches()) {
    const std::optional<double> one = value(*dispatch);
    if (!one) return std::nullopt;
    figure.least = is_first ? *one : std::min(figure.least, *one);
    sum += *one;
    is_first = false;
  }
  if (is_first) return std::nullopt;
  figure.mean = sum / static_cast<double>(recording.dispatches().size());
  return figure;
}

std::optional<RunFigure> counter(const Recording& recording, std::string_view name) {
  return over_dispatches(
      recording, [&](const Dispatch& dispatch) { return recording.counter(name, dispatch); });
}

std::optional<RunFigure> scaled(std::optional<RunFigure> figure, double factor) {
  if (figure) *figure = {figure->mean * factor, figure->least * factor};
  return figure;
}

void check_one_kernel(const Recording& recording, const std::string& path) {
  const auto& dispatches = recording.dispatches();
  const auto other = std::ranges::find_if(
      dispatches, [&](const Dispatch* one) { return one->kernel != dispatches.front()->kernel; });
  if (other == dispatches.end()) return;
  throw Error(fmt::format("it has several kernels, {} and {} among them",
                          short_name(dispatches.front()->kernel), short_name((*other)->kernel)),
              "choose one with -k NAME, or its dispatches with -d")
      .in(path);
}

/// What the L2s read at most: a recording may lack how many reads were short ones, or all of them.
std::optional<double> most_read(const Recording& recording, const Dispatch& dispatch) {
  if (const auto bytes = fabric_bytes(recording, dispatch)) return bytes->read;
  const auto reads = recording.counter(recording.fabric("RDREQ_sum"), dispatch);
  if (reads) {
    const auto short_reads = recording.counter(recording.fabric("RDREQ_32B_sum"), dispatch);
    const double widest = recording.is_mi300() ? 128 : 64;
    return widest * *reads - (widest - 32) * short_reads.value_or(0);
  }
  const auto misses = recording.counter("TCC_MISS_sum", dispatch);
  return misses ? std::optional(128 * *misses) : std::nullopt;
}

/// What they read at least.
std::optional<double> least_read(const Recording& recording, const Dispatch& dispatch) {
  const auto reads = recording.counter(recording.fabric("RDREQ_sum"), dispatch);
  const auto short_reads = recording.counter(recording.fabric("RDREQ_32B_sum"), dispatch);
  if (!reads) return std::nullopt;
  return short_reads ? 64 * *reads - 32 * *short_reads : 32 * *reads;
}

double cache_bytes(const Recording& recording) {
  const auto kilobytes = recording.system("gpu_l2");
  if (!kilobytes) return kLargestCaches;
  const double dies = recording.system("num_xcd").value_or(recording.is_mi300() ? 8 : 1);
  return *kilobytes * 1024 * dies;
}

}  // namespace

RunFigures read_figures(const Workload& workload, const Selection& selection) {
  const Recording recording(workload, selection);
  check_one_kernel(recording, workload.path);
  RunFigures run;
  run.path = workload.path;
  run.file = workload.path + "/" + workload.counters_file;
  const std::string* model = workload.system_text("gpu_model");
  run.gpu = model != nullptr ? *model : workload.arch;
  run.dispatches = static_cast<std::int64_t>(recording.dispatches().size());
  if (run.dispatches > 0) run.kernel = recording.dispatches().front()->kernel;
  run.duration_ns =
      over_dispatches(recording, [](const Dispatch& dispatch) { return dispatch.duration_ns; });
  run.cycles = scaled(counter(recording, "GRBM_GUI_ACTIVE"),
                      1 / recording.system("num_xcd").value_or(recording.is_mi300() ? 8 : 1));
  run.operations =
      over_dispatches(recording, [&](const Dispatch& dispatch) -> std::optional<double> {
        const auto vector = vector_operations(recording, dispatch);
        const auto matrix = matrix_operations(recording, dispatch);
        return vector && matrix ? std::optional(*vector + *matrix) : std::nullopt;
      });
  run.lane_requests = counter(recording, "TCP_TOTAL_ACCESSES_sum");
  run.lookups = counter(recording, "TCP_TOTAL_CACHE_ACCESSES_sum");
  run.written = counter(recording, "TCP_TCC_WRITE_REQ_sum");
  run.written_bytes = scaled(run.written, recording.is_mi300() ? 128 : 64);
  run.read_bytes = over_dispatches(
      recording, [&](const Dispatch& dispatch) { return most_read(recording, dispatch); });
  run.stored_bytes =
      over_dispatches(recording, [&](const Dispatch& dispatch) -> std::optional<double> {
        const auto bytes = fabric_bytes(recording, dispatch);
        return bytes ? std::optional(bytes->written) : std::nullopt;
      });
  run.moved_bytes =
      over_dispatches(recording, [&](const Dispatch& dispatch) -> std::optional<double> {
        const auto bytes = fabric_bytes(recording, dispatch);
        return bytes ? std::optional(bytes->read + bytes->written)
                     : least_read(recording, dispatch);
      });
  const auto hits = counter(recording, "TCC_HIT_sum"), misses = counter(recording, "TCC_MISS_sum");
  if (hits && misses && hits->mean + misses->mean > 0)
    run.hit_rate_pct = 100 * hits->mean / (hits->mean + misses->mean);
  run.cache_bytes = cache_bytes(recording);
  run.peak_gb_per_s = recording.system("hbm_bw");
  if (run.peak_gb_per_s && recording.is_mi300())
    run.peak_gb_per_s = std::max(*run.peak_gb_per_s, kInfinityCacheGbPerS);
  run.clock_mhz = recording.system("max_sclk");
  const auto field = [&](const char* name) {
    const std::string* text = workload.system_text(name);
    return text != nullptr ? *text : "?";
  };
  run.hardware = fmt::format("{} CUs, {} MHz, {} GB/s, {} dies", field("cu_per_gpu"),
                             field("max_sclk"), field("hbm_bw"), field("num_xcd"));
  return run;
}

}  // namespace heddle::profile
