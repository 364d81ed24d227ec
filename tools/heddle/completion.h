// Completion scripts for shells. They complete verbs, flags, the values of flags that take one of a
// few words, names of GPUs, and files everywhere else. They start no program.
#pragma once

#include <string>
#include <vector>

#include "command_text.h"

namespace heddle::tool {

/// `shell` is bash, zsh or fish. `gpus` are the names that --gpu knows.
std::string completion_script(std::string_view shell, ProgramText program,
                              const std::vector<std::string>& gpus);

}  // namespace heddle::tool
