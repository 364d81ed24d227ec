// What stands in front of a kernel's body: attributes, its name, parameters, those of a template.
#pragma once

#include <string>

#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

struct KernelHead {
  const CxxSource& source;
  const CxxFunction& function;
};

struct HeadChange {
  bool is_same = false;  ///< but for the kernel's name
  /// The new kernel has parameters of a template besides, and nothing else: integers with defaults,
  /// or all of them, which leaves the doubt.
  bool is_known = false;
  std::string doubt;
};

HeadChange compare_heads_of(const KernelHead& before, const KernelHead& after);

}  // namespace heddle::kernel::cxx
