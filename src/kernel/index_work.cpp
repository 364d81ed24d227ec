// What a program does with its coordinates, as one number (index_probe.h).
#include <functional>
#include <map>

#include "kernel/index_graph.h"
#include "kernel/index_probe.h"

namespace heddle::kernel {
namespace {

class WorkReader {
 public:
  WorkReader(const IndexProbe& probe, const std::vector<int>& coordinate)
      : program_(probe.whole), code_(code_of(probe.whole)), graph_(probe.whole) {
    for (std::size_t i = 0; i < coordinate.size(); ++i)
      if (coordinate[i] >= 0) known_[probe.values[i]] = mix(kCoordinate, coordinate[i]);
  }

  std::uint64_t run() {
    read(0);
    return result_;
  }

 private:
  static constexpr std::uint64_t kCoordinate = 0x9e3779b97f4a7c15;

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t mixed = (a ^ (b + kCoordinate + (a << 6U) + (a >> 2U))) * 0xff51afd7ed558ccd;
    return mixed ^ (mixed >> 33U);
  }
  static std::uint64_t mix(std::uint64_t a, std::int64_t b) {
    return mix(a, static_cast<std::uint64_t>(b));
  }
  static std::uint64_t mix(std::uint64_t a, int b) {
    return mix(a, static_cast<std::uint64_t>(static_cast<std::int64_t>(b)));
  }
  static std::uint64_t mix(std::uint64_t a, const std::string& text) {
    for (const char letter : text) a = mix(a, static_cast<int>(letter));
    return mix(a, static_cast<std::uint64_t>(text.size()));
  }

  /// An instruction by itself.
  std::uint64_t form(const Instruction& one) const {
    std::uint64_t made = mix(1, static_cast<int>(one.op));
    for (const ValueId result : one.results)
      made = mix(made, code_.values[static_cast<std::size_t>(result)].text());
    const bool is_memory =
        one.op == Opcode::load || one.op == Opcode::store || one.op == Opcode::atomic;
    for (std::size_t i = is_memory ? 1 : 0; i < one.integers.size(); ++i)
      made = mix(made, one.integers[i]);
    if (is_memory) {
      const Site& site = program_.sites[static_cast<std::size_t>(one.integers[0])];
      made = mix(mix(made, site.hint), static_cast<int>(site.element));
    }
    return mix(made, static_cast<std::uint64_t>(std::hash<double>{}(one.number)));
  }

  /// A value: a coordinate, how it is computed, or its place among those that change with time.
  std::uint64_t of(ValueId value) {
    if (value < 0) return 2;
    const auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    const auto& writers = graph_.writers(value);
    if (writers.size() != 1 || writers.front().instruction->op == Opcode::for_range)
      return known_[value] = mix(3, ++changing_);
    known_[value] = 4;  // a cycle, which a single writer cannot have
    std::uint64_t made = form(*writers.front().instruction);
    for (const ValueId operand : writers.front().instruction->operands)
      made = mix(made, of(operand));
    return known_[value] = made;
  }

  /// Instructions that matter by themselves: work, loops, and registers that are no coordinates.
  void read(BlockId block) {
    result_ = mix(result_, 5);
    for (const Instruction& one : code_.blocks[static_cast<std::size_t>(block)].code) {
      if (is_behind(one)) continue;
      if (graph_.is_transparent(one) && graph_.writers(one.results.front()).size() == 1) continue;
      result_ = mix(result_, form(one));
      for (const ValueId operand : one.operands) result_ = mix(result_, of(operand));
      for (const ValueId result : one.results)
        if (graph_.writers(result).size() > 1) result_ = mix(result_, of(result));
      for (const BlockId inner : {one.other, one.body})
        if (inner != kNoBlock) read(inner);
    }
    result_ = mix(result_, 6);
  }

  /// Writes nothing that is read on this side of the coordinates.
  bool is_behind(const Instruction& one) { return needed().count(&one) == 0; }

  /// Work, what it needs up to the coordinates, and the branches and loops around both.
  const std::map<const Instruction*, bool>& needed() {
    if (!needed_.empty()) return needed_;
    while (find_needed(0)) {
    }
    return needed_;
  }

  bool find_needed(BlockId block) {
    bool changed = false;
    for (const Instruction& one : code_.blocks[static_cast<std::size_t>(block)].code) {
      bool is_needed = needed_.count(&one) != 0;
      bool holds_needed = false;
      for (const BlockId inner : {one.other, one.body}) {
        if (inner == kNoBlock) continue;
        changed = find_needed(inner) || changed;
        for (const Instruction& nested : code_.blocks[static_cast<std::size_t>(inner)].code)
          holds_needed = holds_needed || needed_.count(&nested) != 0;
      }
      if (is_needed) continue;
      const bool is_control = one.op == Opcode::for_range || one.op == Opcode::while_loop ||
                              one.op == Opcode::if_else || one.op == Opcode::scope;
      is_needed =
          is_control ? holds_needed : one.op != Opcode::leave && !graph_.is_transparent(one);
      for (const ValueId result : one.results) is_needed = is_needed || wanted_.count(result) != 0;
      if (!is_needed) continue;
      needed_[&one] = true;
      changed = true;
      for (const ValueId operand : one.operands)
        if (operand >= 0 && known_.count(operand) == 0) wanted_[operand] = true;
    }
    return changed;
  }

  const KernelProgram& program_;
  const TileProgram& code_;
  IndexGraph graph_;
  std::map<ValueId, std::uint64_t> known_;
  std::map<ValueId, bool> wanted_;
  std::map<const Instruction*, bool> needed_;
  std::uint64_t result_ = 0;
  int changing_ = 0;
};

}  // namespace

std::uint64_t work_behind(const IndexProbe& probe, const std::vector<int>& coordinate) {
  return WorkReader(probe, coordinate).run();
}

}  // namespace heddle::kernel
