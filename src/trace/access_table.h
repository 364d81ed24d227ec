// Gathers what tiles do, per memory access of the source and tensor.
//
//   AccessTable table(program, launch, options);
//   tracer.run(tile, table); table.end_tile(tracer.arithmetic());     // for every tile
//   table.summarize(report);
//
// Rules
//   1. Sites with the same place in the source, kind and tensor are one entry: a helper that is
//      inlined twice reads as it is written.
//   2. Distinct lines are counted as long as the sets fit the memory allowed; an entry whose set
//   does
//      not fit has none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"
#include "results/trace.h"
#include "trace/line_set.h"
#include "trace/pattern_counts.h"
#include "trace/source.h"

namespace heddle::trace {

struct AccessTableOptions {
  LayoutOptions layout;
  int line_bytes = 128;
  std::int64_t set_bytes = std::int64_t{96} << 20;  ///< memory for sets of lines
};

class AccessTable : public AccessSink {
 public:
  AccessTable(const kernel::KernelProgram& program, const config::Launch& launch,
              const AccessTableOptions& options);

  void access(const AccessPattern& pattern) override;
  void end_tile(const std::vector<kernel::ArithmeticCount>& arithmetic);

  std::int64_t tiles() const { return tiles_; }
  /// Instructions and runs looked at so far.
  std::int64_t work() const { return work_; }
  /// The entry of an access: sites of one place, kind and tensor share it.
  std::size_t entry_of(const AccessPattern& pattern);
  std::size_t entries() const { return entries_.size(); }
  /// Index into Launch::tensors; -1: not known.
  std::int32_t tensor_of(std::size_t entry) const { return entries_[entry].tensor; }

  /// Fills accesses (by source line), tensors and arithmetic; `order` tells which entry each access
  /// is.
  void summarize(TraceReport& report, std::vector<std::size_t>& order) const;

 private:
  /// A figure of the tile that is being traced, and of those before.
  struct Figure {
    std::int64_t current = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t total = 0;

    void end_tile(bool is_first);
    Spread spread(std::int64_t tiles) const;
  };

  struct Entry {
    AccessKind kind = AccessKind::read;
    std::int32_t site = 0;  ///< the first of its sites
    std::int32_t tensor = -1;
    std::int64_t tiles = 0;
    bool is_in_tile = false;
    Figure instructions;
    Figure bytes;
    Figure lines;
    Figure active;
    std::int64_t elements = 0;
    std::int64_t runs = 0;
    std::int64_t wave_instructions = 0;
    std::int64_t requests = 0;
    std::int64_t sectors = 0;
    std::optional<LineSet> distinct;
    PatternCounter counter;
  };

  struct Key {
    int line = 0;
    int column = 0;
    std::string function;
    AccessKind kind = AccessKind::read;
    std::int32_t tensor = -1;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  std::size_t make_entry(const AccessPattern& pattern);
  AccessSummary summary_of(const Entry& entry) const;
  void summarize_tensors(TraceReport& report) const;

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  AccessTableOptions options_;
  SourceText source_;
  std::vector<Entry> entries_;
  std::map<Key, std::size_t> entry_of_key_;
  /// Per site: the entry of each tensor seen, few of them.
  std::vector<std::vector<std::pair<std::int32_t, std::size_t>>> entries_of_site_;
  std::vector<std::size_t> in_tile_;
  std::map<std::pair<kernel::ArithmeticKind, config::DType>, std::int64_t> arithmetic_;
  std::int64_t set_bytes_left_;
  std::int64_t tiles_ = 0;
  std::int64_t work_ = 0;
};

std::vector<ArithmeticSummary> arithmetic_summary(
    const std::map<std::pair<kernel::ArithmeticKind, config::DType>, std::int64_t>& totals);

}  // namespace heddle::trace
