// Sees arithmetic on two whole numbers while a tile runs (TraceOptions::arithmetic).
#pragma once

#include "kernel/tile_program.h"

namespace heddle::trace {

class ArithmeticSink {
 public:
  virtual ~ArithmeticSink() = default;
  virtual void operation(std::int32_t place, kernel::Opcode op, std::int64_t a, std::int64_t b) = 0;
};

}  // namespace heddle::trace
