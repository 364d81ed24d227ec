// Numbers that host code hands to a kernel after a patch, and did not before.
//
//   kernel[grid](a, b, M, N)            kernel[grid](a, b, M, N, NUM_XCDS=8)     a new parameter
//   kernel[grid](a, b, GROUP=2)         kernel[grid](a, b, GROUP=4)              another value
//
// Rules
//   1. A new parameter has a name that the original's file does not know, no annotation or a type,
//      and no default or a literal one. The file uses the kernel in launches alone.
//   2. Another value is that of a tl.constexpr, given by keyword in both files: what is compiled
//      shows what it changes.
//   3. Values are on the closed list of grids (host_launch.h) and ask for the size of no tensor.
//      Whatever is not so stays a part of the files' comparison.
//   4. All launches of the new file hand over one value, or it is not known.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/patch.h"
#include "kernel/triton/patch/host_launch.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

struct HandedNumber {
  std::string name;
  bool is_constexpr = false;
  const Node* default_value = nullptr;  ///< of a new parameter
  std::vector<const Node*> olds;        ///< per launch of the original; of a new parameter empty
  std::vector<const Node*> news;        ///< per launch; null: the default
};

struct HandedNumbers {
  std::vector<HandedNumber> numbers;
  std::vector<HostLaunch> launches_before;
  std::vector<HostLaunch> launches_after;
  std::set<const Node*> before;  ///< what the files' comparison leaves out
  std::set<const Node*> after;
  std::vector<const Node*> shown;  ///< of `after`, as changes
};

HandedNumbers find_handed_numbers(const LaunchSide& before, const LaunchSide& after);

/// On the launch of `before`, which is also taken for the new file's names.
HandedValues values_of(const HandedNumbers& handed, const LaunchSide& before,
                       const LaunchSide& after);

}  // namespace heddle::kernel::triton
