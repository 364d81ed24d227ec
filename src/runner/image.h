// The runner as a program in memory: heddle carries it along and starts it from there.
#pragma once

#include <span>

namespace heddle::runner {

std::span<const char> image();

}  // namespace heddle::runner
