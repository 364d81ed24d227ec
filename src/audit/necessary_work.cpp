#include "audit/necessary_work.h"

#include <algorithm>
#include <map>

#include "trace/analyze.h"

namespace heddle::audit {
namespace {

constexpr int kSectorBytes = 32;
/// Steps of the trace of a C++ kernel, which are quick: enough for a matrix of 8 GiB, read once.
constexpr std::int64_t kMostNativeWork = 4'000'000'000;
/// Those of a Triton kernel take longer: a minute or two at most.
constexpr std::int64_t kMostCountedWork = 400'000'000;

/// Of all tensors together, what accesses of this kind touch at least.
std::int64_t sectors_of(const TraceReport& report, AccessKind kind) {
  std::map<std::string, std::int64_t> most;
  for (const AccessSummary& access : report.accesses) {
    if (access.kind != kind || !access.distinct_lines) continue;
    std::int64_t& known = most[access.tensor];
    known = std::max(known, *access.distinct_lines);
  }
  std::int64_t sum = 0;
  for (const auto& [tensor, sectors] : most) sum += sectors;
  return sum;
}

bool is_floating(const std::string& type) {
  return type.starts_with("fp") || type.starts_with("bf");
}

}  // namespace

NecessaryWork find_necessary_work(const kernel::KernelProgram& program,
                                  const config::Launch& launch) {
  trace::AnalyzeOptions options;
  options.line_bytes = kSectorBytes;
  options.wave_lanes = program.wave_lanes;
  options.most_work = program.traits().runs ? kMostNativeWork : kMostCountedWork;
  const TraceReport report = trace::analyze(program, launch, options);
  NecessaryWork work;
  work.whole = report.tiles_traced == report.tiles;
  work.read_bytes = sectors_of(report, AccessKind::read) * kSectorBytes;
  work.written_bytes = sectors_of(report, AccessKind::write) * kSectorBytes;
  for (const ArithmeticSummary& entry : report.arithmetic) {
    if (!is_floating(entry.type)) continue;
    const bool is_double = entry.kind == "dot" || entry.kind == "fused";
    work.operations += (is_double ? 2.0 : 1.0) * static_cast<double>(entry.total);
  }
  return work;
}

}  // namespace heddle::audit
