// Programs in the folders of PATH.
//
//   programs_in_path("python3") -> {"/home/me/.pyenv/shims/python3", "/usr/bin/python3"}
//   is_script("/home/me/.pyenv/shims/python3") -> true: it looks for the program that is meant
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Those of that name that may be run, in the order in which a shell looks for them.
std::vector<std::string> programs_in_path(const std::string& name);

/// A text that another program reads, by its first two bytes.
bool is_script(const std::string& path);

}  // namespace heddle
