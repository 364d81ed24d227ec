#include "emit/agreement.h"

#include <algorithm>
#include <set>
#include <utility>

#include "order/evaluate.h"
#include "trace/elements.h"

namespace heddle::emit {
namespace {

using kernel::KernelProgram;
using trace::AccessPattern;

/// A running hash of a tile's accesses.
class Digest : public trace::AccessSink {
 public:
  /// `by_element`: of every address, so that it does not matter how a pattern is written.
  /// `by_lane`: nor which lanes of compiled code reach an instruction together.
  Digest(const KernelProgram& program, bool by_element, bool by_lane = false)
      : program_(program), by_element_(by_element), by_lane_(by_lane) {}

  void access(const AccessPattern& pattern) override {
    const auto site = static_cast<std::size_t>(pattern.site);
    if (!pattern.by_thread) {
      add(site);
      return add_accesses(pattern);
    }
    // Compiled code may have its accesses in another order, under other numbers: what they do
    // stays.
    if (by_lane_) return add_lanes(pattern);
    const std::uint64_t others = std::exchange(value_, 0);
    add(static_cast<std::uint64_t>(program_.sites[site].kind));
    add_accesses(pattern);
    value_ += others;
  }

  std::uint64_t value() const { return value_; }

 private:
  void add(std::uint64_t word) {
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
    constexpr int kFold = 29;
    value_ = (value_ ^ word) * kMultiplier;
    value_ ^= value_ >> kFold;
  }

  void add_lanes(const AccessPattern& pattern) {
    const std::uint64_t before = value_;
    std::uint64_t all = 0;
    trace::for_each_active(pattern, [&](std::uint64_t address) {
      value_ = 0;
      add(static_cast<std::uint64_t>(program_.sites[static_cast<std::size_t>(pattern.site)].kind));
      add(static_cast<std::uint64_t>(pattern.element_bytes));
      add(address);
      all += value_;
    });
    value_ = before + all;
  }

  void add_accesses(const AccessPattern& pattern) {
    add(static_cast<std::uint64_t>(pattern.element_bytes));
    if (by_element_)
      trace::for_each_active(pattern, [&](std::uint64_t address) { add(address); });
    else
      add_pattern(pattern);
  }

  void add_pattern(const AccessPattern& pattern) {
    add(pattern.scalar_active ? 1 : 0);
    add(static_cast<std::uint64_t>(pattern.base));
    for (int k = 0; k < pattern.axes; ++k) {
      const trace::PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
      for (const std::int64_t number : {axis.extent, axis.stride, axis.first, axis.last})
        add(static_cast<std::uint64_t>(number));
      for (std::int64_t i = 0; i < axis.extent; ++i) {
        if (axis.table != nullptr) add(static_cast<std::uint64_t>(axis.table[i]));
        if (axis.flags != nullptr) add(axis.flags[i]);
      }
    }
    const bool is_dense = pattern.addresses != nullptr || pattern.active != nullptr;
    for (std::int64_t i = 0; is_dense && i < pattern.elements(); ++i) {
      if (pattern.addresses != nullptr) add(static_cast<std::uint64_t>(pattern.addresses[i]));
      if (pattern.active != nullptr) add(pattern.active[i]);
    }
  }

  const KernelProgram& program_;
  bool by_element_;
  bool by_lane_;
  std::uint64_t value_ = 0;
};

/// A tracer with the program that it runs.
struct Traced {
  const KernelProgram& program;
  trace::Tracer& tracer;
};

using Index = std::array<std::int64_t, 3>;

std::uint64_t digest(const Traced& traced, const std::vector<Index>& blocks, bool by_element,
                     bool by_lane = false) {
  Digest sink(traced.program, by_element, by_lane);
  for (const Index& one : blocks) traced.tracer.run(one, sink);
  return sink.value();
}

/// All launch ids, or a sample whose every beginning is spread over the launch.
std::vector<std::int64_t> chosen_blocks(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  if (count <= most) {
    for (std::int64_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  constexpr std::uint64_t kGolden = 0x9E3779B9u;  // 2^32 / golden ratio
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; static_cast<std::int64_t>(chosen.size()) < most; ++i) {
    std::int64_t id = i == 0 ? 0 : count - 1;
    if (i > 1) {
      const std::uint64_t fraction = (i * kGolden) & 0xFFFFFFFFu;
      id = static_cast<std::int64_t>((fraction * static_cast<std::uint64_t>(count)) >> 32);
    }
    if (seen.insert(id).second) chosen.push_back(id);
  }
  return chosen;
}

order::Space space_of(const config::Launch& launch, int axes) {
  std::vector<std::int64_t> extents;
  for (int axis = 0; axis < axes; ++axis) extents.push_back(launch.grid.extent(axis));
  return {Grid(extents), std::nullopt};
}

}  // namespace

Agreement compare_turns(const kernel::LoadedKernel& original, const kernel::LoadedKernel& changed,
                        const std::vector<std::vector<std::int64_t>>& turns,
                        const AgreementOptions& options) {
  const KernelProgram old_program = kernel::remove_unneeded(original.program, kernel::Keep::all);
  const KernelProgram new_program = kernel::remove_unneeded(changed.program, kernel::Keep::all);
  trace::Tracer old_tracer(old_program, original.launch, options.trace);
  trace::Tracer new_tracer(new_program, changed.launch, options.trace);
  Agreement agreement;
  std::int64_t steps = 0;
  for (const std::int64_t id :
       chosen_blocks(static_cast<std::int64_t>(turns.size()), options.most_blocks)) {
    if (steps > options.most_steps) break;
    std::vector<Index> old_blocks;
    for (const std::int64_t one : turns[static_cast<std::size_t>(id)])
      old_blocks.push_back(block_of(original.launch.grid, LaunchId{one}));
    const Index block = block_of(changed.launch.grid, LaunchId{id});
    const auto agree = [&](bool by_element, bool by_lane) {
      const std::uint64_t before =
          digest({old_program, old_tracer}, old_blocks, by_element, by_lane);
      steps += old_tracer.steps();
      return before == digest({new_program, new_tracer}, {block}, by_element, by_lane);
    };
    // In one block after another lanes meet that in one launch each do not.
    const bool same =
        agree(false, false) || agree(true, false) || (old_blocks.size() > 1 && agree(true, true));
    steps += new_tracer.steps();
    if (!same) {
      agreement.first = Disagreement{LaunchId{id}, turns[static_cast<std::size_t>(id)]};
      return agreement;
    }
    ++agreement.blocks;
  }
  return agreement;
}

Agreement compare_blocks(const KernelProgram& original, const KernelProgram& changed,
                         const config::Launch& launch, const proof::ProvenOrder& proven,
                         const AgreementOptions& options) {
  const KernelProgram old_program = kernel::remove_unneeded(original, kernel::Keep::all);
  const KernelProgram new_program = kernel::remove_unneeded(changed, kernel::Keep::all);
  trace::Tracer old_tracer(old_program, launch, options.trace);
  trace::Tracer new_tracer(new_program, launch, options.trace);
  const order::Space space = space_of(launch, proven.shape().launch_axes);
  const order::Program program = proven.order().program(proven.shape(), proven.bindings());
  order::Evaluator evaluator(program, space, proven.bindings().values(program.names, space));
  Agreement agreement;
  std::int64_t steps = 0;
  for (const std::int64_t id : chosen_blocks(space.block_count(), options.most_blocks)) {
    if (steps > options.most_steps) break;
    std::int64_t tile = order::kFailed;
    evaluator.run(LaunchId{id}, {&tile, 1});
    const std::vector<std::int64_t> index = space.index_of(TileId{std::max<std::int64_t>(tile, 0)});
    std::array<std::int64_t, 3> old_tile{};
    std::ranges::copy(index, old_tile.begin());
    const std::array<std::int64_t, 3> block = block_of(space.launch, LaunchId{id});
    const auto agree = [&](bool by_element) {
      return tile >= 0 && digest({old_program, old_tracer}, {old_tile}, by_element) ==
                              digest({new_program, new_tracer}, {block}, by_element);
    };
    bool same = agree(false);
    steps += old_tracer.steps() + new_tracer.steps();
    if (!same)  // two ways to write one pattern?
      same = agree(true);
    if (!same) {
      agreement.first = Disagreement{LaunchId{id}, index};
      return agreement;
    }
    ++agreement.blocks;
  }
  return agreement;
}

}  // namespace heddle::emit
