// The process of a runner: started, spoken to, ended. It knows nothing of what is said.
//
// Rules
//   1. It has its own process group, no environment but LD_LIBRARY_PATH, and of this process's files
//      only those that are handed over: as kFirstDescriptor, kFirstDescriptor + 1, ...
//   2. It ends with this object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace heddle::trace::native {

class RunnerProcess {
 public:
  static constexpr int kFirstDescriptor = 10;

  RunnerProcess();
  ~RunnerProcess() { stop(); }
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;

  bool is_running() const { return process_ > 0; }
  void start(std::span<const int> descriptors);
  /// Kills it; what it said and was not read is gone.
  void stop();
  /// Kills it, and its wait status; -1: it is not known.
  int kill_and_wait();

  /// To a process that has ended: nothing, what it said last is still to be read.
  void send(const void* bytes, std::size_t count);

  enum class Wait { ready, silent, ended };
  /// Waits until there is something to read.
  Wait wait(std::chrono::milliseconds limit);
  bool is_empty() const { return first_ == last_; }
  /// The next byte, which stays to be read; not of an empty one.
  char peek() const { return buffer_[first_]; }
  /// At most `count` of the bytes that are there, and how many that were.
  std::size_t take(char* bytes, std::size_t count);

 private:
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::vector<char> buffer_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace heddle::trace::native
