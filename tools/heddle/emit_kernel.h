// heddle emit --kernel: a proven order in place of a kernel's program ids.
#pragma once

#include <string>
#include <vector>

#include "flags.h"
#include "order_arguments.h"
#include "support/error.h"

namespace heddle::tool {

struct KernelArguments {
  std::string kernel;
  std::string function;
  std::string job;
  std::vector<std::string> overrides;
  bool assume_independent = false;
  bool allow_faults = false;

  void add(Verb verb);
  bool given() const { return !kernel.empty() || !job.empty(); }
};

/// Prints the diff, or writes the file of -o. `file` may be empty.
ExitCode emit_into_kernel(const KernelArguments& arguments, OrderArguments order,
                          const SizeArguments& size, const std::string& file);

}  // namespace heddle::tool
