#include "kernel/axis_facts.h"

#include <algorithm>
#include <set>

namespace heddle::kernel {
namespace {

constexpr std::int64_t kSpecialised = 16;  ///< arguments that are multiples of it are known to be
constexpr int kMostRounds = 20;

std::int64_t power_of_two_in(std::int64_t value) {
  if (value == 0) return kAnyNumber;
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t lowest = bits & (std::uint64_t{0} - bits);
  return static_cast<std::int64_t>(std::min(lowest, static_cast<std::uint64_t>(kAnyNumber)));
}

/// A multiple of `divisor` times a multiple of `other`.
std::int64_t product_of(std::int64_t divisor, std::int64_t other) {
  return divisor >= kAnyNumber / other ? kAnyNumber : divisor * other;
}

class AxisAnalysis {
 public:
  AxisAnalysis(const KernelProgram& program, const config::Launch& launch)
      : program_(program),
        code_(code_of(program)),
        launch_(launch),
        facts_(code_.values.size()),
        seen_(code_.values.size()) {
    for (const config::Argument& argument : launch.arguments)
      if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
        if (!argument.is_constexpr && *number != 1 && *number % kSpecialised != 0)
          unaligned_.insert(*number);
  }

  std::vector<AxisFacts> run(const std::vector<Placed>& order) {
    find_ones(order);
    // Facts only get weaker, by halves: this ends, and a few rounds are enough for most loops.
    for (int round = 0, changed = 1; changed != 0 && round < kMostRounds; ++round) {
      changed = 0;
      for (const auto& [instruction, loop] : order)
        for (const ValueId result : instruction->results)
          if (result >= 0) changed |= static_cast<int>(meet(result, found(*instruction, result)));
    }
    return std::move(facts_);
  }

 private:
  /// Values that are 1 wherever they are written, also by what a loop carries.
  void find_ones(const std::vector<Placed>& order) {
    for (const auto& [instruction, loop] : order)
      for (const ValueId result : instruction->results)
        if (result >= 0) ones_.insert(result);
    bool changed = true;
    for (int round = 0; changed && round < kMostRounds; ++round) {
      changed = false;
      for (const auto& [instruction, loop] : order) {
        const bool hands_on = instruction->op == Opcode::cast || instruction->op == Opcode::copy;
        const bool is_one =
            (instruction->op == Opcode::constant_int && instruction->integers[0] == 1) ||
            (hands_on && ones_.contains(instruction->operands[0]));
        if (is_one) continue;
        for (const ValueId result : instruction->results) changed |= ones_.erase(result) > 0;
      }
    }
    if (changed) ones_.clear();
  }

  const std::vector<std::int64_t>& shape_of(ValueId value) const {
    return code_.values[static_cast<std::size_t>(value)].shape;
  }
  std::size_t rank(ValueId value) const { return std::min(shape_of(value).size(), kFactAxes); }

  static AxisFacts all(const AxisFact& fact) {
    AxisFacts facts;
    facts.fill(fact);
    return facts;
  }

  /// An operand beside others: an extent of 1 stands for any extent.
  AxisFacts operand(const Instruction& instruction, std::size_t k) const {
    const ValueId value = k < instruction.operands.size() ? instruction.operands[k] : kNoValue;
    if (value < 0) return {};
    AxisFacts facts = facts_[static_cast<std::size_t>(value)];
    for (std::size_t axis = 0; axis < rank(value); ++axis)
      if (shape_of(value)[axis] == 1) facts[axis].constant = kAnyNumber;
    return facts;
  }

  bool meet(ValueId value, const AxisFacts& more) {
    const auto at = static_cast<std::size_t>(value);
    const AxisFacts before = facts_[at];
    for (std::size_t axis = 0; axis < kFactAxes; ++axis) {
      AxisFact fact = more[axis];
      if (axis < rank(value)) fact.contiguous = std::min(fact.contiguous, shape_of(value)[axis]);
      if (seen_[at]) {
        fact.contiguous = std::min(fact.contiguous, before[axis].contiguous);
        fact.divisor = std::min(fact.divisor, before[axis].divisor);
        fact.constant = std::min(fact.constant, before[axis].constant);
      }
      facts_[at][axis] = fact;
    }
    const bool changed = !seen_[at] || facts_[at] != before;
    seen_[at] = true;
    return changed;
  }

  std::int64_t divisor_of_parameter(std::size_t index) const {
    const Parameter& parameter = program_.parameters[index];
    const auto* number =
        std::get_if<std::int64_t>(&launch_.arguments[parameter.argument].value.data);
    return number == nullptr || *number % kSpecialised == 0 ? kSpecialised : 1;
  }

  AxisFacts found(const Instruction& instruction, ValueId result) const {
    switch (instruction.op) {
      case Opcode::constant_int: {
        const std::int64_t value = instruction.integers[0];
        return all({1, unaligned_.contains(value) ? 1 : power_of_two_in(value), kAnyNumber});
      }
      case Opcode::parameter:
        return all({1, divisor_of_parameter(static_cast<std::size_t>(instruction.integers[0])),
                    kAnyNumber});
      case Opcode::arange:
        return all({kAnyNumber, power_of_two_in(instruction.integers[0]), 1});
      case Opcode::for_range:
        return all(
            {1, std::min(operand(instruction, 0)[0].divisor, operand(instruction, 2)[0].divisor),
             kAnyNumber});
      case Opcode::cast: {
        const auto is_integer = [&](ValueId value) {
          return config::is_integer(code_.values[static_cast<std::size_t>(value)].element);
        };
        // Triton follows no conversion from or to floating point.
        if (is_integer(result) && is_integer(instruction.operands[0]))
          return operand(instruction, 0);
        return all({1, 1, rank(result) == 0 ? kAnyNumber : 1});
      }
      case Opcode::copy:
      case Opcode::bitcast:
      case Opcode::broadcast:
        return operand(instruction, 0);
      case Opcode::multiply:
        if (ones_.contains(instruction.operands[0])) return operand(instruction, 1);
        if (ones_.contains(instruction.operands[1])) return operand(instruction, 0);
        return of_elements(instruction);
      case Opcode::expand_dims:
        return expanded(instruction);
      case Opcode::permute:
        return permuted(instruction);
      case Opcode::block_pointer:
        return block(instruction);
      case Opcode::bounds_mask:
        return all({1, 1, kSpecialised});
      default:
        if (is_elementwise(instruction.op)) return of_elements(instruction);
        return all({1, 1, rank(result) == 0 ? kAnyNumber : 1});
    }
  }

  AxisFacts of_elements(const Instruction& instruction) const {
    const AxisFacts a = operand(instruction, 0);
    const AxisFacts b = operand(instruction, 1);
    const AxisFacts c = operand(instruction, 2);
    AxisFacts facts;
    for (std::size_t axis = 0; axis < kFactAxes; ++axis) {
      AxisFact& fact = facts[axis];
      fact.constant = std::min(a[axis].constant, b[axis].constant);
      fact.divisor = std::min(a[axis].divisor, b[axis].divisor);
      switch (instruction.op) {
        case Opcode::add:
        case Opcode::subtract:
        case Opcode::add_pointer:
          fact = sum(instruction, a[axis], b[axis]);
          break;
        case Opcode::multiply:
          fact.divisor = product_of(scaled(a[axis]), scaled(b[axis]));
          break;
        case Opcode::remainder:
          fact.contiguous = std::min(a[axis].contiguous, fact.divisor);
          break;
        case Opcode::divide:
          fact.constant = std::max(
              fact.constant, std::min({a[axis].contiguous, a[axis].divisor, b[axis].divisor}));
          fact.divisor = 1;
          break;
        case Opcode::less:
        case Opcode::greater_equal:
          fact.constant = std::max(fact.constant, compared(a[axis], b[axis]));
          fact.divisor = 1;
          break;
        case Opcode::less_equal:
        case Opcode::greater:
          fact.constant = std::max(fact.constant, compared(b[axis], a[axis]));
          fact.divisor = 1;
          break;
        case Opcode::minimum:
        case Opcode::maximum:
          break;
        case Opcode::select:
          fact.divisor = std::min(b[axis].divisor, c[axis].divisor);
          fact.constant = std::min(fact.constant, c[axis].constant);
          break;
        default:
          fact.divisor = 1;
      }
    }
    return facts;
  }

  /// Elements beside the first of a group are multiples of nothing.
  static std::int64_t scaled(const AxisFact& fact) {
    return fact.contiguous > 1 ? 1 : fact.divisor;
  }

  AxisFact sum(const Instruction& instruction, const AxisFact& a, const AxisFact& b) const {
    AxisFact fact;
    fact.contiguous = std::min(a.contiguous, b.constant);
    if (instruction.op != Opcode::subtract)
      fact.contiguous = std::max(fact.contiguous, std::min(a.constant, b.contiguous));
    const bool is_pointer = instruction.op == Opcode::add_pointer;
    const Type& type = code_.values[static_cast<std::size_t>(instruction.results[0])];
    fact.divisor =
        std::min(a.divisor,
                 is_pointer ? product_of(b.divisor, config::byte_width(type.element)) : b.divisor);
    fact.constant = std::min(a.constant, b.constant);
    return fact;
  }

  /// In how large a group an index below a limit, or not, gives one answer.
  static std::int64_t compared(const AxisFact& index, const AxisFact& limit) {
    if (limit.constant < index.contiguous) return 1;
    return std::min({index.contiguous, index.divisor, limit.divisor});
  }

  AxisFacts expanded(const Instruction& instruction) const {
    const ValueId from = instruction.operands[0];
    const AxisFacts before = facts_[static_cast<std::size_t>(from)];
    if (rank(from) == 0) return before;
    const auto place = static_cast<std::size_t>(instruction.integers[0]);
    std::int64_t divisor = kAnyNumber;
    for (std::size_t axis = 0; axis < rank(from); ++axis)
      divisor = std::min(divisor, scaled(before[axis]));
    AxisFacts facts;
    for (std::size_t axis = 0; axis < kFactAxes; ++axis)
      facts[axis] = axis == place  ? AxisFact{1, divisor, kAnyNumber}
                    : axis < place ? before[axis]
                                   : before[axis - 1];
    return facts;
  }

  AxisFacts permuted(const Instruction& instruction) const {
    const AxisFacts before = facts_[static_cast<std::size_t>(instruction.operands[0])];
    AxisFacts facts;
    for (std::size_t axis = 0; axis < std::min(instruction.integers.size(), kFactAxes); ++axis)
      facts[axis] =
          before[std::min(static_cast<std::size_t>(instruction.integers[axis]), kFactAxes - 1)];
    return facts;
  }

  /// base, offsets, strides: the axis whose stride is 1 is contiguous.
  AxisFacts block(const Instruction& instruction) const {
    const std::size_t axes = rank(instruction.results[0]);
    const Type& type = code_.values[static_cast<std::size_t>(instruction.results[0])];
    const std::int64_t bytes = config::byte_width(type.element);
    AxisFacts facts = all({1, bytes, 1});
    for (std::size_t axis = 0; axis < axes; ++axis)
      if (ones_.contains(instruction.operands[1 + axes + axis]))
        facts[axis] = {type.shape[axis], kSpecialised, 1};
    return facts;
  }

  const KernelProgram& program_;
  const TileProgram& code_;
  const config::Launch& launch_;
  std::set<std::int64_t> unaligned_;  ///< arguments that are multiples of nothing known
  std::set<ValueId> ones_;
  std::vector<AxisFacts> facts_;
  std::vector<bool> seen_;
};

}  // namespace

std::vector<AxisFacts> axis_facts(const KernelProgram& program, const config::Launch& launch,
                                  const std::vector<Placed>& order) {
  return AxisAnalysis(program, launch).run(order);
}

}  // namespace heddle::kernel
