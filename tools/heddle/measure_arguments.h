// The flags of what is measured and how: bundle and optimize --measure share them.
#pragma once

#include <string>
#include <vector>

#include "flags.h"
#include "pipeline.h"

namespace heddle::tool {

struct MeasureArguments {
  int most = 10;
  int rounds = 40;
  int limit_s = 60;
  int budget_s = 60;
  std::string seeds = "1,2,3";
  std::vector<std::string> candidates;  ///< files

  void add(Verb verb);
  /// --candidate: for bundles alone, since what is not proved never becomes an answer of optimize.
  void add_candidates(Verb verb);
  MeasureOptions options() const;
  /// The files of --candidate.
  std::vector<search::GivenText> read_candidates() const;
  /// Whether any of these was written on the command line.
  bool is_given() const;

 private:
  std::vector<Flag> flags_;
};

}  // namespace heddle::tool
