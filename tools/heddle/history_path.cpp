#include "history_path.h"

#include <cstdlib>

#include "support/error.h"

namespace heddle::tool {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string history_path(const std::string& named) {
  if (!named.empty()) return named;
  if (const std::string file = variable("HEDDLE_HISTORY"); !file.empty()) return file;
  // A relative XDG_STATE_HOME is to be ignored, says its specification.
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/'))
    return state + "/heddle/history.db";
  if (const std::string home = variable("HOME"); !home.empty())
    return home + "/.local/state/heddle/history.db";
  throw Error("there is no place for the history: HOME is not set", "name a file with --history",
              ExitCode::missing);
}

}  // namespace heddle::tool
