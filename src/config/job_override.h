// --set NAME=EXPRESSION: another value for a size, a scalar, a constexpr or a launch value.
//
//   apply_overrides(job, {"M=4096,N=M", "warps=8"});
//
// Rules
//   1. Commas outside brackets and quotes separate. Setting a name twice is an Error, and so is
//      setting a tensor.
//   2. A name the job does not have is kept in Job::unplaced: the kernel's autotune config may
//      have it. resolve_arguments refuses it otherwise, with the names there are.
#pragma once

#include <string>
#include <vector>

#include "config/job.h"

namespace heddle::config {

void apply_overrides(Job& job, const std::vector<std::string>& overrides);

}  // namespace heddle::config
