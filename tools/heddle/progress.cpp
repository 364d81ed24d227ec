#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

#include "notes.h"
#include "report/style.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kWidth = 79;
constexpr std::chrono::seconds kPatience{2};

}  // namespace

Progress::Progress()
    : on_(isatty(STDERR_FILENO) != 0 && loudness() == Loudness::normal &&
          Capture::results() == nullptr) {}

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

Waiting::Waiting(std::string text) : text_(std::move(text)) {
  if (loudness() == Loudness::verbose) note("{}", text_);
  if (!line_.is_on()) return;
  try {
    counter_ = std::thread([this] { count(); });
  } catch (const std::system_error&) {
    // No more threads to be had: nothing is shown.
  }
}

Waiting::~Waiting() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  if (counter_.joinable()) counter_.join();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
  if (loudness() == Loudness::verbose) note("{} took {:.3f} s", text_, taken.count());
}

void Waiting::count() {
  std::unique_lock lock(mutex_);
  auto wait = kPatience;
  for (auto elapsed = wait; !ended_.wait_for(lock, wait, [this] { return done_; });
       elapsed += wait) {
    line_.show(fmt::format("{}, {} s", text_, elapsed.count()));
    wait = std::chrono::seconds(1);
  }
}

}  // namespace heddle::tool
