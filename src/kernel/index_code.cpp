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

IndexCode::IndexCode(const KernelProgram& program, Turns turns)
    : program_(program),
      is_index_(code_of(program).values.size(), 0),
      from_block_(code_of(program).values.size(), 0),
      writers_(code_of(program).values.size(), 0),
      writer_(code_of(program).values.size(), nullptr),
      last_write_(code_of(program).values.size(), -1) {
  if (turns == Turns::apart) find_loops(0);
  std::int64_t position = 0;
  find_writers(0, true, position);
  for (std::size_t i = 0; i < code_of(program).values.size(); ++i)
    is_index_[i] = is_scalar(static_cast<ValueId>(i)) && writers_[i] > 0 ? 1 : 0;
  constexpr int kMostRounds = 500;
  int rounds = 0;
  while (strike_out(0, true) && rounds < kMostRounds) ++rounds;
  while (mark_from_block(0, false, false) && rounds < kMostRounds) ++rounds;
  if (rounds >= kMostRounds) std::fill(is_index_.begin(), is_index_.end(), 0);
  find_guards(0, 0);
}

/// Up to the first instruction that does something.
void IndexCode::find_guards(BlockId block, std::int64_t scopes) {
  const auto is_idle = [this](const Instruction& one) {
    return is_source(one.op) || is_pure(one.op) || is_index_code(one);
  };
  const auto& code = code_of(program_).blocks[static_cast<std::size_t>(block)].code;
  for (auto one = code.begin(); one != code.end(); ++one) {
    if (is_guard(*one, scopes)) {
      guards_.insert(&*one);
    } else if (one->op == Opcode::scope && !is_index_code(*one)) {
      if (scopes > 0 || std::all_of(one + 1, code.end(), is_idle))
        find_guards(one->body, scopes + 1);
      return;
    } else if (!is_idle(*one)) {
      return;
    }
  }
}

/// It leaves all scopes around it: nothing follows.
bool IndexCode::is_guard(const Instruction& one, std::int64_t scopes) const {
  if (one.op != Opcode::if_else || !one.results.empty() || scopes == 0 ||
      !is_index(one.operands.front()) || !is_from_block(one.operands.front()))
    return false;
  const auto& blocks = code_of(program_).blocks;
  if (one.other != kNoBlock && !blocks[static_cast<std::size_t>(one.other)].code.empty())
    return false;
  const auto& body = blocks[static_cast<std::size_t>(one.body)].code;
  return body.size() == 1 && body.front().op == Opcode::leave &&
         body.front().integers.at(0) == scopes;
}

bool IndexCode::is_plain_scope(const Instruction& one) const {
  return one.op == Opcode::scope && position(one) >= 0 && !is_left_early(one.body, 0);
}

bool IndexCode::is_left_early(BlockId block, std::int64_t scopes) const {
  if (block == kNoBlock) return false;
  const auto& code = code_of(program_).blocks[static_cast<std::size_t>(block)].code;
  return std::any_of(code.begin(), code.end(), [&](const Instruction& one) {
    if (one.op == Opcode::leave) return one.integers.at(0) > scopes;
    const std::int64_t inside = scopes + (one.op == Opcode::scope ? 1 : 0);
    return guards_.count(&one) == 0 &&
           (is_left_early(one.body, inside) || is_left_early(one.other, inside));
  });
}

/// The outermost loops: those of the entry block, and of scopes in it.
void IndexCode::find_loops(BlockId block) {
  for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
    if (one.op == Opcode::for_range || one.op == Opcode::while_loop) loops_.insert(&one);
    if (one.op == Opcode::scope) find_loops(one.body);
  }
}

void IndexCode::find_writers(BlockId block, bool is_outer, std::int64_t& position) {
  for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
    if (is_outer) positions_[&one] = position;
    for (const ValueId result : one.results) {
      const auto index = static_cast<std::size_t>(result);
      ++writers_[index];
      writer_[index] = &one;
      last_write_[index] = position;
    }
    const bool is_loop = loops_.count(&one) > 0;
    const bool is_inner_outer = is_outer && (one.op == Opcode::scope || is_loop);
    if (is_loop) ++position;
    for (const BlockId inner : {one.other, one.body})
      if (inner != kNoBlock) find_writers(inner, is_inner_outer, position);
    if (is_outer && !is_inner_outer) ++position;
  }
}

std::int64_t IndexCode::position(const Instruction& instruction) const {
  const auto found = positions_.find(&instruction);
  return found == positions_.end() ? -1 : found->second;
}

bool IndexCode::are_index(const std::vector<ValueId>& values) const {
  return std::all_of(values.begin(), values.end(), [&](ValueId value) { return is_index(value); });
}

bool IndexCode::is_tile_loop(const Instruction& one) const {
  return loops_.count(&one) > 0 && are_index(one.operands) && are_index(one.results) &&
         is_pure_body(one.other, 0) && !is_index_code(one);
}

/// What stands in it is as if it stood around it.
bool IndexCode::stays_outer(const Instruction& one) const {
  return one.op == Opcode::scope || is_tile_loop(one);
}

bool IndexCode::is_pure_body(BlockId block, std::int64_t scopes) const {
  if (block == kNoBlock) return true;
  const auto& code = code_of(program_).blocks[static_cast<std::size_t>(block)].code;
  return std::all_of(code.begin(), code.end(), [&](const Instruction& one) {
    if (one.op == Opcode::leave) return one.integers.at(0) <= scopes;
    if (!is_control(one.op)) return is_index_code(one);
    const std::int64_t inside = scopes + (one.op == Opcode::scope ? 1 : 0);
    return are_index(one.operands) && are_index(one.results) && is_pure_body(one.body, inside) &&
           is_pure_body(one.other, inside);
  });
}

bool IndexCode::is_index_code(const Instruction& one) const {
  if (guards_.count(&one) > 0) return true;
  if (!are_index(one.operands) || !are_index(one.results)) return false;
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
      bool stays = (is_pure || is_tile_loop(one)) &&
                   (is_outer || (writers_[index] == 1 && !is_control(one.op)));
      if (!is_outer)
        for (const ValueId operand : one.operands)
          stays = stays && writers_[static_cast<std::size_t>(operand)] == 1;
      if (stays) continue;
      is_index_[index] = 0;
      changed = true;
    }
    if (is_pure && is_outer) continue;  // a whole loop or branch of index code
    const bool is_inner_outer = is_outer && stays_outer(one);
    for (const BlockId inner : {one.body, one.other})
      if (inner != kNoBlock) changed = strike_out(inner, is_inner_outer) || changed;
  }
  return changed;
}

/// `is_turn`: of the body of a loop over tiles, where what one turn hands to the next differs.
bool IndexCode::mark_from_block(BlockId block, bool decided, bool is_turn) {
  bool changed = false;
  for (const Instruction& one : code_of(program_).blocks[static_cast<std::size_t>(block)].code) {
    const bool is_loop = is_tile_loop(one);
    bool from_block = decided || one.op == Opcode::program_id;
    for (const ValueId operand : one.operands) from_block = from_block || is_from_block(operand);
    const bool is_inner_turn = is_loop || is_turn;
    for (const BlockId inner : {one.body, one.other})
      if (inner != kNoBlock)
        changed = mark_from_block(inner, from_block && !is_loop, is_inner_turn) || changed;
    for (const ValueId result : one.results) {
      char& flag = from_block_[static_cast<std::size_t>(result)];
      const bool is_of_turn = is_loop || (is_turn && !is_written_once(result));
      if (!(from_block || is_of_turn) || flag != 0) continue;
      flag = 1;
      changed = true;
    }
  }
  return changed;
}

}  // namespace heddle::kernel
