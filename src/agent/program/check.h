// A candidate's outputs beside the original's, on one launch with one seed.
//
// Rules
//   1. The original runs first, and again where a candidate seems to differ: compare.h.
//   2. What is wrong is a Rejection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tasks.h"

namespace heddle::agent {

class Check {
 public:
  Check(Task& task, LaunchMemory& memory, std::uint64_t seed);

  /// What the original computes, and what it differs from itself by; says so if it was `asked` for.
  void run_original(bool asked);
  void run_candidate(const std::string& candidate);
  /// Of a launch that was timed, after kFirstPattern was put into what is only written: outputs,
  /// guards and inputs. `updates`: whether tensors that are read and written had their contents.
  void look(const Run& run, bool updates);

 private:
  bool widen_references();
  Run named(const std::string& candidate) const;
  void say(const Run& run, const std::string& close) const;
  void check_surroundings(const Run& run);
  void run_once(const Run& run, unsigned char pattern);
  std::vector<Bytes> outputs_of(const Run& run, unsigned char pattern);
  std::vector<std::optional<Bytes>> changes_of(const Run& run, unsigned char pattern);

  Task& task_;
  LaunchMemory& memory_;
  std::string seed_;
  std::vector<std::size_t> outputs_;
  std::vector<Reference> references_;
  bool widened_ = false;
};

}  // namespace heddle::agent
