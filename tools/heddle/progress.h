// One line on standard error that says what is being done; nothing unless that is a terminal. Any
// thread may show something.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace heddle::tool {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_on() const { return on_; }
  void show(const std::string& text);
  void clear();

 private:
  bool on_ = false;
  bool shown_ = false;
  std::mutex mutex_;
};

/// "simulating, 4 s" while it lives, from kPatience on.
class Waiting {
 public:
  explicit Waiting(std::string text);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void count();

  std::string text_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Progress line_;
  bool done_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::thread counter_;
};

/// What `work` returns; a terminal shows that it is being done.
template <typename Work>
auto with_progress(const std::string& text, const Work& work) {
  const Waiting waiting(text);
  return work();
}

}  // namespace heddle::tool
