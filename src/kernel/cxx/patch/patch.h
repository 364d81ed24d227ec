// Two C++ files behind kernel::Patch.
//
// Rules
//   1. Everything that the launch can reach is the same program but for index code (changes.h), in
//      Clang's trees where both kernels are compiled, else in the texts alone.
//   2. A new kernel that cannot be compiled is compared as a text, and proves nothing.
#pragma once

#include <memory>

#include "kernel/cxx/source.h"
#include "kernel/patch.h"

namespace heddle::kernel::cxx {

std::unique_ptr<Patch> make_patch(const CxxSource& before, const CxxSource& after);

}  // namespace heddle::kernel::cxx
