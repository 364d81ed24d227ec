// What a compiled kernel may do to memory without the tracer noticing.
//
//   *(v8*)out = value;           line 12: a store of 32 bytes has no callback
//   frexpf(x, exponents + i);    line 15: 'frexpf' may touch memory unnoticed
//
// Rules
//   1. The intermediate code is looked at just before Clang makes assembly of it. A load or store
//   is
//      seen if the callback in front of it has its address and its size, an atomic if every way to
//      it announces the same address at the same place of the source.
//   2. Everything else that may touch memory, or keep something from tile to tile, is unseen:
//      vectors of odd sizes, calls out of the module but for plain mathematics, calls through
//      pointers, the heap, clocks, thread_local variables.
//   3. Variables of the stack that the code names directly are private to a lane.
//   4. Only code that the kernel can reach counts.
//   5. Assembly, unannounced atomics and functions with names of the tracer are Errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/native.h"

namespace heddle::kernel::cxx {

/// `main_file` is what the kernel's own file is called in the code. In the order of the code.
std::vector<UnseenAccess> unseen_accesses(std::string_view ir, const std::string& main_file);

}  // namespace heddle::kernel::cxx
