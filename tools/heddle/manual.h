// Man pages, as roff.
//
//   heddle help --man          heddle(1): the verbs, exit codes, environment
//   heddle help --man check    heddle-check(1)
#pragma once

#include <string>

#include "command_text.h"

namespace heddle::tool {

std::string program_page(const ProgramText& program);
std::string verb_page(const ProgramText& program, const VerbText& verb);

}  // namespace heddle::tool
