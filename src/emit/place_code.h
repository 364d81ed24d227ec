// Lines of code made to fit where a kernel has a place for them.
#pragma once

#include <string>

#include "kernel/index_uses.h"

namespace heddle::emit {

/// The code with the kernel's margin, indentation and line ends.
std::string fitted(const std::string& code, const kernel::CodePlace& place);

/// What is left for comments there.
std::size_t comment_columns(const kernel::CodePlace& place);

}  // namespace heddle::emit
