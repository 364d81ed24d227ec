// Any bytes as a table of counters, plain or packed.
#include <cstdint>
#include <string>

#include "profile/workload/counter_table.h"
#include "profile/workload/gunzip.h"

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
  return 0;
}
