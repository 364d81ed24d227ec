// What validate and calibrate share: bounds of their options, --gpu, files that are written.
#pragma once

#include <cstdint>
#include <string>

#include "calibrate/tables.h"

namespace heddle::tool {

inline constexpr int kMostThreads = 1024;
inline constexpr std::int64_t kLeastRequests = 1000;
inline constexpr std::int64_t kMostRequests = 1'000'000'000'000;

/// "mi300x=my.toml" or "my.toml", which has an empty name.
calibrate::GpuSubstitute gpu_substitute(const std::string& text);

/// Throws Error if a file cannot be written, before there is something to write. Empty: nothing.
void check_writable(const std::string& file);

/// Says on standard error that a file was written. Empty: nothing.
void say_written(const std::string& file);

}  // namespace heddle::tool
