#include "kernel/index_code.h"

#include <algorithm>

namespace heddle::kernel {
namespace {

/// Integer arithmetic without effects.
bool is_arithmetic(Opcode op) {
  switch (op) {
    case Opcode::constant_int:
    case Opcode::parameter:
    case Opcode::program_id:
    case Opcode::num_programs:
    case Opcode::copy:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::remainder:
    case Opcode::minimum:
    case Opcode::maximum:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::shift_left:
    case Opcode::shift_right:
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
    case Opcode::negate:
    case Opcode::bit_not:
    case Opcode::absolute:
    case Opcode::multiply_high:
    case Opcode::cast:
    case Opcode::select:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool IndexCode::is_scalar(ValueId value) const {
  if (value < 0) return false;
  const Type& type = code_of(program_).values[static_cast<std::size_t>(value)];
  return type.shape.empty() && !type.pointer && config::is_integer(type.element);
}

IndexCode::IndexCode(const KernelProgram& program)
    : program_(program),
      is_index_(code_of(program).values.size(), 0),
      from_block_(code_of(program).values.size(), 0),
      writers_(code_of(program).values.size(), 0),
      writer_(code_of(program).values.size(), nullptr),
      last_write_(code_of(program).values.size(), -1) {
  std::int64_t position = 0;
  find_writers(0, true, position);
  for (std::size_t i = 0; i < code_of(program).values.size(); ++i)
    is_index_[i] = is_scalar(static_cast<ValueId>(i)) && writers_[i] > 0 ? 1 : 0;
  constexpr int kMostRounds = 500;
  int rounds = 0;
  while (strike_out(0, true) && rounds < kMostRounds) ++rounds;
  while (mark_from_block(0, false) && rounds < kMostRounds) ++rounds;
  if (rounds >= kMostRounds) std::fill(is_index_.begin(), is_index_.end(), 0);
}

void IndexCode::find_writers(BlockId block, bool is_outer, std::int64_t& position) {
  for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
    for (const ValueId result : one.results) {
      const auto index = static_cast<std::size_t>(result);
      ++writers_[index];
      writer_[index] = &one;
      last_write_[index] = position;
    }
    const bool stays_outer = is_outer && one.op == Opcode::scope;
    for (const BlockId inner : {one.body, one.other})
      if (inner != kNoBlock) find_writers(inner, stays_outer, position);
    if (is_outer && !stays_outer) ++position;
  }
}

bool IndexCode::is_pure_body(BlockId block, std::int64_t scopes) const {
  if (block == kNoBlock) return true;
  const auto& code = code_of(program_).blocks[static_cast<std::size_t>(block)].code;
  return std::all_of(code.begin(), code.end(), [&](const Instruction& one) {
    if (one.op == Opcode::leave) return one.integers.at(0) <= scopes;
    if (!is_control(one.op)) return is_index_code(one);
    const std::int64_t inside = scopes + (one.op == Opcode::scope ? 1 : 0);
    return std::all_of(one.operands.begin(), one.operands.end(),
                       [&](ValueId value) { return is_index(value); }) &&
           std::all_of(one.results.begin(), one.results.end(),
                       [&](ValueId value) { return is_index(value); }) &&
           is_pure_body(one.body, inside) && is_pure_body(one.other, inside);
  });
}

bool IndexCode::is_index_code(const Instruction& one) const {
  const auto all_index = [&](const std::vector<ValueId>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](ValueId value) { return is_index(value); });
  };
  if (!all_index(one.operands) || !all_index(one.results)) return false;
  if (is_arithmetic(one.op)) return !one.results.empty();
  if (!is_control(one.op)) return false;
  const std::int64_t scopes = one.op == Opcode::scope ? 1 : 0;
  return is_pure_body(one.body, scopes) && is_pure_body(one.other, scopes);
}

/// Takes results of other code out of the index values; true if some were.
bool IndexCode::strike_out(BlockId block, bool is_outer) {
  bool changed = false;
  for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
    const bool is_pure = is_index_code(one);
    for (const ValueId result : one.results) {
      const auto index = static_cast<std::size_t>(result);
      if (is_index_[index] == 0) continue;
      // Inside of other code, what is written more than once, or made of that, changes with time.
      bool stays = is_pure && (is_outer || (writers_[index] == 1 && !is_control(one.op)));
      if (!is_outer)
        for (const ValueId operand : one.operands)
          stays = stays && writers_[static_cast<std::size_t>(operand)] == 1;
      if (stays) continue;
      is_index_[index] = 0;
      changed = true;
    }
    if (is_pure && is_outer) continue;  // a whole loop or branch of index code
    const bool stays_outer = is_outer && one.op == Opcode::scope;
    for (const BlockId inner : {one.body, one.other})
      if (inner != kNoBlock) changed = strike_out(inner, stays_outer) || changed;
  }
  return changed;
}

bool IndexCode::mark_from_block(BlockId block, bool decided) {
  bool changed = false;
  for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
    bool from_block = decided || one.op == Opcode::program_id;
    for (const ValueId operand : one.operands) from_block = from_block || is_from_block(operand);
    for (const BlockId inner : {one.body, one.other})
      if (inner != kNoBlock) changed = mark_from_block(inner, from_block) || changed;
    for (const ValueId result : one.results) {
      char& flag = from_block_[static_cast<std::size_t>(result)];
      if (!from_block || flag != 0) continue;
      flag = 1;
      changed = true;
    }
  }
  return changed;
}

}  // namespace heddle::kernel
