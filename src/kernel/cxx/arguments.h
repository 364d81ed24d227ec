// Which argument of a launch every parameter of a kernel takes, and what becomes a macro.
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/cxx/source.h"
#include "kernel/program.h"

namespace heddle::kernel::cxx {

struct BoundArguments {
  std::vector<Parameter> parameters;   ///< in the kernel's order
  std::vector<std::string> defines;    ///< "BLOCK=16"
  std::vector<std::string> undefined;  ///< macros that the job says are none
  std::vector<std::string> values;     ///< C++ for each parameter of the kernel; see entry_text
  bool has_structs = false;            ///< some parameter is not one number or pointer
};

/// Throws Error where a parameter has no argument, or one that cannot be meant, and where an
/// argument is nobody's.
BoundArguments bind_arguments(const CxxSource& source, const CxxFunction& kernel,
                              const config::Launch& launch);

/// How the runner calls a kernel: `callee` is its address, "&blas::gemm<16>".
std::string entry_text(const std::string& callee, const BoundArguments& bound);

}  // namespace heddle::kernel::cxx
