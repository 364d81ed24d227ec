// HIP and CUDA C++ behind kernel::Source.
#pragma once

#include "kernel/cxx/source.h"
#include "kernel/source.h"

namespace heddle::kernel::cxx {

const Language& language();

/// The job's launch of a kernel that is at hand (Source::launch).
NamedLaunch launch_of(const CxxSource& source, const config::Job& job);

}  // namespace heddle::kernel::cxx
