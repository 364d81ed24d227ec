// Triton behind kernel::Source.
#pragma once

#include "kernel/source.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {

const Language& language();

/// The job's launch of a kernel that is at hand (Source::launch).
NamedLaunch launch_of(TritonSource& source, const config::Job& job);

}  // namespace heddle::kernel::triton
