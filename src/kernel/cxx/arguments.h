// Which argument of a launch every parameter of a kernel takes, and what becomes a macro.
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/cxx/source.h"
#include "kernel/program.h"

namespace heddle::kernel::cxx {

struct BoundArguments {
  std::vector<Parameter> parameters;  ///< in the kernel's order
  std::vector<std::string> defines;   ///< "BLOCK=16"
};

/// Throws Error where a parameter has no argument, or one that cannot be meant, and where an
/// argument is nobody's.
BoundArguments bind_arguments(const CxxSource& source, const CxxFunction& kernel,
                              const config::Launch& launch);

}  // namespace heddle::kernel::cxx
