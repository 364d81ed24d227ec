// How text reports look: aligned labels, verdicts in colour where a person is looking.
#pragma once

#include <string>
#include <string_view>

#include "results/verdict.h"

namespace heddle::report {

/// Whether to colour. Decided once by the program (NO_COLOR, --color, terminal).
struct Style {
  bool color = false;

  std::string verdict(Verdict verdict) const;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
};

/// "  label          text\n", continuation lines indented below the text, at most 100 columns.
std::string labelled(std::string_view label, std::string_view text);

/// `text` after `first` columns, broken at blanks before column 100, continued at `indent`.
std::string wrapped(std::string_view text, std::size_t first, std::size_t indent);

/// The choice "always" or "never" decides; with "auto" NO_COLOR and a dumb or absent terminal turn
/// colour off, and CLICOLOR_FORCE on.
Style choose_style(std::string_view choice, bool to_terminal);

}  // namespace heddle::report
