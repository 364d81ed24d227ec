#include "measure/points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "support/csv.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;

std::string number(const std::optional<double>& value, double scale, int digits) {
  return value ? fmt::format("{:.{}f}", *value * scale, digits) : std::string();
}

std::string note_of(const MeasuredCandidate& one) {
  std::string note;
  if (one.cold) note += fmt::format("cold {:.2f} us", one.cold->time_us);
  if (one.warm)
    note += fmt::format("{}warm {:.2f} us", note.empty() ? "" : ", ", one.warm->time_us);
  if (one.counters && one.counters->dram_write_bytes)
    note += fmt::format("{}{:.1f} MB written", note.empty() ? "" : ", ",
                        *one.counters->dram_write_bytes / 1e6);
  return note;
}

}  // namespace

std::string points_csv(const BundleRecord& record, const MeasurementReport& report,
                       const std::string& table) {
  std::error_code error;
  const fs::path beside = fs::absolute(table, error).parent_path();
  fs::path job = fs::relative(record.job, beside, error);
  if (error || job.empty()) job = record.job;
  std::string text = "job,gpu,order,set,l2_hit_pct,dram_read_mb,speedup,time_us,source,note\n";
  for (const MeasuredCandidate& one : report.candidates) {
    if (one.rejected || one.formula.empty() || !one.counters) continue;
    const KernelCounters& counters = *one.counters;
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\n", csv_field(job.string()), csv_field(record.gpu),
        csv_field(one.formula), csv_field(fmt::format("{}", fmt::join(record.overrides, " "))),
        number(counters.l2_hit_pct, 1, 2), number(counters.dram_read_bytes, 1e-6, 1),
        one.cold ? fmt::format("{:.3f}", one.cold->ratio) : "", number(counters.time_us, 1, 2),
        csv_field(fmt::format("heddle-agent and {} on {}", counters.source, report.device)),
        csv_field(note_of(one)));
  }
  return text;
}

}  // namespace heddle::measure
