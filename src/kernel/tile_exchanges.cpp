#include <algorithm>
#include <map>
#include <optional>

#include "kernel/tile_shared.h"

namespace heddle::kernel {
namespace {

/// A list as it was loaded.
struct LoadedList {
  const Instruction* again = nullptr;  ///< the load of fewer elements than threads; null: of more
  std::int64_t bytes = 0;
  std::int64_t held = 1;                 ///< neighbours of one lane
  std::optional<std::size_t> axis = {};  ///< of the block that it became a row or column of
};

/// How a value lies in the threads. Without a layout it is computed wherever it is wanted.
struct Spread {
  std::optional<TileLayout> layout;
  bool is_reduced = false;
  std::vector<LoadedList> lists;  ///< behind it, not yet brought to a layout
};

class Exchanges {
 public:
  Exchanges(const TileProgram& code, const std::vector<Placed>& order,
            const std::vector<AccessLayout>& accesses, const ThreadShape& threads)
      : code_(code), order_(order), threads_(threads), spread_(code.values.size()) {
    for (const AccessLayout& access : accesses) accesses_[access.instruction] = &access;
  }

  std::int64_t bytes() {
    run();
    return most_ > 0 ? most_ : reduced_;
  }

  std::map<const Instruction*, std::int64_t> lookups() {
    run();
    return std::move(lookups_);
  }

 private:
  void run() {
    for (int round = 0; round < 2; ++round) {  // the second knows what loops carry
      most_ = reduced_ = 0;
      lookups_.clear();
      for (const auto& [instruction, loop] : order_) visit(*instruction);
    }
  }

  const Type& type_of(ValueId value) const { return code_.values[static_cast<std::size_t>(value)]; }
  std::int64_t bytes_of(ValueId value) const {
    return type_of(value).elements() * config::byte_width(type_of(value).element);
  }
  Spread& spread(ValueId value) { return spread_[static_cast<std::size_t>(value)]; }

  void exchange(std::int64_t bytes) { most_ = std::max(most_, bytes); }

  void visit(const Instruction& instruction) {
    if (instruction.op == Opcode::store || instruction.op == Opcode::atomic) store(instruction);
    if (instruction.results.empty() || instruction.results[0] < 0) return;
    const ValueId result = instruction.results[0];
    switch (instruction.op) {
      case Opcode::load:
        spread(result) = loaded(instruction);
        break;
      case Opcode::expand_dims:
        spread(result) = expanded(instruction);
        break;
      case Opcode::permute:
        spread(result) = permuted(instruction);
        break;
      case Opcode::reduce:
        spread(result) = reduced(instruction);
        break;
      case Opcode::atomic:
        break;
      default:
        spread(result) = type_of(result).pointer ? Spread{} : merged(instruction);
    }
  }

  Spread loaded(const Instruction& load) const {
    const auto found = accesses_.find(&load);
    if (found == accesses_.end()) return {};
    const AccessLayout& access = *found->second;
    const auto& shape = access.type->shape;
    const std::size_t first = access.layout.order[0];
    LoadedList list{nullptr, access.elements() * config::byte_width(access.type->element),
                    access.layout.held[first], std::nullopt};
    if (access.elements() < threads_.count()) {  // loaded again where it is wanted
      list.again = &load;
      if (shape.size() == 1) return {std::nullopt, false, {list}};
      if (std::count_if(shape.begin(), shape.end(), [](std::int64_t e) { return e > 1; }) != 1)
        return {};
    }
    if (shape.size() == 1) return {access.layout, false, {list}};
    if (std::count_if(shape.begin(), shape.end(), [](std::int64_t e) { return e > 1; }) != 1)
      return {access.layout, false, {}};
    list.axis = static_cast<std::size_t>(
        std::find_if(shape.begin(), shape.end(), [](std::int64_t e) { return e > 1; }) -
        shape.begin());
    return {std::nullopt, false, {list}};
  }

  Spread expanded(const Instruction& instruction) {
    Spread result;
    if (type_of(instruction.results[0]).shape.size() != 2) return result;
    result.lists = spread(instruction.operands[0]).lists;
    for (LoadedList& list : result.lists) list.axis = instruction.integers[0] == 0 ? 1 : 0;
    return result;
  }

  Spread permuted(const Instruction& instruction) {
    const Spread& from = spread(instruction.operands[0]);
    Spread result;
    result.lists = from.lists;
    if (!from.layout || from.layout->order.size() != instruction.integers.size()) return result;
    TileLayout& layout = result.layout.emplace(*from.layout);
    for (std::size_t axis = 0; axis < layout.order.size(); ++axis) {
      const auto before = static_cast<std::size_t>(instruction.integers[axis]);
      layout.held[axis] = from.layout->held[before];
      layout.lanes[axis] = from.layout->lanes[before];
      layout.waves[axis] = from.layout->waves[before];
      const auto place = std::find(from.layout->order.begin(), from.layout->order.end(), before);
      layout.order[static_cast<std::size_t>(place - from.layout->order.begin())] = axis;
    }
    return result;
  }

  /// A sum over several waves goes through shared memory, a number for each of them.
  Spread reduced(const Instruction& instruction) {
    const ValueId from = instruction.operands[0];
    const auto& shape = type_of(from).shape;
    if (shape.empty()) return {};
    const auto axis = static_cast<std::size_t>(instruction.integers[1]);
    if (!spread(from).layout) {
      spread(from).layout = plain_layout(shape, threads_);
      settle(spread(from).lists, *spread(from).layout);
    }
    const auto& waves = spread(from).layout->waves;
    if (axis < waves.size() && waves[axis] > 1)
      exchange(bytes_of(instruction.results[0]) * waves[axis]);
    return {std::nullopt, !type_of(instruction.results[0]).shape.empty(), {}};
  }

  void store(const Instruction& instruction) {
    const auto found = accesses_.find(&instruction);
    const ValueId value = instruction.operands[1];
    if (found == accesses_.end() || value < 0) return;
    const AccessLayout& access = *found->second;
    const Spread& from = spread(value);
    if (from.is_reduced)
      reduced_ = std::max(reduced_, bytes_of(value));
    else if (!from.layout)
      settle(from.lists, access.layout);
    else if (*from.layout != access.layout)
      exchange(access.elements() * config::byte_width(access.type->element));
  }

  /// An operation on blocks: the first layout is that of the result.
  Spread merged(const Instruction& instruction) {
    const ValueId result = instruction.results[0];
    Spread merged;
    for (const ValueId operand : instruction.operands) {
      if (operand < 0) continue;
      const Spread& from = spread(operand);
      merged.is_reduced |= from.is_reduced && type_of(result).shape.size() == 1;
      if (from.layout && !merged.layout)
        merged.layout = from.layout;
      else if (from.layout && *from.layout != *merged.layout)
        exchange(bytes_of(operand));
      merged.lists.insert(merged.lists.end(), from.lists.begin(), from.lists.end());
    }
    if (merged.layout && type_of(result).shape.size() > 1) {
      settle(merged.lists, *merged.layout);
      merged.lists.clear();
    }
    if (merged.lists.size() > kMostLists) merged.lists.resize(kMostLists);
    if (instruction.op == Opcode::copy && !merged.layout) {
      merged.layout = spread(result).layout;
      // Nothing in memory gives what a loop carries a layout.
      if (!merged.layout && type_of(result).shape.size() == 2)
        load_again(merged.lists, plain_layout(type_of(result).shape, threads_));
    }
    return merged;
  }

  /// Every thread loads what it needs of short lists. A warp looks up a line at a time.
  void load_again(std::vector<LoadedList>& lists, const TileLayout& layout) {
    for (const LoadedList& list : lists) {
      if (list.again == nullptr || !list.axis || *list.axis >= layout.lanes.size()) continue;
      const std::size_t axis = *list.axis;
      const Type& type = type_of(list.again->results[0]);
      const std::int64_t width = std::max(1, config::byte_width(type.element));
      const std::int64_t vector =
          axis == layout.order[0] ? std::min(layout.held[axis], kVectorBytes / width) : 1;
      const std::int64_t turns =
          layout.share(axis, type.elements()) / std::max<std::int64_t>(1, vector);
      const std::int64_t lines = layout.lanes[axis] * vector * width / kLineBytes;
      std::int64_t& lookups = lookups_[list.again];
      lookups = std::max(lookups, threads_.waves * std::max<std::int64_t>(1, turns) *
                                      std::max<std::int64_t>(1, lines));
    }
    std::erase_if(lists, [](const LoadedList& list) { return list.again != nullptr; });
  }

  void settle(std::vector<LoadedList> lists, const TileLayout& layout) {
    load_again(lists, layout);
    for (const LoadedList& list : lists) {
      if (!list.axis || *list.axis >= layout.lanes.size()) continue;
      const std::size_t axis = *list.axis;
      if (layout.held[axis] != list.held || layout.lanes[axis] != threads_.lanes ||
          layout.waves[axis] != threads_.waves)
        exchange(list.bytes);
    }
  }

  static constexpr std::size_t kMostLists = 64;
  static constexpr std::int64_t kLineBytes = 128;
  static constexpr std::int64_t kVectorBytes = 16;  ///< the widest load of one lane

  const TileProgram& code_;
  const std::vector<Placed>& order_;
  ThreadShape threads_;
  std::vector<Spread> spread_;
  std::map<const Instruction*, const AccessLayout*> accesses_;
  std::int64_t most_ = 0;
  std::int64_t reduced_ = 0;  ///< the largest result of a sum that is stored
  std::map<const Instruction*, std::int64_t> lookups_;  ///< of loads that are made again
};

}  // namespace

std::int64_t exchanged_bytes(const TileProgram& code, const std::vector<Placed>& order,
                             const std::vector<AccessLayout>& accesses,
                             const ThreadShape& threads) {
  return Exchanges(code, order, accesses, threads).bytes();
}

std::vector<std::int64_t> repeated_lookups(const KernelProgram& program,
                                           const config::Launch& launch,
                                           const ThreadShape& threads) {
  std::vector<std::int64_t> lookups(program.sites.size());
  const TileProgram& code = code_of(program);
  const std::vector<Placed> order = in_order(code);
  if (order.size() > kMostInstructions) return lookups;
  const std::vector<AccessLayout> accesses =
      access_layouts(code, order, axis_facts(program, launch, order), threads);
  for (const auto& [load, count] : Exchanges(code, order, accesses, threads).lookups())
    lookups[static_cast<std::size_t>(load->integers[0])] = count;
  return lookups;
}

}  // namespace heddle::kernel
