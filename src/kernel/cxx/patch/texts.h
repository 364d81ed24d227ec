// Texts that are not what they seem: line splices, trigraphs, #line, and numbers of lines as values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

/// `name` says whose text it is: "the original".
std::vector<std::string> text_doubts(const CxxSource& source, const CxxFunction& function,
                                     std::string_view name);

}  // namespace heddle::kernel::cxx
