// What one line of an optimiser's log is: a heading, a section marker or plain text.
//
//   line                              kind             number  rest
//   Iteration 3:                      iteration        3
//   ## **Iteration 3**                iteration        3
//   --- PROFILING ITERATION 3 ---     profile          3
//   --- MEMORY ANALYSIS ---           section
//   ---                               rule
//   Summary of optimization:          prose_heading
//   **Swizzling formula:** pid = 7    formula_heading          "pid = 7"
//   In iteration 3 the order was ...  text
//   "iteration 1": "The order ...",   text
//
// Rules
//   1. A heading is a whole line; only the named prose and formula headings may carry text after
//      their colon. Letter case and the width of blanks do not matter.
//   2. Markdown decoration is stripped first: '#' before and after, '*' and '_' around.
//   3. A number past kLargestNumber becomes kLargestNumber, and the mark says so.
//   4. Time is linear in the line; no memory is taken.
//
// Does not read: headings inside JSON strings, bullets or quotes; underlined headings.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::optlog {

inline constexpr int kLargestNumber = 1'000'000'000;

enum class LineKind { text, iteration, profile, section, rule, prose_heading, formula_heading };

struct LineMark {
  LineKind kind = LineKind::text;
  std::optional<int> number;   ///< of an iteration or a profile
  bool number_capped = false;  ///< the number written is larger than kLargestNumber
  std::size_t hashes = 0;      ///< how many '#' stand before the heading
  std::size_t rest = 0;        ///< where the text after a formula heading begins in the line
};

LineMark mark_line(std::string_view line);

/// Whether a line inside a formula ends it. One '#' begins a comment there, not a heading, unless
/// the log writes its headings so.
bool ends_formula(const LineMark& mark, bool headings_have_one_hash);

/// Nothing but blanks.
bool is_blank(std::string_view line);

/// A line that opens or closes a block of code in Markdown.
bool is_fence(std::string_view line);

}  // namespace heddle::optlog
