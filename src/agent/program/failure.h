// What ends the program: a code, what went wrong, what to try.
//
//   throw Failure(2, "bundle.txt, line 3: unknown statement 'gird'", "write grid");
//
//   heddle-agent: bundle.txt, line 3: unknown statement 'gird'
//     try: write grid
#pragma once

#include <stdexcept>
#include <string>

namespace heddle::agent {

inline constexpr int kUsage = 2;     ///< the command or the bundle could not be understood
inline constexpr int kMissing = 4;   ///< something needed is not there
inline constexpr int kOriginal = 5;  ///< the original kernel failed

class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& text, std::string attempt)
      : std::runtime_error(text), code_(code), attempt_(std::move(attempt)) {}
  int code() const { return code_; }
  const std::string& attempt() const { return attempt_; }

 private:
  int code_;
  std::string attempt_;
};

}  // namespace heddle::agent
