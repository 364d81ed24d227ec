// How text reports look: aligned labels, verdicts in colour where a person is looking.
#pragma once

#include <string>
#include <string_view>

#include "report/text_width.h"
#include "results/verdict.h"

namespace heddle::report {

/// Whether to colour. Decided once by the program (NO_COLOR, --color, terminal).
struct Style {
  bool color = false;

  std::string verdict(Verdict verdict) const;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
};

constexpr std::size_t kFileColumns = 100;
constexpr std::size_t kLeastColumns = 40;

/// Columns of a line of text, on this thread. The program sets them once, to those of the terminal;
/// until then, and for files, there are kFileColumns. Never fewer than kLeastColumns.
std::size_t text_columns();
void set_text_columns(std::size_t columns);

/// While it is in scope, text is as wide as that of files.
class FileColumns {
 public:
  FileColumns() : before_(text_columns()) { set_text_columns(kFileColumns); }
  ~FileColumns() { set_text_columns(before_); }
  FileColumns(const FileColumns&) = delete;
  FileColumns& operator=(const FileColumns&) = delete;

 private:
  std::size_t before_;
};

/// "  label          text\n", continuation lines indented below the text.
std::string labelled(std::string_view label, std::string_view text);

/// "start  rest\n", the first line of a report; `start` may be coloured, `rest` goes on at column 2.
std::string headline(std::string_view start, std::string_view rest);

/// `text` after `first` columns, broken at blanks before the last column, continued at `indent`.
/// Words that are too long for a line stay whole: they are paths and formulas, to be copied. Lines
/// of sentences are at most 120 columns long, whatever the terminal has.
std::string wrapped(std::string_view text, std::size_t first, std::size_t indent);

/// The choice "always" or "never" decides; with "auto" NO_COLOR and a dumb or absent terminal turn
/// colour off, and CLICOLOR_FORCE on.
Style choose_style(std::string_view choice, bool to_terminal);

/// $COLUMNS, where it is a number; else what the terminal has; else kFileColumns. `terminal` is 0
/// where there is none.
std::size_t choose_columns(std::size_t terminal);

}  // namespace heddle::report
