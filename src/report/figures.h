// Figures as people read them: bytes and times with units, shares in per cent, indices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::report {

/// 512 -> "512 B", 2048 -> "2 KiB", 1610612736 -> "1.5 GiB".
std::string bytes_text(double bytes);

/// 0.5 -> "50 %", 0.0625 -> "6 %", 0.004 -> "0.4 %", 0 -> "0 %"; never 0 or 100 for what only comes
/// close.
std::string share_text(double share);

/// 31.94 -> "31.9 %": a hit rate.
std::string percent_text(double percent);

/// 3 of 4 -> "3 (75 %)".
std::string part_text(std::int64_t part, std::int64_t whole);

/// Microseconds: 146.2 -> "146 us", 1234.5 -> "1.23 ms".
std::string time_text(double time_us);

/// 3 -> "3", 2.5 -> "2.5", 12345.6 -> "12,346".
std::string number_text(double number);

/// "(3, 5)"; "(3)".
std::string index_text(const std::vector<std::int64_t>& tile);

}  // namespace heddle::report
