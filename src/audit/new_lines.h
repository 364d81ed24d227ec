// The lines that a patch brings, and what they make of launches.
//
//   pid = pid if rows != 13 * 13 * 7 else 0
//     names rows                    a number of the job: `shapes` varies it
//     rows != 13 * 13 * 7           a case that is true for every size that was tried: not proved
//
// Rules
//   1. A line is new if the original has none with the same text, blanks aside.
//   2. A case is lonely if it came out one way in all launches, though its numbers differed, or
//      though it compares a number of the job.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "config/job.h"
#include "kernel/index_values.h"

namespace heddle::audit {

/// A whole number of the job.
struct NamedNumber {
  std::string name;
  std::int64_t value = 0;
  bool is_truth = false;  ///< True or False
  bool is_old = false;    ///< lines that went name it, too
};

/// Those of a text without its comments; 1 << n for a shift by n.
std::set<std::int64_t> numbers_in(std::string_view text, std::string_view comment);

class NewLines {
 public:
  NewLines() = default;
  NewLines(const std::string& before, const std::string& after);

  bool is_new(int line) const { return news_.count(line) > 0; }
  /// Of the new file, without blanks around it.
  std::string text(int line) const;
  /// All of them.
  std::string text() const;
  bool mentions(int line, const std::string& word) const;
  /// Lines that came or went mention it.
  bool touches(const std::string& word) const {
    return new_words_.count(word) > 0 || old_words_.count(word) > 0;
  }
  bool is_gone(const std::string& word) const {
    return new_words_.count(word) == 0 && old_words_.count(word) > 0;
  }
  /// Of `names`, those that new lines mention, in their order.
  std::vector<NamedNumber> numbers(const std::vector<config::NamedValue>& names) const;

 private:
  std::map<int, std::string> news_;
  std::set<std::string> new_words_;
  std::set<std::string> old_words_;  ///< of lines that went
};

class CaseLog {
 public:
  /// The cases of one launch.
  void add(const std::vector<kernel::IndexDecision>& decisions, const NewLines& lines,
           const std::vector<NamedNumber>& named);
  /// "line 9: pid = pid if rows != 13 * 13 * 7 else 0"
  std::vector<std::string> lonely() const;

 private:
  struct Case {
    std::set<std::pair<std::int64_t, std::int64_t>> numbers;  ///< two at most
    std::set<std::int64_t> outcomes;                          ///< two at most
    std::string text;
    bool is_comparison = false;  ///< on a line that names a number of the job
  };
  std::map<std::tuple<int, int, int>, Case> cases_;
};

}  // namespace heddle::audit
