#include "trace/access_table.h"

#include <algorithm>
#include <numeric>

namespace heddle::trace {
namespace {

std::string_view arithmetic_text(kernel::ArithmeticKind kind) {
  switch (kind) {
    case kernel::ArithmeticKind::add:
      return "add";
    case kernel::ArithmeticKind::multiply:
      return "multiply";
    case kernel::ArithmeticKind::fused:
      return "fused";
    case kernel::ArithmeticKind::transcendental:
      return "transcendental";
    case kernel::ArithmeticKind::dot:
      return "dot";
  }
  return {};
}

}  // namespace

std::vector<ArithmeticSummary> arithmetic_summary(
    const std::map<std::pair<kernel::ArithmeticKind, config::DType>, std::int64_t>& totals) {
  std::vector<ArithmeticSummary> result;
  for (const auto& [key, total] : totals) {
    if (total == 0) continue;
    result.push_back({std::string(arithmetic_text(key.first)),
                      std::string(config::dtype_text(key.second)), total});
  }
  return result;
}

void AccessTable::Figure::end_tile(bool is_first) {
  least = is_first ? current : std::min(least, current);
  most = is_first ? current : std::max(most, current);
  total += current;
  current = 0;
}

Spread AccessTable::Figure::spread(std::int64_t tiles) const {
  const double mean = tiles > 0 ? static_cast<double>(total) / static_cast<double>(tiles) : 0;
  return {least, mean, most};
}

AccessTable::AccessTable(const kernel::KernelProgram& program, const config::Launch& launch,
                         const AccessTableOptions& options)
    : program_(program),
      launch_(launch),
      options_(options),
      source_(program),
      entries_of_site_(program.sites.size()),
      set_bytes_left_(options.set_bytes) {}

std::size_t AccessTable::make_entry(const AccessPattern& pattern) {
  const kernel::Site& site = program_.sites[static_cast<std::size_t>(pattern.site)];
  const SourcePlace place = source_.at(site.place);
  const Key key{place.line, place.column, place.function, access_kind(site.kind), pattern.tensor};
  const auto [found, is_new] = entry_of_key_.try_emplace(key, entries_.size());
  if (!is_new) return found->second;
  Entry entry{.kind = key.kind,
              .site = pattern.site,
              .tensor = pattern.tensor,
              .instructions = {},
              .bytes = {},
              .lines = {},
              .active = {},
              .distinct = {},
              .counter = PatternCounter(options_.layout, options_.line_bytes)};
  if (pattern.tensor >= 0) {
    const config::Tensor& tensor = launch_.tensors[static_cast<std::size_t>(pattern.tensor)];
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.bytes, 0));
    const std::int64_t needed = LineSet::memory_bytes(tensor.address, bytes, options_.line_bytes);
    if (needed <= set_bytes_left_) {
      set_bytes_left_ -= needed;
      entry.distinct.emplace(tensor.address, bytes, options_.line_bytes);
    }
  }
  entries_.push_back(std::move(entry));
  return found->second;
}

std::size_t AccessTable::entry_of(const AccessPattern& pattern) {
  auto& known = entries_of_site_[static_cast<std::size_t>(pattern.site)];
  for (const auto& [tensor, entry] : known) {
    if (tensor == pattern.tensor) return entry;
  }
  const std::size_t entry = make_entry(pattern);
  known.emplace_back(pattern.tensor, entry);
  return entry;
}

void AccessTable::access(const AccessPattern& pattern) {
  const std::size_t index = entry_of(pattern);
  Entry& entry = entries_[index];
  if (!entry.is_in_tile) {
    entry.is_in_tile = true;
    in_tile_.push_back(index);
  }
  const PatternCounts& counts = entry.counter.count(pattern);
  ++entry.instructions.current;
  entry.bytes.current += counts.bytes;
  entry.lines.current += counts.lines;
  entry.active.current += counts.active;
  entry.elements += counts.elements;
  entry.runs += counts.runs;
  entry.wave_instructions += counts.wave_instructions;
  entry.requests += counts.requests;
  entry.sectors += counts.sectors;
  work_ += 1 + counts.runs;
  if (entry.distinct)
    for_each_piece(pattern, [&entry](const Run& run) { entry.distinct->add(run); });
}

void AccessTable::end_tile(const std::vector<kernel::ArithmeticCount>& arithmetic) {
  for (const std::size_t index : in_tile_) {
    Entry& entry = entries_[index];
    const bool is_first = entry.tiles++ == 0;
    entry.is_in_tile = false;
    entry.instructions.end_tile(is_first);
    entry.bytes.end_tile(is_first);
    entry.lines.end_tile(is_first);
    entry.active.end_tile(is_first);
  }
  in_tile_.clear();
  for (const kernel::ArithmeticCount& count : arithmetic)
    arithmetic_[{count.kind, count.type}] += count.count;
  ++tiles_;
}

AccessSummary AccessTable::summary_of(const Entry& entry) const {
  const kernel::Site& site = program_.sites[static_cast<std::size_t>(entry.site)];
  AccessSummary summary;
  summary.kind = entry.kind;
  summary.place = source_.at(site.place);
  if (entry.tensor >= 0)
    summary.tensor = launch_.tensors[static_cast<std::size_t>(entry.tensor)].name;
  summary.hint = site.hint;
  // Of compiled code only the width is known; the tensor has the type.
  const bool by_tensor = program_.traits().has_lanes && entry.tensor >= 0;
  summary.element = config::dtype_text(
      by_tensor ? launch_.tensors[static_cast<std::size_t>(entry.tensor)].dtype : site.element);
  summary.shape = site.shape;
  summary.tiles = entry.tiles;
  summary.instructions = entry.instructions.spread(entry.tiles);
  summary.bytes = entry.bytes.spread(entry.tiles);
  summary.lines = entry.lines.spread(entry.tiles);
  summary.active = entry.active.spread(entry.tiles);
  summary.elements = entry.elements;
  summary.runs = entry.runs;
  summary.total_bytes = entry.bytes.total;
  summary.total_lines = entry.lines.total;
  summary.wave_instructions = entry.wave_instructions;
  summary.requests = entry.requests;
  summary.sectors = entry.sectors;
  if (entry.distinct) summary.distinct_lines = entry.distinct->count();
  return summary;
}

void AccessTable::summarize_tensors(TraceReport& report) const {
  for (std::size_t index = 0; index < launch_.tensors.size(); ++index) {
    const config::Tensor& tensor = launch_.tensors[index];
    TensorSummary summary;
    summary.name = tensor.name;
    summary.element = config::dtype_text(tensor.dtype);
    summary.shape = tensor.shape;
    summary.bytes = tensor.bytes;
    std::optional<LineSet> all;
    bool is_counted = true;
    for (const Entry& entry : entries_) {
      if (entry.tensor != static_cast<std::int32_t>(index)) continue;
      std::int64_t& bytes =
          entry.kind == AccessKind::read ? summary.read_bytes : summary.written_bytes;
      bytes += entry.bytes.total;
      summary.touches += entry.lines.total;
      is_counted = is_counted && entry.distinct.has_value();
      if (!is_counted) continue;
      if (all)
        all->unite(*entry.distinct);
      else
        all = entry.distinct;
    }
    if (summary.touches == 0) continue;
    if (is_counted && all) summary.distinct_lines = all->count();
    report.tensors.push_back(std::move(summary));
  }
}

void AccessTable::summarize(TraceReport& report, std::vector<std::size_t>& order) const {
  order.resize(entries_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<AccessSummary> summaries;
  for (const Entry& entry : entries_) summaries.push_back(summary_of(entry));
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const SourcePlace& left = summaries[a].place;
    const SourcePlace& right = summaries[b].place;
    return left.line < right.line;  // within a line, as the kernel runs them
  });
  for (const std::size_t index : order) report.accesses.push_back(summaries[index]);
  summarize_tensors(report);
  report.arithmetic = arithmetic_summary(arithmetic_);
  report.tiles_traced = tiles_;
}

}  // namespace heddle::trace
