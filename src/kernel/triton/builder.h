// Writes instructions of a KernelProgram: constants once, casts where types differ, and arithmetic
// on known numbers not at all.
//
// Rules
//   1. Constants live at the start of the entry block, each once.
//   2. An operation on known scalars gives a known scalar, unless it would wrap or divide by zero:
//      then the instruction is written, and the tracer reports it.
//   3. Types follow Triton's promotion: a Python number adapts to the block it meets; float wins
//      over integer, the wider over the narrower, unsigned over signed of the same width.
//   4. Blocks, values and instructions are bounded; beyond that an Error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernel/tile_program.h"
#include "kernel/triton/syntax.h"
#include "kernel/triton/term.h"

namespace heddle::kernel::triton {

/// Triton's own limit on the elements of a block.
inline constexpr std::int64_t kBlockElements = 1 << 20;

class Builder {
 public:
  explicit Builder(KernelProgram& program) : program_(program) {
    code_of(program_).blocks.resize(1);
  }

  // Where instructions go.
  BlockId new_block();
  BlockId block() const { return block_; }
  void set_block(BlockId block) { block_ = block; }
  void set_place(std::int32_t place) { place_ = place; }
  std::int32_t place() const { return place_; }

  // Values.
  const Type& type(ValueId value) const {
    return code_of(program_).values[static_cast<std::size_t>(value)];
  }
  ValueId new_value(Type type);
  ValueId constant(DType type, Integer value);
  ValueId constant(DType type, double value);
  std::optional<Integer> known_integer(ValueId value) const;
  std::optional<double> known_real(ValueId value) const;
  /// Remembers a case that known numbers settle; other operations are left out.
  void note_decision(Opcode op, Integer a, Integer b);
  /// The source calls a scalar so.
  void note_name(ValueId value, const std::string& name);
  /// The value of a scalar constant as a term; nothing if it is not known.
  std::optional<Term> known(ValueId value) const;

  // Instructions.
  ValueId emit(Opcode op, std::vector<ValueId> operands, Type type,
               std::vector<std::int64_t> integers = {});
  Instruction& emit_plain(Opcode op, std::vector<ValueId> operands,
                          std::vector<std::int64_t> integers = {});
  void copy(ValueId to, ValueId from) { emit_plain(Opcode::copy, {from}).results = {to}; }

  // Typed operations; operands may be scalars or blocks of fitting shapes.
  ValueId cast(ValueId value, DType element);
  ValueId cast(ValueId value, const Type& to);
  ValueId binary(Opcode op, ValueId a, ValueId b, DType element);
  ValueId compare(Opcode op, ValueId a, ValueId b);
  ValueId unary(Opcode op, ValueId a);
  ValueId select(ValueId condition, ValueId a, ValueId b);
  ValueId add_pointer(ValueId pointer, ValueId offset);
  ValueId expand(ValueId value, int axis);
  ValueId broadcast(ValueId value, const std::vector<std::int64_t>& shape);
  ValueId splat_or_broadcast(ValueId value, const std::vector<std::int64_t>& shape) {
    return type(value).shape == shape ? value : broadcast(value, shape);
  }
  ValueId permute(ValueId value, const std::vector<std::int64_t>& order);
  ValueId reshape(ValueId value, std::vector<std::int64_t> shape);
  ValueId truth(ValueId value);  ///< != 0 as booleans

  /// Gives both the same rank by extents of 1 in front of the shorter shape.
  void match_ranks(ValueId& a, ValueId& b);
  /// The shape both broadcast to; an Error if they do not.
  std::vector<std::int64_t> joint_shape(ValueId a, ValueId b) const;
  static std::vector<std::int64_t> joint_shape(const std::vector<std::int64_t>& shape_a,
                                               const std::vector<std::int64_t>& shape_b);

  /// The tensor with floating elements that a value was loaded from; empty: none.
  std::string floating_tensor(ValueId value) const;

  /// Moves the constants into the entry block: once, at the end.
  void finish();
  KernelProgram& program() { return program_; }

 private:
  static constexpr std::size_t kValueLimit = 400'000;
  static constexpr std::int64_t kInstructionLimit = 400'000;
  static constexpr std::size_t kRankLimit = 32;

  std::optional<ValueId> fold_binary(Opcode op, ValueId a, ValueId b, DType element);
  std::optional<ValueId> fold_compare(Opcode op, ValueId a, ValueId b);

  KernelProgram& program_;
  BlockId block_ = 0;
  std::int32_t place_ = 0;
  std::int64_t instructions_ = 0;
  std::vector<Instruction> constants_;
  std::map<std::tuple<DType, std::int64_t>, ValueId> integers_;
  std::map<std::tuple<DType, std::uint64_t>, ValueId> reals_;
  std::map<ValueId, Integer> known_integers_;
  std::map<ValueId, double> known_reals_;
};

/// The type two operands are brought to. A Python number (`literal`) adapts to the other.
DType promoted(DType a, bool a_literal, DType b, bool b_literal, bool division);
/// The type Triton gives a Python integer or float.
DType literal_type(Integer value);
DType literal_type(double value);
/// True if the integer can be held by the type.
bool fits(Integer value, DType type);
/// The integer as the type holds it.
Integer wrapped(Integer value, DType type);

}  // namespace heddle::kernel::triton
