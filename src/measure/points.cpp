#include "measure/points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "support/csv.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNameless = "as written";

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

std::string source_of(const MeasuredCandidate& one, const std::string& device) {
  return one.counters ? fmt::format("heddle-agent and {} on {}", one.counters->source, device)
                      : fmt::format("heddle-agent on {}", device);
}

}  // namespace

std::string points_header() {
  return "job,gpu,order,set,l2_hit_pct,dram_read_mb,speedup,time_us,family,registers,shared_bytes,"
         "spills,source,note\n";
}

std::string points_rows(const BundleRecord& record, const MeasurementReport& report,
                        const std::string& table) {
  std::error_code error;
  const fs::path beside = fs::absolute(table, error).parent_path();
  fs::path job = fs::relative(record.job, beside, error);
  if (error || job.empty()) job = record.job;
  std::string text;
  // A kernel whose own order has no name is nobody's baseline: no table can say it.
  const bool has_baseline = record.candidates.front().formula != kNameless;
  for (const MeasuredCandidate& one : report.candidates) {
    if (one.formula == kNameless) continue;
    const bool is_there = record.lean ? one.cold.has_value() : one.counters.has_value();
    if (one.rejected || one.formula.empty() || !is_there) continue;
    const KernelCounters counters = one.counters.value_or(KernelCounters{});
    // A lean bundle counts some candidates only, and times of one kind are compared.
    const auto time_us = record.lean ? std::optional(one.cold->time_us) : counters.time_us;
    const std::string& family = record.candidates[static_cast<std::size_t>(one.number)].family;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(job.string()),
                    csv_field(record.gpu), csv_field(one.formula),
                    csv_field(fmt::format("{}", fmt::join(record.overrides, " "))),
                    number(counters.l2_hit_pct, 1, 2), number(counters.dram_read_bytes, 1e-6, 1),
                    one.cold && has_baseline ? fmt::format("{:.3f}", one.cold->ratio) : "",
                    number(time_us, 1, 2), csv_field(family), number(one.compiled.registers, 1, 0),
                    number(one.compiled.shared_bytes, 1, 0), number(one.compiled.spills, 1, 0),
                    csv_field(source_of(one, report.device)), csv_field(note_of(one)));
  }
  return text;
}

}  // namespace heddle::measure
