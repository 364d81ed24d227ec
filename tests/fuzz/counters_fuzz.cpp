// Any bytes as a table of counters, plain or packed, with a row for each dispatch or counter.
#include <cstdint>
#include <string>

#include "profile/workload/counter_table.h"
#include "profile/workload/gunzip.h"
#include "profile/workload/long_counters.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (profile::is_gzip(bytes)) bytes = profile::gunzip(bytes, std::size_t{1} << 20).text;
  std::vector<ProfileNote> notes;
  const profile::CounterTable table(std::move(bytes), "table", notes);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      const bool known = table.number(column, row) || table.integer(column, row);
      // A damaged row has no values.
      if (table.damaged(row) && (known || !table.text(column, row).empty())) __builtin_trap();
    }
  }
  if (!profile::is_long(table)) return 0;
  try {
    profile::LongCounters counters;
    counters.add_table(table, "table", notes);
    const std::size_t rows = counters.rows();
    const auto turned = std::move(counters).table("table", profile::Multiplexing::kernel, notes);
    if (turned.rows() != rows) __builtin_trap();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < turned.columns().size(); ++column)
        turned.number(column, row);
    }
  } catch (const Error&) {
  }
  return 0;
}
