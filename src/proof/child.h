// Runs Z3 in a child process: its own limits are requests, these are not.
//
// Rules
//   1. The child ends when it has computed for that long; the answer is then unknown, with that
//      reason. Time is the processor's: a busy machine gives the same answer, later.
//   2. The child's memory is bounded; running out of it is unknown, too.
//   3. Nothing but the answer crosses the pipe.
#pragma once

#include <chrono>
#include <functional>

#include "proof/smt.h"

namespace heddle::proof {

SmtAnswer in_child(const std::function<SmtAnswer()>& work, std::chrono::milliseconds time_limit);

}  // namespace heddle::proof
