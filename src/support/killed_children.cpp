#include "support/killed_children.h"

#include <sys/wait.h>

#include <atomic>
#include <csignal>

namespace heddle {
namespace {

std::atomic<std::size_t> killed{0};

}  // namespace

void note_child_end(int status) {
  if (!WIFSIGNALED(status)) return;
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT})
    if (WTERMSIG(status) == signal) ++killed;
}

std::size_t killed_children() {
  return killed;
}

}  // namespace heddle
