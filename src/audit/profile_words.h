// Figures and names of recorded runs, as an audit says them.
#pragma once

#include <string>

namespace heddle::audit {

/// 12280317 -> "12.3 ms".
std::string time_of(double ns);
/// 1073905664 -> "1,073,905,664".
std::string count_text(double count);
/// "29", "8,190".
std::string factor_text(double factor);
/// "1/64", "97 %", "32 times as much".
std::string part_text(double part);
/// Names up to the parameters: "yax" for "yax(double*, int) [clone .kd]".
std::string plain_name(const std::string& kernel);

}  // namespace heddle::audit
