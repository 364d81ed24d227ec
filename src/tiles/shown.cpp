#include "tiles/shown.h"

#include <algorithm>

#include "support/error.h"
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
      if (++rows_ > kMostRows) throw Error("the kernel has too many tiles", "use a smaller job");
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
};

}  // namespace

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
