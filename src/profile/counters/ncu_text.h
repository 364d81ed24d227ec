// What ncu prints as CSV, before any of it is a counter: tables, numbers, units, refusals.
//
//   "==PROF== Connected ..."           passed over, as what the program printed
//   "ID","Kernel Name",...             a table begins
//   ncu_number("12,345.60")            12345.6
//   ncu_unit("Mbyte")                  {bytes, 1e6}
//
// Rules
//   1. Commas separate thousands and a point the decimals. What only another locale writes so
//      ("1.234,5") is recognised, not guessed at.
//   2. Rows of a page with a row per metric get the fields that ncu leaves out at their end.
//   3. A unit is known or it is not: "Mbyte" is 1e6 bytes, "sector/us" 1e6 sectors a second.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace heddle::profile {

/// The tables of the text, each with its header.
std::vector<std::string> ncu_tables(std::string_view text);

/// Nothing for what is not a number of at least 0, and beyond kLargestCount.
std::optional<double> ncu_number(std::string_view text);
/// "5,40", "1.234,5", "1.048.576": a number, but not as the C locale writes it.
bool is_number_of_other_locale(std::string_view text);

struct NcuUnit {
  enum class Kind { time, bytes, percent, frequency, other };
  Kind kind = Kind::other;
  double factor = 1;      ///< to ns, bytes, per cent, Hz; rates to those of a second
  bool is_plain = false;  ///< no unit is written
  bool is_rate = false;   ///< of a second
  std::string_view stem;  ///< "sector"
};
std::optional<NcuUnit> ncu_unit(std::string_view unit);

/// Why ncu has counted nothing.
Error ncu_refusal(std::string_view text);

/// The raw page of a report (.ncu-rep), as ncu prints it. An Error with ExitCode::missing where ncu
/// is not installed.
std::string import_ncu_report(const std::string& path);

/// `text`, cut for a message.
std::string shortened(std::string text);

}  // namespace heddle::profile
