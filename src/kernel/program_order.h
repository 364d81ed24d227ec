// The instructions of a program in the order of the source, and who uses which value.
//
//   for (const Placed& placed : in_order(code)) ... placed.loop   // the innermost loop around it
#pragma once

#include <vector>

#include "kernel/tile_program.h"

namespace heddle::kernel {

struct Placed {
  const Instruction* instruction = nullptr;
  const Instruction* loop = nullptr;  ///< the innermost one around it; null: none
};

std::vector<Placed> in_order(const TileProgram& code);

/// Operations that give an element for each element of their operands, and work in registers.
bool is_elementwise(Opcode op);

/// Per value: the instructions that write it and those that read it, in order. One that reads a
/// value twice is listed twice.
struct Links {
  std::vector<std::vector<const Instruction*>> writers;
  std::vector<std::vector<const Instruction*>> readers;

  /// The only one, or null.
  const Instruction* writer(ValueId value) const { return only(writers, value); }
  const Instruction* reader(ValueId value) const { return only(readers, value); }
  /// The load that a value is, perhaps transposed; null: something computed.
  const Instruction* load_behind(ValueId value) const;

 private:
  static const Instruction* only(const std::vector<std::vector<const Instruction*>>& lists,
                                 ValueId value) {
    if (value < 0) return nullptr;
    const auto& list = lists[static_cast<std::size_t>(value)];
    return list.size() == 1 ? list[0] : nullptr;
  }
};

Links links_of(const TileProgram& code, const std::vector<Placed>& order);

}  // namespace heddle::kernel
