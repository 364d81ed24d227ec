// Index lines of a Triton kernel (kernel/index_lines.h).
#pragma once

#include "kernel/index_lines.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

IndexLines find_index_lines(TritonSource& source, const std::string& function);

}  // namespace heddle::kernel::triton
