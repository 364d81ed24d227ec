// Numbers that a program shows: one write of a byte each, into a tensor of its own, at an address
// that tells the number.
//
//   ShownNumbers shown(program, launch, code);     the tensor, and a parameter that points to it
//   shown.show(value, code);                       stores at kShownAt + kShownZero + value
//
// Rules
//   1. Numbers fit into 33 bits with their sign; others are accesses outside the tensor.
//   2. Each store is a site of its own, the next one of the program.
#pragma once

#include <cstdint>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

inline constexpr std::uint64_t kShownAt = std::uint64_t{1} << 61;
inline constexpr std::int64_t kShownBytes = std::int64_t{1} << 34;
inline constexpr std::int64_t kShownZero = kShownBytes / 2;  ///< where the number 0 is shown

/// An instruction without a place.
Instruction made_instruction(Opcode op, std::vector<ValueId> results, std::vector<ValueId> operands,
                             std::vector<std::int64_t> integers = {});

class ShownNumbers {
 public:
  /// Adds the tensor to the launch, and to `code` what all stores need. `program` must outlive this.
  ShownNumbers(KernelProgram& program, config::Launch& launch, std::vector<Instruction>& code);

  void show(ValueId number, std::vector<Instruction>& code);
  /// Shows 0.
  void show_zero(std::vector<Instruction>& code) { store_at(zero_, code); }

 private:
  ValueId new_value(Type type);
  void store_at(ValueId offset, std::vector<Instruction>& code);

  KernelProgram& program_;
  ValueId base_ = kNoValue;
  ValueId zero_ = kNoValue;
  int parameter_ = 0;
};

}  // namespace heddle::kernel
