// Whether a kernel that was compiled is the user's.
#pragma once

#include <string>

#include "kernel/program.h"

namespace heddle::kernel {

/// Why what was compiled may mean something else than the user's file: for example, a header was not found.
/// Empty: nothing speaks against it. Nothing that rests on the code may be PROVED otherwise.
std::string doubt_of(const KernelProgram& program);

}  // namespace heddle::kernel
