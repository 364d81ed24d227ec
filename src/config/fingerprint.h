// Numbers that tell texts and launches apart, the same on every machine.
//
// Rules
//   1. A launch's fingerprint depends on everything that decides what its tiles do: the kernel's
//      source, the arguments, the tensors with their data (files by their bytes) and the grid.
//      Where its files lie does not matter.
//   2. 128 bits, hexadecimal. It guards against mistakes, not against malice.
#pragma once

#include <string>
#include <string_view>

#include "config/launch.h"

namespace heddle::config {

std::string fingerprint(std::string_view text);

/// Reads the kernel's file and those that tensors take their data from.
std::string fingerprint(const Launch& launch);

}  // namespace heddle::config
