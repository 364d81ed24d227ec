// What the compiler for a chip makes of a kernel, and the arithmetic that is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/dtype.h"
#include "config/gpu.h"

namespace heddle::kernel {

using config::DType;

enum class ArithmeticKind : std::uint8_t {
  add,  ///< also subtract, compare, select, minimum, logic: one simple operation
  multiply,
  fused,           ///< multiply-add in one instruction
  transcendental,  ///< exp, log, sqrt, division, ...
  dot,             ///< multiply-adds of matrix units
};

/// "4096 fused fp32": how many elements' worth of one kind of operation.
struct ArithmeticCount {
  ArithmeticKind kind = ArithmeticKind::add;
  DType type = DType::float32;
  std::int64_t count = 0;
  friend bool operator==(const ArithmeticCount&, const ArithmeticCount&) = default;
};

/// Work of the compiled code that is done whenever a part of the kernel runs.
struct CountedWork {
  std::int32_t counter = 0;  ///< NativeCode::counters: how often lanes ran that part
  ArithmeticKind kind = ArithmeticKind::add;
  DType type = DType::float32;
  double count = 0;  ///< of operations, for each time
};

struct TargetFacts {
  std::string target;                ///< "gfx90a"
  std::string reason;                ///< not empty: the kernel could not be compiled for it
  int registers = 0;                 ///< vector registers of a thread
  int scalar_registers = 0;          ///< of a wave
  int spilled_registers = 0;         ///< vector and scalar
  std::int64_t shared_bytes = 0;     ///< of a block, without what the launch adds
  std::int64_t scratch_bytes = 0;    ///< of a thread
  std::int64_t code_bytes = 0;       ///< of the kernel's instructions
  std::vector<std::uint8_t> scalar;  ///< per site: the load is one for the whole wave
  std::vector<CountedWork> work;
};

/// The target whose compiler is asked for a GPU: "gfx942". NVIDIA's are asked for sm_80 or sm_90:
/// their shared memory is known then, but registers and code are those of gfx90a, and no load is a
/// scalar one.
std::string compiler_target(const config::Gpu& gpu);

}  // namespace heddle::kernel
