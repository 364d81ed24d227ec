#include "trace/pattern_counts.h"

#include <bit>

namespace heddle::trace {
namespace {

constexpr std::size_t kMostKnown = 16;

bool is_strided(const AccessPattern& pattern) {
  if (pattern.addresses != nullptr || pattern.active != nullptr) return false;
  for (int k = 0; k < pattern.axes; ++k) {
    const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
    if (axis.table != nullptr || axis.flags != nullptr) return false;
  }
  return true;
}

}  // namespace

bool PatternCounter::is_alike(const AccessPattern& pattern, const AccessPattern& known) const {
  const std::uint64_t within = static_cast<std::uint64_t>(pattern.base ^ known.base) &
                               static_cast<std::uint64_t>(line_bytes_ - 1);
  if (within != 0 || pattern.axes != known.axes || pattern.element_bytes != known.element_bytes ||
      pattern.scalar_active != known.scalar_active || pattern.by_thread != known.by_thread)
    return false;
  for (std::size_t k = 0; k < static_cast<std::size_t>(pattern.axes); ++k) {
    const PatternAxis& a = pattern.axis[k];
    const PatternAxis& b = known.axis[k];
    if (a.extent != b.extent || a.stride != b.stride || a.first != b.first || a.last != b.last)
      return false;
  }
  return true;
}

PatternCounts PatternCounter::count_anew(const AccessPattern& pattern) {
  PatternCounts counts;
  counts.elements = pattern.elements();
  counts.active = active_elements(pattern);
  runs_.clear();
  append_runs(pattern, runs_);
  counts.runs = static_cast<std::int64_t>(runs_.size());
  const auto line = static_cast<std::uint64_t>(line_bytes_);
  std::uint64_t previous = ~std::uint64_t{0};
  for (const Run& run : runs_) {
    counts.bytes += static_cast<std::int64_t>(run.bytes);
    const std::uint64_t first = run.address / line;
    const std::uint64_t last = (run.address + run.bytes - 1) / line;
    counts.lines += static_cast<std::int64_t>(last - first) + (first == previous ? 0 : 1);
    previous = last;
  }
  if (counts.active == 0) return counts;
  requests_.clear();
  append_requests(pattern, blocked_layout(pattern, layout_), line_bytes_, requests_);
  std::int32_t instruction = -1;
  for (const Request& request : requests_) {
    if (request.wave_instruction != instruction) ++counts.wave_instructions;
    instruction = request.wave_instruction;
    counts.sectors += std::popcount(request.sectors);
  }
  counts.requests = static_cast<std::int64_t>(requests_.size());
  return counts;
}

const PatternCounts& PatternCounter::count(const AccessPattern& pattern) {
  if (!is_strided(pattern)) {
    counts_ = count_anew(pattern);
    return counts_;
  }
  if (recent_ < known_.size() && is_alike(pattern, known_[recent_].pattern))
    return known_[recent_].counts;
  for (recent_ = 0; recent_ < known_.size(); ++recent_) {
    if (is_alike(pattern, known_[recent_].pattern)) return known_[recent_].counts;
  }
  if (known_.size() < kMostKnown) {
    known_.emplace_back();
  } else {
    recent_ = replaced_;
    replaced_ = (replaced_ + 1) % kMostKnown;
  }
  known_[recent_] = {pattern, count_anew(pattern)};
  return known_[recent_].counts;
}

}  // namespace heddle::trace
