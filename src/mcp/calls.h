// The calls that are in flight: a thread each, some of them at a time, each of which can be ended.
//
//   calls.start("7", [](const std::atomic<bool>& stop) { ... });
//   calls.cancel("7");                 // `stop` is true from now on
//   calls.finish(2s);                  // waits for all, then ends the rest
//
// Rules
//   1. At most `at_once` run at a time; the others wait. Beyond kMostCalls none is taken.
//   2. A key names one call at a time.
//   3. A cancelled call that has not begun does not begin.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::mcp {

inline constexpr std::size_t kMostCalls = 64;

class Calls {
 public:
  using Work = std::function<void(const std::atomic<bool>& stop)>;
  enum class Start { started, known_key, too_many };

  explicit Calls(std::size_t at_once) : at_once_(at_once) {}
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  Start start(const std::string& key, Work work);
  void cancel(const std::string& key);
  bool has(const std::string& key);
  void finish(std::chrono::milliseconds patience);

 private:
  struct Call {
    std::atomic<bool> stop = false;
    std::thread thread;
  };
  void run(const std::string& key, Call& call, const Work& work);
  void join_ended();

  std::size_t at_once_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::unique_ptr<Call>> calls_;
  std::vector<std::unique_ptr<Call>> ended_;  ///< whose threads are to be joined
  std::size_t running_ = 0;
};

}  // namespace heddle::mcp
