// Any bytes as a database of rocprofv3.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "profile/workload/rocpd.h"
#include "support/error.h"

using namespace heddle;

/// A file of this process. SQLite follows links, so a file without a name will not do.
static const std::string& database_path() {
  static const struct Scratch {
    Scratch() {
      const bool in_memory = std::filesystem::is_directory("/dev/shm");
      std::string folder = in_memory ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX";
      if (mkdtemp(folder.data()) == nullptr) __builtin_trap();
      path = folder + "/7_results.db";
    }
    ~Scratch() { std::filesystem::remove_all(std::filesystem::path(path).parent_path()); }
    std::string path;
  } kScratch;
  return kScratch.path;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(database_path(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    std::vector<ProfileNote> notes;
    const auto counters = profile::read_rocpd({{"7_results.db", database_path()}},
                                              profile::Multiplexing::none, notes);
    for (std::size_t row = 0; row < counters.table.rows(); ++row) {
      for (std::size_t column = 0; column < counters.table.columns().size(); ++column)
        counters.table.text(column, row);
    }
  } catch (const Error& error) {
    if (error.hint().empty()) __builtin_trap();
  }
  return 0;
}
