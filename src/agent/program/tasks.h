// What a worker can be asked to do, and what the tasks share.
//
// Rules
//   1. A task says what it is about to do (Speaker) and throws Rejection with what a candidate did
//   wrong.
//   2. The original is compiled and run as number 0 in every task, asked for or not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver.h"
#include "memory.h"

namespace heddle::agent {

/// Lines of the protocol, each in one piece.
class Speaker {
 public:
  /// Takes standard output for itself: rule 1 of worker.h.
  Speaker();
  void say(const std::string& line) const;

 private:
  int output_;
};

struct Rejection {
  std::string candidate;
  std::string launch;
  std::string seed;
  std::string kind;
  std::string detail;
};

/// One candidate that is being run: names for the lines.
struct Run {
  std::string candidate;
  std::string launch;
  std::string seed;
};

class Task {
 public:
  Task(const std::string& folder, const Bundle& bundle, const Speaker& speaker);

  void device();
  void check(const std::vector<std::string>& candidates);
  void time(std::uint64_t seed, const std::vector<std::string>& candidates);
  void profile(const std::vector<std::string>& candidates);

 private:
  friend class Check;
  friend class Timing;

  /// `0b` is 0; each candidate once.
  void compile(const std::vector<std::string>& candidates);
  void say_sizes(const std::string& candidate, Kernel kernel);
  Kernel kernel(const std::string& candidate) const;
  void begin(const Run& run) const;
  /// Launches and waits; what goes wrong is a Rejection.
  void launch(const Run& run, LaunchMemory& memory);

  std::string folder_;
  const Bundle& bundle_;
  const Speaker& speaker_;
  Driver driver_;
  std::map<std::size_t, Kernel> kernels_;
};

/// `0b` -> 0; throws Failure(kUsage) for what is not a candidate of the bundle.
std::size_t candidate_number(const std::string& word, std::size_t candidates);

/// How much is written so that no level of cache holds anything of before.
std::uint64_t flush_bytes(const DeviceFacts& facts);

[[noreturn]] void reject(const Run& run, const std::string& kind, const std::string& detail);

}  // namespace heddle::agent
