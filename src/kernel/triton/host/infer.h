// A job from a kernel's file: what its host code passes to it, without running any of it.
//
//   infer_job(source, "matmul_kernel")  ->  grid, tensors, scalars, constexprs, each with its place
//
// Rules
//   1. A launch of the kernel in its own file counts first, then one in the files of its package and
//      of the project around it (launch_sites.h).
//   2. Sizes that no code gives have likely values, by their names; what a value is guessed from
//      stands in its remark.
//   3. Where no launch is found, parameters are what the kernel's uses and their names say.
#pragma once

#include <string>

#include "config/draft.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton::host {

config::JobDraft infer_job(TritonSource& source, const std::string& function);

}  // namespace heddle::kernel::triton::host
