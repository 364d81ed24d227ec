// Results and notes: where they go. Notes are on standard error: what a reader may want to know besides the result.
//
//   note("{} is left out", name)   prints "heddle: x is left out"
//
// Rules
//   1. --quiet leaves out notes and progress. Errors are always said.
//   2. --verbose says what is being done and how long it took, a line each.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace heddle::tool {

enum class Loudness { quiet, normal, verbose };

void set_loudness(Loudness loudness);
Loudness loudness();

/// As it is, unless quiet.
void print_note(const std::string& text);
/// As it is: why something failed.
void print_message(const std::string& text);

/// While it lives, what verbs print goes into these texts. There is one at a time.
class Capture {
 public:
  Capture(std::string& results, std::string& messages);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Where results go; nothing: standard output.
  static std::string* results();
};

template <class... Values>
void note(fmt::format_string<Values...> text, Values&&... values) {
  print_note("heddle: " + fmt::format(text, std::forward<Values>(values)...) + "\n");
}

}  // namespace heddle::tool
