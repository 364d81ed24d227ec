// Index lines of a C++ kernel (kernel/index_lines.h), read off its tokens: without a launch nothing
// is compiled.
#pragma once

#include "kernel/cxx/source.h"
#include "kernel/index_lines.h"

namespace heddle::kernel::cxx {

IndexLines find_index_lines(const CxxSource& source, const std::string& function);

}  // namespace heddle::kernel::cxx
