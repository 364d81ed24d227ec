// The atomics of a program: which function, and whether anybody looks at the old value.
//
//   tl.atomic_add(counts + bin, 1)              commutes with other additions
//   ticket = tl.atomic_add(counter, 1)          does not: the old value tells who came first
//   while tl.atomic_cas(lock, 0, 1) == 1: ...   a lock
//
// Rules
//   1. To be asked of the whole program: one that remove_unneeded has reduced does not show who
//   used
//      an old value for anything but addresses.
#pragma once

#include <vector>

#include "kernel/program.h"

namespace heddle::trace {

struct AtomicUse {
  kernel::AtomicFunction function = kernel::AtomicFunction::add;
  bool result_used = false;

  /// Exchange and compare-and-exchange: the last one wins.
  bool is_lock() const;
  /// Its order among others of the same function does not matter.
  bool commutes() const { return !is_lock() && !result_used; }
};

/// One per site; those of sites that are no atomics mean nothing.
std::vector<AtomicUse> atomic_uses(const kernel::KernelProgram& program);

}  // namespace heddle::trace
