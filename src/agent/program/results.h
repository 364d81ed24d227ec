// The folder results/, as docs/agent.md says.
//
// Rules
//   1. It is emptied first. Files that have nothing to say have their header; done.txt comes last.
//   2. A file that cannot be written is a Failure(kMissing): there is no use in going on.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "protocol.h"

namespace heddle::agent {

struct Verdict {
  std::string verdict;  ///< equal, close, rejected
  std::string kind;
  std::string detail;
};

/// candidate, launch, seed: as numbers in the bundle's order, so that the file is sorted.
struct CheckKey {
  std::size_t candidate = 0;
  std::size_t launch = 0;  ///< one more than there are: none
  std::size_t seed = 0;
  auto operator<=>(const CheckKey&) const = default;
};

struct Sample {
  std::string phase;
  WorkerLine line;
};

/// Candidates that checks.csv of a folder's results rejects.
std::vector<std::size_t> rejected_in(const std::string& folder);

class Results {
 public:
  explicit Results(std::string folder);
  /// Without emptying it: what is written replaces a file.
  struct Keep {};
  Results(std::string folder, Keep);

  void machine(const std::vector<std::pair<std::string, std::string>>& facts) const;
  void checks(const Bundle& bundle, const std::map<CheckKey, Verdict>& verdicts) const;
  void samples(const std::vector<Sample>& samples) const;
  void warm_ups(const std::vector<Sample>& lines) const;
  void compiled(const std::map<std::size_t, CompiledSizes>& sizes) const;
  void clocks(const std::vector<std::string>& rows) const;
  void counters(const std::string& csv, const std::string& order) const;
  void log(const std::string& title, const std::string& text) const;
  void done(const std::string& text) const;

 private:
  void write(const std::string& name, const std::string& text, bool append = false) const;
  std::string folder_;
};

}  // namespace heddle::agent
