// Any bytes as a table of measured points.
#include <cstdint>
#include <string_view>

#include "calibrate/points.h"
#include "calibrate/workload.h"
#include "support/error.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto points =
        calibrate::parse_points({reinterpret_cast<const char*>(data), size}, "table", "folder");
    calibrate::group_points(points);
  } catch (const Error&) {
  }
  return 0;
}
