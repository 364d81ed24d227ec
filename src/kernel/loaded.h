// A kernel as a job launches it, ready to be traced.
#pragma once

#include "config/launch.h"
#include "kernel/program.h"

namespace heddle {

/// `program` is whole: remove_unneeded is the tracer's choice.
struct LoadedKernel {
  config::Launch launch;
  kernel::KernelProgram program;
};

}  // namespace heddle
