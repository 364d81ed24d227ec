// An agent on this machine: a bundle in, a measurement out.
//
// Rules
//   1. The agent is the program named, or heddle-agent beside this one, or what the bundle's own
//      run.sh builds.
//   2. It takes as long as the bundle lets it, and not much longer.
//   3. A machine without a GPU, or without what the kernel needs, is an Error with
//      ExitCode::missing that says what is missing.
#pragma once

#include <functional>
#include <string>

#include "measure/bundle.h"

namespace heddle::measure {

struct AgentOptions {
  std::string folder;   ///< where the bundle is written; stays
  std::string program;  ///< empty: rule 1
  std::string python;   ///< for Triton kernels; empty: python3
  bool counters = true;
  std::function<bool()> stop;  ///< may be empty
};

/// Throws Error where nothing could be measured.
MeasurementReport measure_here(const Bundle& bundle, const AgentOptions& options);

}  // namespace heddle::measure
