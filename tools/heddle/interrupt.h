// Ctrl-C as a question: has the user asked to stop?
//
//   InterruptWatch watch;             from here on the first Ctrl-C only sets a flag
//   while (!watch.asked()) ...        the second one ends the program
#pragma once

#include <utility>

namespace heddle::tool {

/// One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool asked() const;

 private:
  std::pair<void (*)(int), void (*)(int)> before_;  ///< what SIGINT and SIGTERM did
};

}  // namespace heddle::tool
