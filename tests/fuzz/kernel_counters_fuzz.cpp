// Any bytes as what ncu or rocprofv3 wrote.
#include <cstdint>
#include <string>

#include "profile/counters/counters.h"
#include "profile/other/ncu_recording.h"
#include "profile/other/summed_times.h"
#include "support/error.h"

using namespace heddle;

namespace {

void check(const std::vector<KernelCounters>& launches) {
  for (const KernelCounters& launch : launches) {
    const double hits = launch.l2_hits.value_or(0), lookups = launch.l2_lookups.value_or(0);
    if (!(hits >= 0 && hits <= lookups) || launch.time_us.value_or(0) < 0) __builtin_trap();
    // What is not known has a reason.
    if (!(launch.time_us && launch.l2_hit_pct && launch.dram_read_bytes) && launch.reasons.empty())
      __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // The second half as a trace beside the first.
  const std::size_t half = text.find("\n\n");
  const std::string trace = half == std::string::npos ? std::string() : text.substr(half + 2);
  profile::looks_like_ncu(text);
  profile::looks_like_rocprofv3(text);
  try {
    check(profile::parse_ncu_csv(text));
  } catch (const Error&) {
  }
  try {
    check(profile::parse_rocprofv3_csv(text.substr(0, half), trace));
  } catch (const Error&) {
  }
  std::vector<ProfileNote> notes;
  try {
    profile::read_ncu_recording(text, "any.csv", notes);
  } catch (const Error&) {
  }
  try {
    profile::parse_proton(text);
  } catch (const Error&) {
  }
  return 0;
}
