// The folder that heddle optimize hands back.
//
//   out/report.json     everything, as JSON          out/order.py   the order in Triton
//   out/summary.md      fit for a pull request       out/order.hip  ... in HIP
//   out/log.txt         every attempt, explained     out/order.cu   ... in CUDA
//   out/verdict.txt     what was proved, and why     out/order.cl   ... in OpenCL
//   out/counters.csv    predicted, before and after  out/patched/KERNEL.py, out/kernel.patch
//
// Rules
//   1. The folder is made, and tried, before the search begins.
//   2. The kernel and its patch are there only if there is a better order; those of an earlier run
//      are taken away.
//   3. A file is replaced at once, never half-written.
#pragma once

#include <string>

#include "results/optimization.h"

namespace heddle::tool {

class OutputFolder {
 public:
  /// Throws Error if nothing can be written there.
  explicit OutputFolder(std::string path);
  void write(const OptimizationReport& report) const;
  /// What a model was asked and answered: transcript.jsonl.
  void write_transcript(const std::string& text) const { put("transcript.jsonl", text); }

 private:
  void put(const std::string& name, const std::string& text) const;

  std::string path_;
};

}  // namespace heddle::tool
