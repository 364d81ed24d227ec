#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "report/validation_table.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kWidth = 79;

}  // namespace

Progress::Progress() : on_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string& text) {
  if (!on_) return;
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "\r\x1b[K{}", report::cut(text, kWidth));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace heddle::tool
