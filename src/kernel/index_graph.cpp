#include "kernel/index_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle::kernel {
namespace {

constexpr int kTextDepth = 4;

bool is_branching(Opcode op) {
  return op == Opcode::for_range || op == Opcode::while_loop || op == Opcode::if_else ||
         op == Opcode::scope || op == Opcode::leave;
}

/// Scalar in, scalar out.
bool makes_scalars(Opcode op) {
  return (op >= Opcode::constant_int && op <= Opcode::num_programs) ||
         (op >= Opcode::copy && op <= Opcode::add_pointer);
}

const char* operator_text(Opcode op) {
  switch (op) {
    case Opcode::add:
      return "+";
    case Opcode::subtract:
      return "-";
    case Opcode::multiply:
      return "*";
    case Opcode::remainder:
      return "%";
    case Opcode::bit_and:
      return "&";
    case Opcode::bit_or:
      return "|";
    case Opcode::bit_xor:
      return "^";
    case Opcode::shift_left:
      return "<<";
    case Opcode::shift_right:
      return ">>";
    default:
      return nullptr;
  }
}

}  // namespace

IndexGraph::IndexGraph(const KernelProgram& program)
    : program_(program),
      code_(code_of(program)),
      writers_(code_.values.size()),
      from_block_(code_.values.size(), 0),
      loaded_(code_.values.size(), 0),
      is_at_work_(code_.values.size(), 0),
      owners_(code_.blocks.size()),
      names_(code_.values.size(), -1) {
  collect(0);
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds && spread(0, false, false); ++round) {
  }
  find_work(0);
  for (std::size_t i = 0; i < code_.names.size(); ++i) {
    int& known = names_[static_cast<std::size_t>(code_.names[i].value)];
    const bool is_inner = known >= 0 &&
                          is_of_kernel(code_.names[static_cast<std::size_t>(known)]) &&
                          !is_of_kernel(code_.names[i]);
    if (!is_inner) known = static_cast<int>(i);
  }
}

bool IndexGraph::is_scalar(ValueId value) const {
  return value >= 0 && code_.values[static_cast<std::size_t>(value)].shape.empty();
}

bool IndexGraph::is_number(ValueId value) const {
  if (!is_scalar(value)) return false;
  const Type& type = code_.values[static_cast<std::size_t>(value)];
  return !type.pointer && config::is_integer(type.element) && type.element != DType::boolean;
}

void IndexGraph::collect(BlockId block) {
  for (const Instruction& one : code_.blocks[static_cast<std::size_t>(block)].code) {
    const std::int64_t position = position_++;
    const bool is_loop = one.op == Opcode::for_range;
    for (const ValueId result : one.results)
      writers_[static_cast<std::size_t>(result)].push_back(
          {&one, is_loop ? one.body : block, position});
    if (one.op == Opcode::store || one.op == Opcode::atomic)
      anchors_.push_back({&one, block, position});
    for (const BlockId inner : {one.other, one.body}) {
      if (inner == kNoBlock) continue;
      const ValueId condition = one.op == Opcode::if_else ? one.operands.at(0) : kNoValue;
      owners_[static_cast<std::size_t>(inner)] = {block, one.op, condition};
      collect(inner);
    }
  }
}

/// What depends on the block's index and what on memory; true if some were new.
bool IndexGraph::spread(BlockId block, bool by_block, bool by_data) {
  bool changed = false;
  const auto set = [&](std::vector<char>& flags, ValueId value) {
    char& flag = flags[static_cast<std::size_t>(value)];
    changed = changed || flag == 0;
    flag = 1;
  };
  for (const Instruction& one : code_.blocks[static_cast<std::size_t>(block)].code) {
    bool from_block = one.op == Opcode::program_id;
    bool loaded = one.op == Opcode::load || one.op == Opcode::atomic || one.op == Opcode::unknown;
    for (std::size_t i = 0; i < one.operands.size(); ++i) {
      if (one.op == Opcode::for_range && i == 1) continue;
      from_block = from_block || is_from_block(one.operands[i]);
      loaded = loaded || is_loaded(one.operands[i]);
    }
    for (const ValueId result : one.results) {
      const bool is_chosen = writers(result).size() > 1;
      if (from_block || (is_chosen && by_block)) set(from_block_, result);
      if (loaded || (is_chosen && by_data)) set(loaded_, result);
    }
    const bool is_if = one.op == Opcode::if_else;
    for (const BlockId inner : {one.other, one.body})
      if (inner != kNoBlock &&
          spread(inner, by_block || (is_if && from_block), by_data || (is_if && loaded)))
        changed = true;
  }
  return changed;
}

bool IndexGraph::is_transparent(const Instruction& one) const {
  const auto all_scalar = [&](const std::vector<ValueId>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](ValueId value) { return value < 0 || is_scalar(value); });
  };
  if (one.results.empty() || !all_scalar(one.results) || !all_scalar(one.operands)) return false;
  return makes_scalars(one.op) || (one.op == Opcode::load && is_number(one.results.front()));
}

void IndexGraph::find_work(BlockId block) {
  for (const Instruction& one : code_.blocks[static_cast<std::size_t>(block)].code) {
    for (const BlockId inner : {one.other, one.body})
      if (inner != kNoBlock) find_work(inner);
    if (is_branching(one.op) || is_transparent(one)) continue;
    for (const ValueId operand : one.operands) {
      if (!is_scalar(operand) || !is_from_block(operand)) continue;
      char& seen = is_at_work_[static_cast<std::size_t>(operand)];
      if (seen == 0) at_work_.push_back(operand);
      seen = 1;
    }
  }
}

std::vector<ValueId> IndexGraph::made_of(ValueId value) const {
  std::vector<ValueId> result;
  for (const Writer& writer : writers(value)) {
    const Instruction& one = *writer.instruction;
    const bool is_loop = one.op == Opcode::for_range;
    if (!is_loop && !is_transparent(one)) continue;
    for (std::size_t i = 0; i < one.operands.size(); ++i) {
      const ValueId operand = one.operands[i];
      if (is_loop && i == 1) continue;
      if (is_scalar(operand) && is_from_block(operand) && operand != value)
        result.push_back(operand);
    }
  }
  return result;
}

bool IndexGraph::is_linear(ValueId value) const {
  const std::vector<Writer>& all = writers(value);
  return std::all_of(all.begin(), all.end(), [](const Writer& writer) {
    const Opcode op = writer.instruction->op;
    return op == Opcode::copy || op == Opcode::add || op == Opcode::subtract ||
           op == Opcode::multiply || op == Opcode::cast || op == Opcode::add_pointer ||
           op == Opcode::load || op == Opcode::for_range;
  });
}

bool IndexGraph::is_chosen_in(BlockId block) const {
  while (block != kNoBlock) {
    const Owner& owner = owners_[static_cast<std::size_t>(block)];
    if (owner.op == Opcode::for_range || owner.op == Opcode::while_loop) return false;
    if (owner.condition != kNoValue && is_from_block(owner.condition)) return true;
    block = owner.parent;
  }
  return false;
}

bool IndexGraph::is_choice(ValueId value) const {
  const std::vector<Writer>& all = writers(value);
  if (all.size() == 1) {
    const Instruction& one = *all.front().instruction;
    return one.op == Opcode::select && is_from_block(one.operands.at(0));
  }
  return std::any_of(all.begin(), all.end(),
                     [&](const Writer& writer) { return is_chosen_in(writer.block); });
}

std::string IndexGraph::loaded_from(ValueId value) const {
  std::set<ValueId> seen;
  std::vector<ValueId> waiting = {value};
  while (!waiting.empty()) {
    const ValueId now = waiting.back();
    waiting.pop_back();
    if (now < 0 || !seen.insert(now).second) continue;
    for (const Writer& writer : writers(now)) {
      const Instruction& one = *writer.instruction;
      if (one.op == Opcode::load || one.op == Opcode::atomic) {
        const Site& site = program_.sites[static_cast<std::size_t>(one.integers[0])];
        if (site.parameters.empty()) return {};
        return program_.parameters[static_cast<std::size_t>(site.parameters.front())].name;
      }
      for (const ValueId operand : one.operands)
        if (is_loaded(operand)) waiting.push_back(operand);
    }
  }
  return {};
}

ValueId IndexGraph::loaded_divisor(ValueId value) const {
  constexpr int kMostCopies = 8;
  for (int i = 0; i < kMostCopies && writers(value).size() == 1; ++i) {
    const Instruction& one = *writers(value).front().instruction;
    if (one.op == Opcode::divide || one.op == Opcode::remainder) {
      const bool is_index = is_from_block(one.operands[0]) && !is_loaded(one.operands[0]);
      return is_index && is_loaded(one.operands[1]) ? one.operands[1] : kNoValue;
    }
    if (one.op != Opcode::copy && one.op != Opcode::cast && one.op != Opcode::multiply) break;
    value = one.operands[0];
  }
  return kNoValue;
}

bool IndexGraph::is_known_at(ValueId value, const Writer& anchor) const {
  std::set<BlockId> around;
  for (BlockId block = anchor.block; block != kNoBlock;
       block = owners_[static_cast<std::size_t>(block)].parent)
    around.insert(block);
  for (const Writer& writer : writers(value)) {
    if (writer.position > anchor.position) continue;
    BlockId block = writer.block;
    while (around.count(block) == 0) {
      const Owner& owner = owners_[static_cast<std::size_t>(block)];
      if (owner.op != Opcode::if_else && owner.op != Opcode::scope) break;
      block = owner.parent;
    }
    if (around.count(block) != 0) return true;
  }
  return false;
}

BlockId IndexGraph::scope_around(BlockId block, std::int64_t n) const {
  while (block > 0) {
    const Owner& owner = owners_[static_cast<std::size_t>(block)];
    if (owner.op == Opcode::scope && --n == 0) return block;
    block = owner.parent;
  }
  return 0;
}

bool IndexGraph::is_of_kernel(const ValueName& name) const {
  return program_.places[static_cast<std::size_t>(name.place)].function == program_.function;
}

const ValueName* IndexGraph::name(ValueId value) const {
  const int index = names_[static_cast<std::size_t>(value)];
  return index < 0 ? nullptr : &code_.names[static_cast<std::size_t>(index)];
}

std::string IndexGraph::operand_text(ValueId value, int depth) const {
  if (value < 0) return "?";
  if (const ValueName* known = name(value); known != nullptr && is_of_kernel(*known))
    return known->name;
  return text(value, depth + 1);
}

std::string IndexGraph::text(ValueId value, int depth) const {
  const std::vector<Writer>& all = writers(value);
  if (all.size() != 1 || depth > kTextDepth) return "...";
  const Instruction& one = *all.front().instruction;
  if (one.op == Opcode::constant_int) return fmt::format("{}", one.integers.at(0));
  if (one.op == Opcode::program_id || one.op == Opcode::num_programs) {
    const bool is_index = one.op == Opcode::program_id;
    const std::int64_t axis = one.integers.at(0);
    if (code_.quotient != std::string_view("/"))
      return fmt::format("tl.{}({})", is_index ? "program_id" : "num_programs", axis);
    return fmt::format("{}.{}", is_index ? "blockIdx" : "gridDim", "xyz"[axis]);
  }
  if (one.op == Opcode::copy || one.op == Opcode::cast)
    return operand_text(one.operands.at(0), depth);
  if (one.op == Opcode::minimum || one.op == Opcode::maximum)
    return fmt::format("{}({}, {})", one.op == Opcode::minimum ? "min" : "max",
                       operand_text(one.operands[0], kTextDepth),
                       operand_text(one.operands[1], kTextDepth));
  const char* symbol = one.op == Opcode::divide ? code_.quotient : operator_text(one.op);
  if (symbol == nullptr || one.operands.size() != 2) return "...";
  const std::string inside = fmt::format("{} {} {}", operand_text(one.operands[0], depth), symbol,
                                         operand_text(one.operands[1], depth));
  return depth == 0 ? inside : "(" + inside + ")";
}

}  // namespace heddle::kernel
