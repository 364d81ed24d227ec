// A program that proposes orders: asked once per round, JSON in, formulas out.
//
// Rules
//   1. It runs in a shell of its own, with bounded time and output, and ends with all that it has
//      started. Its standard error is quoted where it fails.
//   2. A program that answers with nothing is not asked again. One that fails, takes too long or
//      repeats itself two rounds in a row neither, and a note says so.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/options.h"

namespace heddle::tool {

class ProposeCommand {
 public:
  ProposeCommand(std::string command, std::chrono::milliseconds time)
      : command_(std::move(command)), time_(time) {}

  /// Nothing: it is not to be asked again.
  std::optional<search::GivenText> ask(const OptimizationReport& so_far, int round,
                                       std::chrono::milliseconds most,
                                       const std::function<bool()>& stop);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::optional<search::GivenText> give_up(const std::string& why);

  std::string command_;
  std::chrono::milliseconds time_;
  std::set<std::string> answers_;
  int repeated_ = 0;  ///< rounds in a row
  std::vector<std::string> notes_;
};

}  // namespace heddle::tool
