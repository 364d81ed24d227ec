// What a job must say about a kernel, read off its source: for `heddle new-job`.
//
//   outline(source, "")  ->  gemm_kernel(a_ptr: pointer, M, BLOCK_M: constexpr), 3 configs
#pragma once

#include <string>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

struct OutlineParameter {
  std::string name;
  bool is_constexpr = false;
  bool is_pointer = false;  ///< the kernel loads from or stores to something that starts with it
  std::string default_text;
  std::string annotation;
};

struct Outline {
  std::string function;
  std::vector<OutlineParameter> parameters;
  int configs = 0;                         ///< of @triton.autotune, where they can be counted
  std::vector<std::string> set_by_kernel;  ///< names its configs or heuristics give values to
};

Outline outline(TritonSource& source, const std::string& function);

}  // namespace heddle::kernel::triton
