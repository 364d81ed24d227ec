// Runs a whole launch of a C++ kernel on the CPU, tile after tile, and hands back what it wrote.
//
//   const std::vector<TensorBytes> results = run_launch(program, launch);
//
// Rules
//   1. Tiles run in the order of their launch ids; each sees what those before it wrote.
//   2. Only tensors of which something changed come back; parameters that point to const, and
//      tensors above 1 GiB, are taken for unchanged.
#pragma once

#include <cstddef>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"

namespace heddle::trace::native {

struct TensorBytes {
  std::size_t tensor = 0;  ///< index into Launch::tensors
  std::vector<char> bytes;
};

/// Only of a program that runs (KernelTraits).
std::vector<TensorBytes> run_launch(const kernel::KernelProgram& program,
                                    const config::Launch& launch);

}  // namespace heddle::trace::native
