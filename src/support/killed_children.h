// How many programs that this process started were ended by a signal from outside.
//
// A scheduler that ends a job, an operator or the system without memory kills any process of it, the
// programs that a verb has started among them. What the verb then finds says nothing about its input,
// so that a sweep has to do it again (sweep/workers.h).
//
// Rules
//   1. SIGKILL, SIGTERM, SIGINT, SIGHUP and SIGQUIT count. Crashes and limits of ours do not.
//   2. Whoever waits for a child that it has not killed itself notes its end here. Any thread may.
#pragma once

#include <cstddef>

namespace heddle {

/// `status`: of waitpid.
void note_child_end(int status);

std::size_t killed_children();

}  // namespace heddle
