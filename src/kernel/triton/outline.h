// What a job must say about a kernel, read off its source: for `heddle new-job`.
//
//   outline(source, "")  ->  gemm_kernel(a_ptr: pointer, M, BLOCK_M: constexpr), 3 configs
#pragma once

#include <string>

#include "config/skeleton.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// A parameter is a pointer if the kernel loads from or stores to something that starts with it.
config::SkeletonInput outline(TritonSource& source, const std::string& function);

}  // namespace heddle::kernel::triton
