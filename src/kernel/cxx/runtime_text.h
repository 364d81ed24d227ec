// A C++ kernel's file as a compiler at run time takes it.
#pragma once

#include <string>

namespace heddle::kernel::cxx {

/// The file without host code and without headers that are of no use to a kernel. Lines keep their
/// numbers. `name` is what messages of the compiler call it; where it ends in .cu and the file in
/// .hip, shuffles and ballots get CUDA's names.
std::string runtime_text(const std::string& path, const std::string& text, const std::string& name);

}  // namespace heddle::kernel::cxx
