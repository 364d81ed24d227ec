// Any bytes as a database of rocprofv3.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "profile/workload/rocpd.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("database", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  try {
    std::vector<ProfileNote> notes;
    const auto counters =
        profile::read_rocpd({{"7_results.db", "/proc/self/fd/" + std::to_string(file)}},
                            profile::Multiplexing::none, notes);
    for (std::size_t row = 0; row < counters.table.rows(); ++row) {
      for (std::size_t column = 0; column < counters.table.columns().size(); ++column)
        counters.table.text(column, row);
    }
  } catch (const Error& error) {
    if (error.hint().empty()) __builtin_trap();
  }
  close(file);
  return 0;
}
