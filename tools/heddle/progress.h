// One line on standard error that says what is being done; nothing unless that is a terminal. Any
// thread may show something.
#pragma once

#include <mutex>
#include <string>

namespace heddle::tool {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text);
  void clear();

 private:
  bool on_ = false;
  bool shown_ = false;
  std::mutex mutex_;
};

}  // namespace heddle::tool
