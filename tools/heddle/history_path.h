// Where the history is, for the verbs that write it and that show it.
#pragma once

#include <string>

namespace heddle::tool {

/// `named` where it is not empty (--history FILE); else what HEDDLE_HISTORY names; else
/// heddle/history.db in $XDG_STATE_HOME, or in ~/.local/state. Throws Error without a HOME.
std::string history_path(const std::string& named);

}  // namespace heddle::tool
