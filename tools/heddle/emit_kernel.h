// heddle emit --kernel: a proven order in place of a kernel's program ids.
#pragma once

#include <string>
#include <vector>

#include "flags.h"
#include "order_arguments.h"
#include "results/verdict.h"
#include "support/error.h"

namespace heddle::tool {

/// --json and -o of emit.
struct EmitOutput {
  std::string file;
  bool json = false;

  /// `kind` is what the text is: order, patch or kernel; empty where nothing was emitted.
  void print(Verdict verdict, const std::string& kind, const std::string& text) const;
};

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

/// Prints the diff, or writes the file of -o.
ExitCode emit_into_kernel(const KernelArguments& arguments, OrderArguments order,
                          const SizeArguments& size, const EmitOutput& output);

}  // namespace heddle::tool
