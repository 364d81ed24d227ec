// Configs of @triton.autotune in two versions of a kernel.
//
//   original   Config({"BM": 32, "GROUP": 4}), Config({"BM": 64, "GROUP": 8})
//   new file   Config({"BM": 64, "GROUP": 8}), Config({"BM": 32, "GROUP": 6})
//     partners 1, 0; changed 0: its GROUP
//
// Rules
//   1. Each file has one list of triton.Config(...) for the kernel, made of literals, names and
//      arithmetic: in the decorator, by a name, or returned by a function. Nothing else uses it.
//      Other lists in the decorator are a doubt; elsewhere they stay a part of the files' comparison.
//   2. As many configs in both, each with a partner: the same values, or others of tl.constexpr
//      parameters alone. A config without a partner is not compared, and the lists are a doubt.
//   3. Whatever the autotuner picks of the new list, a config of the original gives the same if its
//      partner does: changed ones are judged one by one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/patch.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

struct TunedConfigs {
  const Node* before = nullptr;  ///< the lists, where they differ; null: they are compared as code
  const Node* after = nullptr;
  std::vector<ConfigPartner> partners;  ///< one for each config of the original
  std::set<std::string> names;          ///< values that partners have of their own
  std::string doubt;                    ///< why not all have a partner
};

TunedConfigs find_tuned_configs(TritonSource& before, const std::string& old_kernel,
                                TritonSource& after, const std::string& new_kernel);

}  // namespace heddle::kernel::triton
