#include "search/given.h"

#include <fmt/format.h>

#include "optlog/read.h"
#include "order/compact.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::search {
namespace {

constexpr std::size_t kShownOfLong = 200;

bool is_fence(std::string_view line) {
  return trim(line).starts_with("```");
}

/// Paragraphs: what stands between blank lines, and fenced blocks as a whole.
std::vector<std::string> paragraphs(std::string_view text) {
  std::vector<std::string> found;
  std::string current;
  bool in_fence = false;
  const auto end = [&] {
    if (!trim(current).empty()) found.push_back(current);
    current.clear();
  };
  for (const std::string_view line : split_lines(text)) {
    if (is_fence(line)) {
      end();
      in_fence = !in_fence;
    } else if (!in_fence && trim(line).empty()) {
      end();
    } else {
      current += line;
      current += '\n';
    }
  }
  end();
  return found;
}

bool only_comments(std::string_view text) {
  for (const std::string_view line : split_lines(text)) {
    const std::string_view words = trim(line);
    if (!words.empty() && words[0] != '#') return false;
  }
  return true;
}

/// Without lines of comment that stand above the rest.
std::string_view without_comments_above(std::string_view text) {
  text = trim(text);
  while (!text.empty() && text[0] == '#') {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view{} : trim(text.substr(end));
  }
  return text;
}

/// Without the blanks that all its lines begin with.
std::string without_indent(std::string_view text) {
  std::size_t indent = std::string_view::npos;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos) indent = std::min(indent, first);
  }
  std::string result;
  for (const std::string_view line : split_lines(text)) {
    result += line.size() > indent ? line.substr(indent) : trim(line);
    result += '\n';
  }
  return result;
}

Proposal read_one(const std::string& text, const std::string& proposer, const std::string& title,
                  const order::ReadOptions& reading) {
  Proposal proposal;
  proposal.proposer = proposer;
  proposal.formula = std::string(trim(text));
  if (proposal.formula.size() > kLongestFormula) {
    proposal.unreadable =
        fmt::format("the formula has {} bytes, more than {}",
                    with_separators(static_cast<std::int64_t>(proposal.formula.size())),
                    with_separators(static_cast<std::int64_t>(kLongestFormula)));
    proposal.formula = proposal.formula.substr(0, kShownOfLong) + " ...";
    return proposal;
  }
  const std::string_view bare = without_comments_above(text);
  try {
    if (order::looks_compact(bare)) {
      proposal.order = order::read_compact(bare);
      proposal.formula = proposal.order->title();
      proposal.idea = idea_of(*proposal.order);
    } else {
      const std::string code = without_indent(text);
      const std::string source =
          trim(text).find('\n') == std::string_view::npos ? order::kInline : title;
      proposal.order = order::Order::from_formula(source == title ? code : std::string(trim(code)),
                                                  source, reading);
    }
  } catch (const Error& error) {
    proposal.unreadable = error.message();
  }
  return proposal;
}

bool is_log(std::string_view text) {
  const std::string lower = lower_case(text.substr(0, std::size_t{1} << 20));
  return lower.find("swizzling formula") != std::string::npos;
}

}  // namespace

GivenOrders read_given(std::string_view text, const std::string& proposer,
                       const order::ReadOptions& reading, bool is_one, const std::string& title) {
  GivenOrders given;
  const std::string& called = title.empty() ? proposer : title;
  if (is_one) {
    given.proposals.push_back(read_one(std::string(text), proposer, proposer, reading));
    return given;
  }
  if (text.size() > kMostProposalBytes) {
    given.notes.push_back(fmt::format("{}: all beyond {} bytes was dropped", proposer,
                                      with_separators(kMostProposalBytes)));
    text = text.substr(0, kMostProposalBytes);
  }
  struct Piece {
    std::string text, title;
  };
  std::vector<Piece> pieces;
  bool read_as_log = false;
  if (is_log(text)) {
    try {
      for (const Attempt& attempt : optlog::read_log(text))
        if (!attempt.formula.empty())
          pieces.push_back(
              {attempt.formula, fmt::format("{} iteration {}", called, attempt.iteration)});
      read_as_log = true;
    } catch (const Error&) {
      read_as_log = false;  // then it is a text that speaks of formulas
    }
  }
  if (!read_as_log)
    for (std::string& paragraph : paragraphs(text))
      if (!only_comments(paragraph))
        pieces.push_back(
            {std::move(paragraph), fmt::format("{} formula {}", called, pieces.size() + 1)});
  if (pieces.size() > kMostProposals) {
    given.notes.push_back(fmt::format("{}: {} formulas, the first {} are taken", proposer,
                                      with_separators(static_cast<std::int64_t>(pieces.size())),
                                      kMostProposals));
    pieces.resize(kMostProposals);
  }
  if (pieces.empty()) given.notes.push_back(fmt::format("{}: no formula was found", proposer));
  for (const Piece& piece : pieces)
    given.proposals.push_back(read_one(piece.text, proposer, piece.title, reading));
  return given;
}

}  // namespace heddle::search
