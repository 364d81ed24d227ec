// Helpers that a patch puts into a module of their own.
//
//   gemm.py       from swizzles import remap      the original has neither the import nor the file
//   swizzles.py   @triton.jit def remap(...)
//     whole text  gemm.py without the import, and behind it what swizzles.py defines
//
// Rules
//   1. The import names functions or numbers of the module, without `as`, at the level of the file.
//   2. The module is one new file beside the kernel's. It holds imports that the kernel's file has
//      too, @triton.jit functions and numbers: running it does nothing else, and its names mean
//      there what they mean here.
//   3. Lines of the kernel's file stay where they are. The rest of the comparison judges the whole.
#pragma once

#include <optional>
#include <string>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

/// Nothing: no such module, or one that may do more.
std::optional<std::string> with_new_modules(const Module& before, const Module& after);

}  // namespace heddle::kernel::triton
