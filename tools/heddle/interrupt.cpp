#include "interrupt.h"

#include <csignal>

namespace heddle::tool {
namespace {

volatile std::sig_atomic_t g_asked = 0;

extern "C" void note_interrupt(int signal) {
  g_asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  g_asked = 0;
  before_ = {std::signal(SIGINT, note_interrupt), std::signal(SIGTERM, note_interrupt)};
}

InterruptWatch::~InterruptWatch() {
  std::signal(SIGINT, before_.first);
  std::signal(SIGTERM, before_.second);
}

bool InterruptWatch::asked() const {
  return g_asked != 0;
}

}  // namespace heddle::tool
