// What a launch cannot do without: the sectors it touches and what it computes, by tracing it.
//
// Rules
//   1. A sector of 32 B is the least that moves. Of a tensor that is read in several places, the
//      place that reads most counts: sums would count sectors twice.
//   2. Where only some blocks can be traced, it is what those need: a lower bound.
#pragma once

#include "config/launch.h"
#include "kernel/program.h"
#include "results/profile_audit.h"

namespace heddle::audit {

NecessaryWork find_necessary_work(const kernel::KernelProgram& program,
                                  const config::Launch& launch);

}  // namespace heddle::audit
