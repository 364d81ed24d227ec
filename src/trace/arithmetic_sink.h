// Sees arithmetic on whole numbers and truths while a tile runs (TraceOptions::arithmetic).
#pragma once

#include "kernel/tile_program.h"

namespace heddle::trace {

class ArithmeticSink {
 public:
  virtual ~ArithmeticSink() = default;
  virtual void operation(std::int32_t place, kernel::Opcode op, std::int64_t a, std::int64_t b) = 0;
  /// a & b, a | b of truths.
  virtual void truths(std::int32_t place, kernel::Opcode op, bool a, bool b) = 0;
  /// One of two numbers.
  virtual void choice(std::int32_t place, bool is_first, std::int64_t a, std::int64_t b) = 0;
};

}  // namespace heddle::trace
