// Orders that people and programs propose as text.
//
//   xcd(8) | group(4)                     one formula per paragraph (blank lines between), in any
//                                         form that `heddle check` reads; or a whole log in the
//   pid = tl.program_id(0)                style of the SwizzlePerf logs, one formula an iteration
//   pid = (pid % 8) * 32 + pid // 8
//
// Rules
//   1. Any bytes are accepted. What cannot be read is a proposal that says so.
//   2. A text in Markdown fences counts by its fences: blank lines inside belong to it.
//   3. Lines that begin with '#' alone make no proposal.
//   4. A formula of more than kLongestFormula bytes is not read, and only its begin is kept.
//   5. At most kMostProposals and kMostProposalBytes of a text; the rest is dropped and said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "order/order.h"
#include "search/proposer.h"

namespace heddle::search {

inline constexpr std::size_t kMostProposals = 1000;
inline constexpr std::size_t kLongestFormula = std::size_t{64} << 10;  ///< bytes
inline constexpr std::size_t kMostProposalBytes = std::size_t{16} << 20;

struct GivenOrders {
  std::vector<Proposal> proposals;
  std::vector<std::string> notes;
};

/// `proposer` is the file's name, "command" or "model". `is_one`: the text is one order, called so.
/// `title`: what formulas are called; empty: after the proposer.
GivenOrders read_given(std::string_view text, const std::string& proposer,
                       const order::ReadOptions& reading, bool is_one = false,
                       const std::string& title = {});

}  // namespace heddle::search
