#include "kernel/program_order.h"

namespace heddle::kernel {
namespace {

void append(const TileProgram& code, BlockId block, const Instruction* loop,
            std::vector<Placed>& out) {
  if (block < 0) return;
  for (const Instruction& instruction : code.blocks[static_cast<std::size_t>(block)].code) {
    out.push_back({&instruction, loop});
    const bool is_loop =
        instruction.op == Opcode::for_range || instruction.op == Opcode::while_loop;
    const Instruction* inner = is_loop ? &instruction : loop;
    if (instruction.op == Opcode::while_loop) append(code, instruction.other, inner, out);
    append(code, instruction.body, inner, out);
    if (instruction.op != Opcode::while_loop) append(code, instruction.other, inner, out);
  }
}

}  // namespace

std::vector<Placed> in_order(const TileProgram& code) {
  std::vector<Placed> out;
  if (!code.blocks.empty()) append(code, 0, nullptr, out);
  return out;
}

bool is_elementwise(Opcode op) {
  return op >= Opcode::copy && op <= Opcode::add_pointer;
}

Links links_of(const TileProgram& code, const std::vector<Placed>& order) {
  Links links;
  links.writers.resize(code.values.size());
  links.readers.resize(code.values.size());
  for (const auto& [instruction, loop] : order) {
    for (const ValueId result : instruction->results)
      if (result >= 0) links.writers[static_cast<std::size_t>(result)].push_back(instruction);
    for (const ValueId operand : instruction->operands)
      if (operand >= 0) links.readers[static_cast<std::size_t>(operand)].push_back(instruction);
  }
  return links;
}

const Instruction* Links::load_behind(ValueId value) const {
  for (const Instruction* one = writer(value); one != nullptr; one = writer(one->operands[0])) {
    if (one->op == Opcode::load) return one;
    if (one->op != Opcode::permute && one->op != Opcode::reshape && one->op != Opcode::copy)
      return nullptr;
  }
  return nullptr;
}

}  // namespace heddle::kernel
