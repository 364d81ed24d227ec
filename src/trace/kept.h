// What the trace of a C++ kernel found before, so that a second look at the same launch runs nothing.
//
//   const KeptTrace kept(program, launch);
//   const TraceReport report = kept.analyze(options);
//   kept.find_independence(independence_options, independence);
//
// Rules
//   1. Both are what trace::analyze and trace::find_independence report, whether kept or not.
//   2. A launch is the same if its compiled library, all that heddle knows of the kernel, the text
//      of its file, the launch with the bytes of its files, and the options are the same, and this
//      is the same build of heddle.
//   3. A result that the machine may have decided (a limit of time, a refused system call) is not
//      kept. Only what is shown is kept: an IndependentTiles is always found anew.
//   4. Results of Triton kernels are not kept.
#pragma once

#include <string>

#include "config/launch.h"
#include "kernel/program.h"
#include "results/trace.h"
#include "support/private_cache.h"
#include "trace/analyze.h"
#include "trace/independence.h"

namespace heddle::trace {

class KeptTrace {
 public:
  /// Both must outlive it.
  KeptTrace(const kernel::KernelProgram& program, const config::Launch& launch);

  TraceReport analyze(const AnalyzeOptions& options) const;
  void find_independence(const IndependenceOptions& options, IndependenceReport& report) const;

 private:
  std::string key_of(const TraceOptions& options) const;

  const kernel::KernelProgram& program_;
  const config::Launch& launch_;
  PrivateCache cache_;
  std::string key_;  ///< empty: nothing is kept
};

}  // namespace heddle::trace
