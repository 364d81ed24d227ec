// The instructions of NVIDIA's and AMD's assembly that heddle reads, as C++.
//
//   mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {...}, {...}, {...};
//   cp.async.cg.shared.global [%0], [%1], 16;       s_waitcnt vmcnt(0)
//
// Rules
//   1. Loads, stores and copies are plain ones at the same place: hints go, and a copy is done when
//      it is asked for. Waiting for it is nothing.
//   2. Types are those of the instruction; registers are bits (device/heddle/ptx.h).
//   3. What is not in the lists is not known. Nothing is guessed.
#pragma once

#include <string>

#include "kernel/cxx/gpu_assembly.h"

namespace heddle::kernel::cxx {

struct GpuCode {
  bool is_gpus = false;
  std::string text;     ///< statements of C++ on one line; operands are heddle_0, heddle_1, ...
  std::string unknown;  ///< the first instruction that is not known
};

GpuCode gpu_code(const AssemblyStatement& statement);

}  // namespace heddle::kernel::cxx
