#include "support/error.h"

#include <fmt/format.h>

namespace heddle {

Error::Error(std::string what, std::string hint, ExitCode code)
    : std::runtime_error(what), message_(std::move(what)), hint_(std::move(hint)), code_(code) {}

Error Error::at(std::string source, Position position) const {
  Error placed = *this;
  placed.source_ = std::move(source);
  placed.position_ = position;
  return placed;
}

Error Error::because(Cause cause) const {
  Error explained = *this;
  explained.cause_ = std::move(cause);
  return explained;
}

std::string Error::full_text() const {
  std::string where;
  if (!source_.empty()) where = source_ + ":";
  if (position_.line > 0) where += fmt::format("{}:{}:", position_.line, position_.column);
  std::string text = where.empty() ? message_ : where + " " + message_;
  if (!hint_.empty()) text += "\n  try: " + hint_;
  return text;
}

}  // namespace heddle
