// heddle check of a job, a kernel's file or a diff: do its blocks compute its tiles, each once?
#pragma once

#include <string>
#include <vector>

#include "flags.h"
#include "order_arguments.h"
#include "output.h"
#include "support/error.h"

namespace heddle::tool {

struct CheckedKernel {
  std::string job;
  std::string patch;
  std::string function;
  std::vector<std::string> overrides;
  bool launch_only = false;

  void add(Verb verb);
};

/// ORDER is a job, a diff, or a file with a kernel; not an order.
bool is_kernel_check(const std::string& order, const CheckedKernel& arguments);

/// The index lines of a kernel's file as an order's text, for flags that give sizes.
std::string index_text(const std::string& order, const CheckedKernel& arguments);

ExitCode run_kernel_check(const OrderArguments& order, const CheckedKernel& arguments,
                          const OutputArguments& output);

}  // namespace heddle::tool
