// What the runner tells heddle.
#pragma once

#include <cstddef>
#include <string_view>

#include "runner/protocol.h"

namespace heddle::runner {

void put(const void* bytes, std::size_t count);
void flush_output();

/// Says what went wrong and ends the process.
[[noreturn]] void fail(FaultKind kind, std::string_view text, std::uint32_t site = kMostSites,
                       std::uint64_t address = 0);

}  // namespace heddle::runner
