// Whether a kernel's blocks compute its tiles, each once: for a launch, for a range of tile counts,
// for all sizes.
//
//   launch      PROVED    35 blocks, 5 x 7 tiles (pid_m x pid_n), each computed once
//   all sizes   PROVED    digits of the launch id, pid_n fastest
//
// Rules
//   1. A question that was not asked has no answer here.
//   2. Lines are those of the kernel's file that compute the coordinates; they are there for
//      whoever has to look for the fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/check.h"

namespace heddle {

struct QuotedLine {
  int line = 0;
  std::string text;
};

struct KernelCheck {
  std::string subject;   ///< the job or the file
  std::string kernel;    ///< the kernel's file
  std::string function;  ///< its name
  std::string tiles;     ///< "num_pid_m x num_pid_n (pid_m x pid_n)"; empty: not known
  std::optional<CheckResult> launch;
  std::optional<CheckResult> range;
  std::optional<CheckResult> all_sizes;
  std::vector<QuotedLine> lines;
  std::vector<std::string> notes;

  /// REFUTED if an answer is. Else that of the launch, or without one PROVED if an answer is; UNKNOWN
  /// where the range is and nothing is known of all sizes.
  Verdict verdict() const;
};

}  // namespace heddle
