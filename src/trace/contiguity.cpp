#include "trace/contiguity.h"

#include <algorithm>
#include <optional>

#include "kernel/axis_facts.h"
#include "kernel/tile_layout.h"

namespace heddle::trace {
namespace {

using kernel::Instruction;
using kernel::Opcode;
using kernel::ValueId;

constexpr std::int64_t kSpecialised = 16;  ///< arguments that are multiples of it are known to be

std::int64_t power_dividing(std::int64_t value) {
  if (value == 0) return kNoBound;
  const auto bits = static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(
      std::min(bits & (std::uint64_t{0} - bits), static_cast<std::uint64_t>(kNoBound)));
}

/// What is known of a value. All numbers are powers of two.
struct Known {
  std::int64_t divisor = kNoBound;  ///< of a scalar, or of the first element of every group
  ContiguityBound bound{};
  Known() { bound.fill(kNoBound); }
  /// Lowers this to what holds of both; true if that changed anything.
  bool meet(const Known& other) {
    const Known before = *this;
    divisor = std::min(divisor, other.divisor);
    for (std::size_t k = 0; k < bound.size(); ++k) bound[k] = std::min(bound[k], other.bound[k]);
    return divisor != before.divisor || bound != before.bound;
  }
};

class Analysis {
 public:
  Analysis(const kernel::KernelProgram& program, const config::Launch& launch)
      : program_(program), launch_(launch), known_(kernel::code_of(program).values.size()) {}

  std::vector<ContiguityBound> run() {
    std::vector<ContiguityBound> bounds(program_.sites.size());
    for (ContiguityBound& bound : bounds) bound.fill(kNoBound);
    // Everything only ever goes down, by halves: this ends.
    for (bool changed = true; changed;) {
      changed = false;
      for (const kernel::Block& block : kernel::code_of(program_).blocks) {
        for (const Instruction& instruction : block.code) {
          for (const ValueId result : instruction.results)
            if (result >= 0) changed |= at(result).meet(result_of(instruction));
          const bool is_access = instruction.op == Opcode::load ||
                                 instruction.op == Opcode::store ||
                                 instruction.op == Opcode::atomic;
          if (is_access)
            bounds[static_cast<std::size_t>(instruction.integers[0])] =
                at(instruction.operands[0]).bound;
        }
      }
    }
    return bounds;
  }

 private:
  Known& at(ValueId value) { return known_[static_cast<std::size_t>(value)]; }
  std::size_t rank(ValueId value) const {
    return std::min<std::size_t>(
        kernel::code_of(program_).values[static_cast<std::size_t>(value)].shape.size(), kMaxAxes);
  }

  std::int64_t divisor_of_parameter(std::size_t index) const {
    const kernel::Parameter& parameter = program_.parameters[index];
    const config::Value* value = &launch_.arguments[parameter.argument].value;
    if (const auto* list = std::get_if<config::ValueList>(&value->data)) {
      if (parameter.element < 0 || static_cast<std::size_t>(parameter.element) >= list->size())
        return 1;
      value = &(*list)[static_cast<std::size_t>(parameter.element)];
    }
    if (const auto* number = std::get_if<std::int64_t>(&value->data))
      return *number % kSpecialised == 0 ? kSpecialised : 1;
    return kSpecialised;
  }

  /// What an instruction makes of what is known of its operands.
  Known result_of(const Instruction& instruction) {
    Known result;
    switch (instruction.op) {
      case Opcode::constant_int:
        result.divisor = power_dividing(instruction.integers[0]);
        return result;
      case Opcode::parameter:
        result.divisor = divisor_of_parameter(static_cast<std::size_t>(instruction.integers[0]));
        return result;
      case Opcode::arange:
        result.divisor = power_dividing(instruction.integers[0]);
        return result;
      case Opcode::program_id:
      case Opcode::num_programs:
      case Opcode::load:
      case Opcode::atomic:
      case Opcode::for_range:
        result.divisor = 1;
        return result;
      case Opcode::multiply: {
        result = lowest(instruction);
        // A block's elements beside the first of a group are multiples of nothing.
        std::int64_t product = 1;
        for (const ValueId operand : instruction.operands)
          if (operand >= 0) product = std::min(kNoBound, product * at(operand).divisor);
        result.divisor = std::max(result.divisor, product);
        return result;
      }
      case Opcode::remainder:
      case Opcode::divide:
        return quotient(instruction);
      case Opcode::expand_dims:
        return moved(instruction, [&](std::size_t k) -> std::optional<std::size_t> {
          const auto place = static_cast<std::size_t>(instruction.integers[0]);
          if (k == place) return std::nullopt;
          return k < place ? k : k - 1;
        });
      case Opcode::permute:
        return moved(instruction, [&](std::size_t k) -> std::optional<std::size_t> {
          return static_cast<std::size_t>(instruction.integers[k]);
        });
      case Opcode::reshape:
      case Opcode::reduce:
      case Opcode::join:
      case Opcode::split:
      case Opcode::gather:
        return {};  // what is left is up to the addresses
      default:
        return lowest(instruction);
    }
  }

  /// Of a division or its remainder.
  Known quotient(const Instruction& instruction) {
    Known result = lowest(instruction);
    const std::int64_t by = at(instruction.operands[1]).divisor;
    const std::int64_t both = std::min(at(instruction.operands[0]).divisor, by);
    const auto& shape =
        kernel::code_of(program_).values[static_cast<std::size_t>(instruction.results[0])].shape;
    for (std::size_t k = 0; k < rank(instruction.results[0]); ++k)
      if (shape[k] > 1)
        result.bound[k] =
            std::min(result.bound[k], instruction.op == Opcode::remainder ? both : std::int64_t{1});
    result.divisor = instruction.op == Opcode::remainder ? both : 1;
    return result;
  }

  Known lowest(const Instruction& instruction) {
    Known result;
    for (const ValueId operand : instruction.operands)
      if (operand >= 0) result.meet(at(operand));
    return result;
  }

  template <class From>
  Known moved(const Instruction& instruction, From from) {
    const Known& operand = at(instruction.operands[0]);
    Known result;
    result.divisor = operand.divisor;
    for (std::size_t k = 0; k < rank(instruction.results[0]); ++k)
      if (const auto axis = from(k); axis && *axis < operand.bound.size())
        result.bound[k] = operand.bound[*axis];
    return result;
  }

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  std::vector<Known> known_;
};

}  // namespace

std::vector<ContiguityBound> mask_bounds(const kernel::KernelProgram& program,
                                         const config::Launch& launch) {
  ContiguityBound none;
  none.fill(kNoBound);
  std::vector<ContiguityBound> bounds(program.sites.size(), none);
  const kernel::TileProgram& code = kernel::code_of(program);
  const std::vector<kernel::Placed> order = kernel::in_order(code);
  const std::vector<kernel::AxisFacts> facts = kernel::axis_facts(program, launch, order);
  for (const kernel::Placed& placed : order) {
    const Instruction& access = *placed.instruction;
    if (!kernel::is_memory(access.op)) continue;
    const ValueId mask = kernel::mask_of(access);
    if (mask < 0) continue;
    const auto& shape = code.values[static_cast<std::size_t>(mask)].shape;
    for (std::size_t axis = 0; axis < std::min<std::size_t>(shape.size(), kMaxAxes); ++axis)
      if (shape[axis] > 1)
        bounds[static_cast<std::size_t>(access.integers[0])][axis] =
            facts[static_cast<std::size_t>(mask)][axis].constant;
  }
  return bounds;
}

std::vector<ContiguityBound> contiguity_bounds(const kernel::KernelProgram& program,
                                               const config::Launch& launch) {
  return Analysis(program, launch).run();
}

}  // namespace heddle::trace
