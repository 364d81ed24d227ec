// Cases that the index code of some blocks comes to, in every turn of its loops: what
// kernel/decisions.h, which knows the numbers of a launch alone, does not see.
#pragma once

#include <vector>

#include "kernel/index_values.h"

namespace heddle::trace {

/// `program` shows index values. None for programs that say their cases themselves (IndexBody).
std::vector<kernel::IndexDecision> index_cases(const kernel::KernelProgram& program,
                                               const config::Launch& launch);

}  // namespace heddle::trace
