#include "tiles/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/error.h"
#include "support/text.h"
#include "trace/tracer.h"

namespace heddle::tiles {
namespace {

class Collector final : public trace::AccessSink {
 public:
  Collector(const kernel::IndexProbe& probe, std::vector<ShownRows>& tables)
      : probe_(probe), tables_(tables) {}

  void start(std::int64_t block) { block_ = block; }

  void access(const trace::AccessPattern& pattern) override {
    const auto site = static_cast<std::size_t>(pattern.site);
    if (site >= probe_.shows.size()) return;
    const kernel::IndexShow& show = probe_.shows[site];
    if (show.anchor < 0) return;
    ShownRows& table = tables_[static_cast<std::size_t>(show.anchor)];
    if (show.number == kernel::IndexShow::kBegin) {
      const bool shows_numbers =
          probe_.anchors[static_cast<std::size_t>(show.anchor)].shows_numbers;
      if (!shows_numbers && !table.block.empty() && table.block.back() == block_) return;
      table.moment.push_back(moment_++);
      if (shows_numbers && ++rows_ > kMostRows)
        throw Error(fmt::format("its blocks do over {} tiles together", with_separators(kMostRows)),
                    "use smaller sizes");
      table.block.push_back(block_);
      table.address.push_back(kNotShown);
      for (std::vector<std::int64_t>& column : table.number) column.push_back(kNotShown);
    } else if (!table.block.empty() && table.block.back() == block_) {
      if (show.number == kernel::IndexShow::kAddress)
        table.address.back() = address_of(pattern);
      else
        table.number[static_cast<std::size_t>(show.number)].back() = pattern.base - probe_.zero;
    }
  }

 private:
  static std::int64_t address_of(const trace::AccessPattern& pattern) {
    return pattern.addresses != nullptr ? pattern.addresses[0] : pattern.base;
  }

  const kernel::IndexProbe& probe_;
  std::vector<ShownRows>& tables_;
  std::int64_t block_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t moment_ = 0;
};

bool has(const std::vector<int>& list, int one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

bool has_common(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int one) { return has(b, one); });
}

/// Some anchors of the two numbers write the same tensor.
bool is_same_work(const kernel::IndexProbe& probe, int a, int b) {
  for (const kernel::IndexAnchor& one : probe.anchors)
    for (const kernel::IndexAnchor& other : probe.anchors)
      if (has(one.numbers, a) && has(other.numbers, b) && has_common(one.tensors, other.tensors))
        return true;
  return false;
}

}  // namespace

std::vector<std::size_t> ShownRows::turns(const std::vector<int>& columns) const {
  std::vector<std::size_t> result;
  for (std::size_t row = 0; row < rows(); ++row) {
    const bool is_same = row > 0 && block[row] == block[row - 1] &&
                         std::all_of(columns.begin(), columns.end(), [&](int column) {
                           return at(column, row) == at(column, row - 1);
                         });
    if (!is_same) result.push_back(row);
  }
  return result;
}

StandIns stand_ins(const kernel::IndexProbe& probe) {
  std::map<std::string, std::vector<int>> named;
  for (std::size_t i = 0; i < probe.numbers.size(); ++i)
    if (probe.numbers[i].is_named && !probe.numbers[i].is_loaded)
      named[probe.numbers[i].name].push_back(static_cast<int>(i));
  StandIns result(probe.anchors.size(), std::vector<int>(probe.numbers.size(), -1));
  for (std::size_t a = 0; a < probe.anchors.size(); ++a) {
    const std::vector<int>& known = probe.anchors[a].numbers;
    for (const int one : known) result[a][static_cast<std::size_t>(one)] = one;
    for (const auto& [name, numbers] : named)
      for (const int one : numbers)
        for (const int other : numbers)
          if (!has(known, one) && has(known, other) && is_same_work(probe, one, other))
            result[a][static_cast<std::size_t>(one)] = other;
  }
  return result;
}

ShownRows joined(const kernel::IndexProbe& probe, const std::vector<ShownRows>& tables,
                 const std::vector<std::size_t>& anchors) {
  if (anchors.size() == 1) return tables[anchors.front()];
  struct Row {
    std::int64_t moment;
    std::size_t anchor;
    std::size_t row;
  };
  std::vector<Row> rows;
  for (const std::size_t anchor : anchors)
    for (std::size_t row = 0; row < tables[anchor].rows(); ++row)
      rows.push_back({tables[anchor].moment[row], anchor, row});
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.moment < b.moment; });
  const StandIns instead = stand_ins(probe);
  ShownRows result;
  result.number.resize(probe.numbers.size());
  for (const Row& one : rows) {
    const ShownRows& table = tables[one.anchor];
    result.block.push_back(table.block[one.row]);
    result.address.push_back(table.address[one.row]);
    result.moment.push_back(one.moment);
    for (std::size_t i = 0; i < result.number.size(); ++i) {
      const int other = instead[one.anchor][i];
      result.number[i].push_back(other < 0 ? kNotShown : table.at(other, one.row));
    }
  }
  return result;
}

std::vector<ShownRows> show_numbers(const kernel::IndexProbe& probe, std::int64_t most_blocks) {
  std::vector<ShownRows> tables(probe.anchors.size());
  for (ShownRows& table : tables) table.number.resize(probe.numbers.size());
  trace::Tracer tracer(probe.program, probe.launch, {});
  Collector collector(probe, tables);
  const std::int64_t blocks = std::min(probe.launch.grid.count(), most_blocks);
  for (std::int64_t id = 0; id < blocks; ++id) {
    collector.start(id);
    tracer.run(block_of(probe.launch.grid, LaunchId{id}), collector);
  }
  return tables;
}

}  // namespace heddle::tiles
