// Errors with a place: where, what, what to try.
//
// Sample of what one prints:
//   order.py:3:9: 'foo' is called but not defined
//     try: define it with 'def foo(...)', or use one of: min max abs tl.cdiv ...
//
// Rules
//   1. Every failure that a user can cause is an Error; anything else that escapes is a bug.
//   2. The kind decides the exit code; nothing else does.
//   3. The hint is an action, not an apology.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

/// A line and a column in some text, both from 1; 0 means "not known".
struct Position {
  int line = 0;
  int column = 0;
};

/// Exit codes of the program (docs/architecture.md, "Exit codes").
enum class ExitCode : int {
  good = 0,
  refuted = 1,
  usage = 2,
  inconclusive = 3,
  missing = 4,
  target_failed = 5,
  interrupted = 130,
};

/// What of a job is at fault, where an Error knows it: whoever made the job can mend it.
struct Cause {
  enum class Kind {
    unknown,
    contents,  ///< the tensor has none, and an address depends on them
    integers,  ///< the tensor holds floating numbers where the kernel needs integers
    missing,   ///< None where the kernel needs a tensor or a number
    size,      ///< the launch, a tensor, a block or the work of a tile passes a limit
  };
  Kind kind = Kind::unknown;
  std::string name = {};  ///< of the parameter, where it is one
};

/// Where, what and what to try. Empty parts are left out when printed.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string what, std::string hint = {}, ExitCode code = ExitCode::usage);

  /// The same error, placed in a file (or "<stdin>", "--let", ...) at a position.
  Error at(std::string source, Position position) const;
  /// The same error, placed in a file; keeps the position it has.
  Error in(std::string source) const { return at(std::move(source), position_); }

  /// The same error, with what of the job is at fault.
  Error because(Cause cause) const;

  const Cause& cause() const { return cause_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  const std::string& source() const { return source_; }
  Position position() const { return position_; }
  ExitCode code() const { return code_; }

  /// "where: what\n  try: hint", without a final newline.
  std::string full_text() const;

 private:
  std::string message_;
  std::string hint_;
  std::string source_;
  Position position_;
  ExitCode code_;
  Cause cause_;
};

}  // namespace heddle
