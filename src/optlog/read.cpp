#include "optlog/read.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "optlog/claim.h"
#include "optlog/lines.h"
#include "support/error.h"

namespace heddle::optlog {
namespace {

constexpr std::string_view kExpectedShape =
    "give a log with lines such as 'Iteration 1:', 'Swizzling formula:' followed by the code, and "
    "'--- PROFILING ITERATION 1 ---' followed by the figures";

void add_remark(std::vector<std::string>& remarks, std::string remark) {
  if (remarks.size() < kMostRemarks) remarks.push_back(std::move(remark));
}

/// The part of the log that the reader stands in.
enum class Part { prose, formula, profile };

class LogReader {
 public:
  explicit LogReader(std::string_view text) : text_(text) {}

  std::vector<Attempt> read();

 private:
  void take_line(std::size_t begin, std::string_view line);
  void close_part(std::size_t end);
  void begin_iteration(const LineMark& mark);
  void begin_formula(const LineMark& mark, std::string_view line);
  void begin_profile(const LineMark& mark, std::size_t begin);
  void append_formula(std::string_view line);
  void store_formula();
  void store_profile(std::string_view paragraph);
  std::size_t profile_target();
  void remark_numbering(Attempt& attempt, const LineMark& mark);

  std::string_view text_;
  int line_number_ = 0;
  std::vector<Attempt> attempts_;
  std::vector<std::string> preface_remarks_;  ///< for the first attempt, once there is one
  /// Iteration number -> attempts of that number without a claim, latest last.
  std::unordered_map<int, std::vector<std::size_t>> unclaimed_;

  Part part_ = Part::prose;
  bool iteration_has_one_hash_ = false;
  bool formula_has_one_hash_ = false;
  std::string formula_;
  std::size_t formula_size_ = 0;  ///< without the blank lines at its end
  int formula_line_ = 0;
  int formula_fences_ = 0;
  std::size_t profile_begin_ = 0;
  int profile_line_ = 0;
  std::optional<int> profile_number_;
};

std::vector<Attempt> LogReader::read() {
  std::size_t begin = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (begin < text_.size()) {
    const std::size_t newline = text_.find('\n', begin);
    const std::size_t end = newline == std::string_view::npos ? text_.size() : newline;
    std::string_view line = text_.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_number_;
    take_line(begin, line);
    begin = end + 1;
  }
  close_part(text_.size());
  if (attempts_.empty()) throw Error("no iteration found in the log", std::string(kExpectedShape));
  for (std::string& remark : preface_remarks_) {
    add_remark(attempts_.front().remarks, std::move(remark));
  }
  for (Attempt& attempt : attempts_) {
    if (attempt.formula.empty()) add_remark(attempt.remarks, "no formula found");
  }
  return std::move(attempts_);
}

void LogReader::take_line(std::size_t begin, std::string_view line) {
  LineMark mark = mark_line(line);
  if (part_ == Part::formula &&
      !ends_formula(mark, iteration_has_one_hash_ || formula_has_one_hash_)) {
    mark.kind = LineKind::text;
  }
  switch (mark.kind) {
    case LineKind::text:
      if (part_ == Part::formula) append_formula(line);
      break;
    case LineKind::rule:
      if (part_ == Part::formula) close_part(begin);
      break;
    case LineKind::section:
    case LineKind::prose_heading:
      close_part(begin);
      break;
    case LineKind::iteration:
      close_part(begin);
      begin_iteration(mark);
      break;
    case LineKind::formula_heading:
      close_part(begin);
      begin_formula(mark, line);
      break;
    case LineKind::profile:
      close_part(begin);
      begin_profile(mark, begin + line.size());
      break;
  }
}

/// Ends the formula or the profile that stands open, if one does.
void LogReader::close_part(std::size_t end) {
  const Part closed = std::exchange(part_, Part::prose);
  if (closed == Part::formula) store_formula();
  if (closed == Part::profile) {
    store_profile(text_.substr(profile_begin_, end - profile_begin_));
  }
}

void LogReader::begin_iteration(const LineMark& mark) {
  if (attempts_.size() == kMostIterations) {
    throw Error(fmt::format("the log holds more than {} iterations", kMostIterations),
                "give one log of one optimisation")
        .at({}, {line_number_, 1});
  }
  Attempt attempt;
  attempt.iteration = mark.number.value_or(0);
  remark_numbering(attempt, mark);
  unclaimed_[attempt.iteration].push_back(attempts_.size());
  attempts_.push_back(std::move(attempt));
  iteration_has_one_hash_ = mark.hashes == 1;
}

void LogReader::remark_numbering(Attempt& attempt, const LineMark& mark) {
  const int number = attempt.iteration;
  if (mark.number_capped) {
    add_remark(attempt.remarks, fmt::format("line {}: the number of the iteration is too large; "
                                            "read as {}",
                                            line_number_, number));
  } else if (unclaimed_.contains(number)) {
    add_remark(attempt.remarks,
               fmt::format("line {}: iteration {} stands in the log more than once", line_number_,
                           number));
  } else if (attempts_.empty()) {
    if (number > 1) {
      add_remark(attempt.remarks,
                 fmt::format("line {}: the log begins with iteration {}", line_number_, number));
    }
  } else if (number != attempts_.back().iteration + 1) {
    add_remark(attempt.remarks, fmt::format("line {}: iteration {} follows iteration {}",
                                            line_number_, number, attempts_.back().iteration));
  }
}

void LogReader::begin_formula(const LineMark& mark, std::string_view line) {
  part_ = Part::formula;
  formula_has_one_hash_ = mark.hashes == 1;
  formula_.clear();
  formula_size_ = 0;
  formula_line_ = 0;
  formula_fences_ = 0;
  append_formula(line.substr(mark.rest));
}

void LogReader::append_formula(std::string_view line) {
  const bool blank = is_blank(line);
  if (blank && formula_size_ == 0) return;
  if (formula_size_ == 0) formula_line_ = line_number_;
  if (is_fence(line)) ++formula_fences_;
  if (!formula_.empty()) formula_ += '\n';
  formula_ += line;
  if (!blank) formula_size_ = formula_.size();
}

void LogReader::store_formula() {
  formula_.resize(formula_size_);
  if (formula_.empty()) return;
  if (attempts_.empty()) {
    add_remark(preface_remarks_, fmt::format("line {}: a formula before the first iteration was "
                                             "not read",
                                             formula_line_));
    return;
  }
  Attempt& attempt = attempts_.back();
  if (!attempt.formula.empty()) {
    add_remark(attempt.remarks, fmt::format("line {}: a further formula of the same iteration was "
                                            "not read",
                                            formula_line_));
    return;
  }
  if (formula_fences_ % 2 != 0) {
    add_remark(attempt.remarks,
               fmt::format("line {}: a code fence in the formula has no partner", formula_line_));
  }
  attempt.formula = std::exchange(formula_, {});
  attempt.formula_line = formula_line_;
}

void LogReader::begin_profile(const LineMark& mark, std::size_t begin) {
  part_ = Part::profile;
  profile_begin_ = begin;
  profile_line_ = line_number_;
  profile_number_ = mark.number;
}

/// The attempt that the open profile belongs to; remarks where its number is odd.
std::size_t LogReader::profile_target() {
  const std::size_t latest = attempts_.size() - 1;
  if (!profile_number_) return latest;
  const auto place = unclaimed_.find(*profile_number_);
  if (place == unclaimed_.end() || place->second.empty()) {
    if (attempts_[latest].iteration != *profile_number_) {
      add_remark(attempts_[latest].remarks,
                 fmt::format("line {}: the profile after iteration {} is numbered {}",
                             profile_line_, attempts_[latest].iteration, *profile_number_));
    }
    return latest;
  }
  const std::size_t target = place->second.back();
  if (target != latest) {
    add_remark(attempts_[target].remarks,
               fmt::format("line {}: the profile of iteration {} stands after iteration {}",
                           profile_line_, *profile_number_, attempts_[latest].iteration));
  }
  return target;
}

void LogReader::store_profile(std::string_view paragraph) {
  if (attempts_.empty()) {
    add_remark(preface_remarks_, fmt::format("line {}: a profile before the first iteration was "
                                             "not read",
                                             profile_line_));
    return;
  }
  const std::size_t target = profile_target();
  Attempt& attempt = attempts_[target];
  if (attempt.claim && !is_empty(*attempt.claim)) {
    add_remark(attempt.remarks, fmt::format("line {}: a further profile of the same iteration was "
                                            "not read",
                                            profile_line_));
    return;
  }
  const ClaimReading reading = read_claim(paragraph);
  attempt.claim = reading.claim;
  for (const std::string& remark : reading.remarks) {
    add_remark(attempt.remarks, fmt::format("line {}: {}", profile_line_, remark));
  }
  // The target is the latest unclaimed attempt of its number, or was claimed before.
  std::vector<std::size_t>& waiting = unclaimed_[attempt.iteration];
  if (!waiting.empty() && waiting.back() == target) waiting.pop_back();
}

}  // namespace

std::vector<Attempt> read_log(std::string_view text) {
  if (text.size() > kLargestLog) {
    throw Error(fmt::format("the log is larger than {} MiB", kLargestLog >> 20),
                "cut it to the iterations of interest");
  }
  return LogReader(text).read();
}

}  // namespace heddle::optlog
