// The body of a kernel that is read, not compiled: a typed program that a tracer runs tile by tile.
// For the folders kernel and trace; others ask KernelProgram (program.h).
//
//   %0:ptr<fp16>      = parameter 0                      # x_ptr
//   %1:int32          = program_id 0
//   %2:int32          = constant 1024
//   %3:int32          = multiply %1, %2
//   %4:int32[1024]    = arange 0, 1024
//   %5:int32[1024]    = add %3, %4
//   %6:ptr<fp16>[1024]= add_pointer %0, %5
//   %7:fp16[1024]     = load %6                          # site 0, line 12
//
// Rules
//   1. Every value has one static type: an element type, perhaps pointer, and a shape ([] is a
//      scalar).
//   2. Operands of element-wise operations have the same element type (the reader inserts casts).
//      A scalar operand stands for a block of equal values, and an extent of 1 for any extent;
//      otherwise operands have the rank and the extents of the result. Comparisons look at the
//      types of their operands and give booleans.
//   3. Integers wrap to the width of their type; division and remainder truncate toward zero
//      (signed) as the GPU's do. Pointers are byte addresses; add_pointer counts in elements.
//   4. Values are registers, not SSA: a value carried by a loop or chosen by an if is written by
//      several copy instructions of the same type. Temporaries are written once.
//   5. Control flow is structured: for_range, while_loop, if_else and scope own blocks; leave ends
//      the scopes around it.
//   6. `counts` of a block is the arithmetic of the *source* in that block (one execution of it,
//      nested blocks not included), also of instructions that remove_unneeded took out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/body.h"
#include "kernel/program.h"

namespace heddle::kernel {

struct Type {
  DType element = DType::int32;
  bool pointer = false;  ///< a pointer to element
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;
  /// "int32", "ptr<fp16>[128, 64]".
  std::string text() const;
  friend bool operator==(const Type&, const Type&) = default;
};

using ValueId = std::int32_t;
using BlockId = std::int32_t;

enum class Opcode : std::uint8_t {
  // sources
  constant_int,    ///< integers[0]
  constant_float,  ///< number
  parameter,       ///< integers[0]: index into parameters
  program_id,      ///< integers[0]: axis
  num_programs,    ///< integers[0]: axis
  arange,          ///< integers[0] .. integers[1] - 1
  // element-wise
  copy,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,  ///< arithmetic for signed types
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  negate,
  bit_not,  ///< of booleans: logical
  absolute,
  multiply_high,  ///< the upper half of the full product
  math,           ///< integers[0]: a MathFunction; one operand, pow and fmod two
  fused_multiply_add,
  cast,     ///< by value; integer to pointer and back included
  bitcast,  ///< same bits, another type
  select,   ///< condition, then, else
  add_pointer,
  // shape
  broadcast,    ///< to the shape of the result (same rank, or from a scalar)
  expand_dims,  ///< integers[0]: where the new extent of 1 stands
  permute,      ///< integers: result axis i is operand axis integers[i]
  reshape,      ///< row-major order kept
  join,         ///< two blocks along a new last axis of extent 2
  split,        ///< the reverse: two results
  concatenate,  ///< two blocks along axis integers[0]
  flip,         ///< integers[0]: axis
  // across elements
  reduce,     ///< integers[0]: a Reduction, integers[1]: axis; the axis is dropped
  scan,       ///< integers[0]: a Reduction, integers[1]: axis, integers[2]: 1 = reverse
  sort,       ///< integers[0]: axis, integers[1]: 1 = descending
  gather,     ///< source, index; integers[0]: axis
  histogram,  ///< counts of 0 .. extent of the result - 1; optional operand 1: mask
  dot,        ///< a, b and perhaps an accumulator
  random,     ///< seed, offset; integers[0]: a RandomFunction
  unknown,    ///< a value heddle does not compute; an error only if an address depends on it
  // memory; integers[0]: site. Operands that are not there are kNoValue.
  load,    ///< pointer, mask, other -> value (no result if nothing needs it)
  store,   ///< pointer, value, mask; value is kNoValue if nothing needs it
  atomic,  ///< pointer, value, mask, compare -> old value; integers[1]: an AtomicFunction
  // block pointers and descriptors, rank r; 64-bit arithmetic
  block_pointer,  ///< base, r offsets, r strides (elements) -> pointer block of the result's shape
  bounds_mask,    ///< r offsets, r sizes -> booleans; integers: 1 where the axis is checked
  // control
  for_range,   ///< lower, upper, step -> induction value; body
  while_loop,  ///< operand 0: condition, computed by `other`; body
  if_else,     ///< condition; body, other (may be kNoBlock)
  scope,       ///< body; where leave lands
  leave,       ///< integers[0]: how many scopes to end, from 1
};

inline bool is_memory(Opcode op) {
  return op == Opcode::load || op == Opcode::store || op == Opcode::atomic;
}
inline bool is_control(Opcode op) {
  return op == Opcode::for_range || op == Opcode::while_loop || op == Opcode::if_else ||
         op == Opcode::scope;
}
inline bool is_source(Opcode op) {
  return op == Opcode::constant_int || op == Opcode::constant_float || op == Opcode::parameter;
}
/// Computes a value of its operands, and does nothing else.
inline bool is_pure(Opcode op) {
  return !is_memory(op) && !is_control(op) && !is_source(op) && op != Opcode::leave &&
         op != Opcode::unknown && op != Opcode::copy && op != Opcode::program_id &&
         op != Opcode::num_programs;
}

enum class MathFunction : std::int64_t {
  exp,
  exp2,
  log,
  log2,
  log1p,
  expm1,
  sqrt,
  rsqrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  erf,
  floor,
  ceil,
  round,
  truncate,
  sigmoid,
  power,
  modulo,
  atan2,
  reciprocal,
  is_nan,
  is_inf,
  other,  ///< counted as transcendental, not computed
};
enum class Reduction : std::int64_t {
  sum,
  product,
  minimum,
  maximum,
  arg_minimum,
  arg_maximum,
  bit_and,
  bit_or,
  bit_xor
};
enum class RandomFunction : std::int64_t {
  uniform,
  normal,
  integer,
  integer4,
};
inline constexpr ValueId kNoValue = -1;
inline constexpr BlockId kNoBlock = -1;

struct Instruction {
  Opcode op = Opcode::copy;
  std::int32_t place = 0;  ///< index into places
  std::vector<ValueId> results;
  std::vector<ValueId> operands;
  std::vector<std::int64_t> integers;
  double number = 0;
  BlockId body = kNoBlock;
  BlockId other = kNoBlock;
};

struct Block {
  std::vector<Instruction> code;
  std::vector<ArithmeticCount> counts;
};

/// Values and blocks; sites, places and parameters are those of the KernelProgram it belongs to.
/// A case that reading settled, since both numbers are known for the launch: a comparison (0 or 1),
/// a minimum or maximum (which of them: 0 or 1), a quotient, remainder, shift to the right or `and`.
struct Decision {
  std::int32_t place = 0;
  Opcode op = Opcode::equal;
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t outcome = 0;
};

/// A scalar that the source gives a name.
struct ValueName {
  ValueId value = kNoValue;
  std::string name;
  std::int32_t place = 0;
};

struct TileProgram final : Body {
  std::vector<Type> values;
  const char* quotient = "//";      ///< how the source writes one
  std::vector<ValueName> names;     ///< in the order of reading; a value may have several
  std::vector<Block> blocks;        ///< 0 is the entry
  std::vector<Decision> decisions;  ///< the first ones, in the order of reading

  KernelTraits traits() const override;
  std::vector<AtomicUse> atomics(const KernelProgram& program) const override;
  std::vector<std::uint8_t> awaited(const KernelProgram& program) const override;
  std::vector<PassedArgument> passed(const KernelProgram& program,
                                     const config::Launch& launch) const override;
  Needs needs(const KernelProgram& program, const config::Launch& launch,
              const config::Gpu& gpu) const override;
  Work work(const KernelProgram& program, const config::Launch& launch, const config::Gpu& gpu,
            const std::vector<int>& widths) const override;
  int load_depth(const config::Launch& launch, const config::Gpu& gpu) const override;
  std::shared_ptr<const TargetFacts> facts(const KernelProgram& program,
                                           const std::string& target) const override;
  KernelProgram reduced(const KernelProgram& program, Keep keep) const override;
  IndexProbe probe_index(const KernelProgram& program, const config::Launch& launch,
                         bool all_blocks) const override;
};

/// A program without such a body has no values and no blocks.
const TileProgram& code_of(const KernelProgram& program);
/// To be filled: a body that others share is copied first.
TileProgram& code_of(KernelProgram& program);

/// The whole program as text, one instruction a line: for tests and debugging.
std::string program_text(const KernelProgram& program);

}  // namespace heddle::kernel
