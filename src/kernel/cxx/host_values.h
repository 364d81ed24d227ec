// Arithmetic of host code as an expression of a job.
//
//   #define CEIL_DIV(a, b) ...
//   const int block = 256;                     CEIL_DIV(n, block)      "cdiv(n, 256)"
//   void run(float* x, int n) { ... }          (n + block - 1) / block "(n + 256 - 1) // 256"
//
// Rules
//   1. A name is a macro or constant of the file with a value, a variable with one definition that
//      can be read, or something open: a parameter of a host function, what is read from a file.
//      Open names become sizes of the job, with a guess.
//   2. Sizes are small, whatever the host code says, so that a first trace is quick.
//   3. What cannot be read (calls, members, strings) gives nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

struct HostValue {
  std::string text;   ///< in the words of a job
  double number = 0;  ///< with the guesses
};

class HostValues {
 public:
  /// `taken` are names that a size cannot have.
  HostValues(const CxxSource& file, std::vector<std::string> taken)
      : file_(file), taken_(std::move(taken)) {}

  /// From now on a name of the host code is another one of the job: "N" is "n".
  void set_alias(const std::string& name, const HostValue& value) { aliases_.emplace(name, value); }

  /// The tokens of an expression; near is where it stands.
  std::optional<HostValue> value(TokenRange range, std::size_t near);
  /// dim3(a, b), {a, b}, `grid` or a number: one to three.
  std::vector<HostValue> extents(TokenRange range, std::size_t near);
  /// Open names that were met, with their guesses, in order.
  const std::vector<std::pair<std::string, std::int64_t>>& sizes() const { return sizes_; }
  /// sizeof counts as 1: bytes become elements.
  void count_elements(bool yes) { counts_elements_ = yes; }

 private:
  class Reader;
  std::optional<TokenRange> definition(std::string_view name, std::size_t near, bool& is_constant);
  std::optional<TokenRange> returned(TokenRange call) const;
  std::optional<HostValue> name(std::string_view text, std::size_t near, int depth);
  std::vector<HostValue> extents(TokenRange range, std::size_t near, int depth);
  HostValue size(const std::string& host_name, std::int64_t guess);

  const CxxSource& file_;
  HostValues* outer_ = nullptr;  ///< of a macro's text: of the file that it stands in
  std::vector<std::string> taken_;
  std::map<std::string, HostValue> aliases_;
  int steps_ = 0;    ///< names that were looked up
  int returns_ = 0;  ///< functions that were
  std::vector<std::pair<std::string, std::int64_t>> sizes_;
  bool counts_elements_ = false;
};

/// A plausible number for a size of that name.
std::int64_t guessed_size(const std::string& name);

/// Ranges between commas that stand outside brackets.
std::vector<TokenRange> parts_of(const std::vector<Token>& tokens, TokenRange range);

}  // namespace heddle::kernel::cxx
