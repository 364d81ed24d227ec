#include "profile/counters/amd_counters.h"

#include <fmt/format.h>

#include <string>

#include "profile/counters/counters.h"

namespace heddle::profile {
namespace {

/// Counts are at least zero, and not beyond what can be counted; anything else was not counted.
std::optional<double> count(const CounterOf& counter, std::string_view name) {
  const auto value = counter(name);
  return value && *value >= 0 && *value <= kLargestCount ? value : std::nullopt;
}

void fill_hits(KernelCounters& counters, const CounterOf& counter) {
  const auto hits = count(counter, "TCC_HIT_sum"), misses = count(counter, "TCC_MISS_sum");
  if (!hits || !misses) {
    counters.reasons.push_back(
        fmt::format("no L2 hit rate: there is no {}", hits ? "TCC_MISS_sum" : "TCC_HIT_sum"));
    return;
  }
  counters.l2_hits = hits;
  counters.l2_lookups = *hits + *misses;
  if (*counters.l2_lookups > 0)
    counters.l2_hit_pct = 100 * *hits / *counters.l2_lookups;
  else
    counters.reasons.push_back("no L2 hit rate: there was no request");
}

/// One direction of what the L2 asks the fabric for, on a chip without a cache behind it.
struct Direction {
  const char* what;     ///< "bytes read from DRAM"
  const char* all;      ///< requests
  const char* special;  ///< those of another size
  const char* to_dram;  ///< those that went to DRAM
  double usual_bytes;   ///< of a request that is not special
  double special_bytes;
};

constexpr Direction kReads = {"bytes read from DRAM",
                              "TCC_EA_RDREQ_sum",
                              "TCC_EA_RDREQ_32B_sum",
                              "TCC_EA_RDREQ_DRAM_sum",
                              64,
                              32};
constexpr Direction kWrites = {"bytes written to DRAM",
                               "TCC_EA_WRREQ_sum",
                               "TCC_EA_WRREQ_64B_sum",
                               "TCC_EA_WRREQ_DRAM_sum",
                               32,
                               64};

std::optional<double> bytes_of(const Direction& direction, KernelCounters& counters,
                               const CounterOf& counter) {
  const auto all = count(counter, direction.all), special = count(counter, direction.special);
  const auto to_dram = count(counter, direction.to_dram);
  const auto refuse = [&](const std::string& reason) {
    counters.reasons.push_back(fmt::format("no {}: {}", direction.what, reason));
    return std::nullopt;
  };
  if (!all || !special)
    return refuse(fmt::format("there is no {}", all ? direction.special : direction.all));
  if (*special > *all)
    return refuse(fmt::format("{} is more than {}", direction.special, direction.all));
  if (to_dram && *to_dram < *all)
    return refuse(fmt::format("of {:.0f} requests, {:.0f} went to DRAM ({})", *all, *to_dram,
                              direction.to_dram));
  if (!to_dram)
    counters.reasons.push_back(fmt::format(
        "{} are what the L2 asked the fabric for; without {} it is not known that all of it was"
        " DRAM",
        direction.what, direction.to_dram));
  return direction.usual_bytes * (*all - *special) + direction.special_bytes * *special;
}

}  // namespace

void fill_amd_counters(KernelCounters& counters, const CounterOf& counter) {
  fill_hits(counters, counter);
  if (counter("TCC_EA0_RDREQ_sum") || counter("TCC_EA0_WRREQ_sum")) {
    counters.reasons.push_back(
        "no bytes of DRAM: TCC_EA0_* count what the L2s ask the fabric for, and on chips that have"
        " them the Infinity Cache answers a part of it");
    return;
  }
  counters.dram_read_bytes = bytes_of(kReads, counters, counter);
  counters.dram_write_bytes = bytes_of(kWrites, counters, counter);
}

}  // namespace heddle::profile
