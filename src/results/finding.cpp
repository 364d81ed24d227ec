#include "results/finding.h"

#include "support/text.h"

namespace heddle {

const std::vector<FindingKind>& finding_kinds() {
  static const std::vector<FindingKind> kinds = {
      {"frozen-counters", "dispatches of different kernels agree in every counter",
       "Different kernels never agree in every counter. The profiler read registers that did not "
       "count, or gave every dispatch the same reading. The metrics of these dispatches are "
       "meaningless, and most other findings follow from this one. Durations are measured "
       "separately and may be right. Profile again, if necessary with the rocprof of the "
       "installed ROCm. The finding needs at least 16 counters that are not zero; those of the "
       "GRBM are ignored."},
      {"duplicate-dispatch", "two rows of one process and GPU have the same Dispatch_ID",
       "Each dispatch of a process has a number of its own. Either the profiler wrote a row "
       "twice, or someone merged the files of several runs. Sums count these dispatches twice, "
       "and -d selects all of them. Use the file as the profiler wrote it."},
      {"zero-duration", "a dispatch starts and ends at the same nanosecond",
       "Even an empty kernel takes a microsecond or two. Someone rounded the timestamps, or the "
       "profiler recorded none. Rates per second of that dispatch are infinite, and so are "
       "averages that include it. Select the other dispatches with -d, or profile again."},
      {"negative-duration", "a dispatch ends before it starts",
       "The timestamps come from two clocks, were rounded, or are damaged; a line cut off in its "
       "last field looks like this. Rates per second of that dispatch are negative, and averages "
       "that include it are wrong. Select the other dispatches with -d, or profile again."},
      {"rounded-timestamps", "timestamps have lost their last digits",
       "Timestamps count nanoseconds and have 13 to 19 digits. A spreadsheet or script that "
       "stores numbers as floats writes 1.41155e+15, and some tools keep only microseconds or "
       "milliseconds. The durations of short kernels are then wrong, or zero. The finding "
       "appears if digits are missing, or if at least four timestamps are all whole "
       "microseconds. Use the file as the profiler wrote it."},
      {"zero-cycles", "GRBM_GUI_ACTIVE is 0: the GPU was not active during the dispatch",
       "GRBM_GUI_ACTIVE counts the cycles in which the GPU is busy. If it is 0, the profiler did "
       "not read it, perhaps because another process held the counters. Utilizations divide by "
       "it and become infinite or blank. rocprofiler-compute rejects such a folder. Profile "
       "again with nothing else on the GPU."},
      {"cycles-against-duration", "more cycles were counted than the clock ticks in that time",
       "The profiler counts GRBM_GUI_ACTIVE in one replay of the application and takes "
       "timestamps in another. The replay with counters is slower, and its counter may start "
       "long before the kernel and stop long after it: an MI300X has recorded ten times the "
       "cycles. Utilizations divide by these cycles and are too low by about the factor shown; "
       "rates per second are not affected. An excess is reported if there are more than twice "
       "the cycles plus 25,000. On GPUs with several dies the allowance is 400,000, because the "
       "counters of each die are started and read one by one; kernels below 100 us are then "
       "listed as not checked. Compare utilizations only with each other, or make the kernel run "
       "longer."},
      {"duration-against-cycles",
       "fewer cycles were counted than the slowest clock ticks in that time",
       "GRBM_GUI_ACTIVE counts the cycles in which the GPU works, so cycles divided by the "
       "duration give a clock. A heavily throttled GPU has been reported at 3 % of its highest "
       "clock. Below 1 %, the duration is wrong (a wrong unit gives 0.1 %), or most cycles were "
       "not counted. Rates per second are too low by about that factor. Dispatches under 100 us "
       "are not checked, because the start and end of a kernel weigh too much. Compare the "
       "timestamps with those of another run."},
      {"no-waves", "SQ_WAVES is 0, though the dispatch has a grid",
       "A kernel with at least one lane runs at least one wave. The profiler did not read the "
       "counters of the SQ: all metrics per wave are infinite or blank, and instruction counts "
       "are missing. The profiler may not match the driver, or another process held the "
       "counters. Profile again; until then use -n per_kernel."},
      {"wave-count", "SQ_WAVES is not what the grid needs",
       "A grid needs as many waves as its blocks have: the lanes of a block divided by the wave "
       "size, rounded up. If the number differs, the profiler missed counters, or the row "
       "combines runs whose dispatches came in a different order. Metrics per wave are wrong by "
       "that factor. The finding appears if waves differ by more than a tenth; pre-emption, "
       "which restarts waves, changes less."},
      {"impossible-bandwidth", "a dispatch moved more bytes than its duration allows",
       "heddle divides the bytes of each dispatch by its own duration, so that an average cannot "
       "hide it. Bytes and time come from different replays: the one with counters may start "
       "with cold caches and fetch more, or a timestamp is wrong. Do not trust bandwidths of "
       "that dispatch; ratios of its counters may be right. The limits are 64 bytes (128 on "
       "MI300) per cycle and CU for the vL1D and 128 per cycle and channel for the L2, at the "
       "highest clock, plus 10 %. For memory the limit is hbm_bw plus 25 %, for traffic of the "
       "host and other GPUs. On MI300 it is the 17.2 TB/s that the white paper gives for the "
       "Infinity Cache, plus 25 %: a limit must be a rate that nothing exceeds, while a roofline "
       "draws the measured 11.9 TB/s."},
      {"impossible-arithmetic", "a dispatch did more operations than its duration allows",
       "heddle divides the operations of each dispatch by its own duration. The limits are 256 "
       "operations per cycle and CU for vector instructions (packed ones reach twice the peak of "
       "2.1.0) and 1024 for matrix instructions (4096 on MI300), at the highest clock, plus 10 "
       "%. The usual causes are counters of another run and a wrong timestamp. Check the "
       "duration first."},
      {"above-peak", "the average of a metric is above the peak of the hardware",
       "The value is more than 10 % above what the GPU can do at its highest clock. Counters and "
       "times from different replays explain a few per cent. A larger excess means wrong "
       "counters, a wrong duration, or the peaks of another GPU in sysinfo.csv. The peak is that "
       "of the table, with two exceptions: vector operations may be packed, which doubles it, "
       "and an L2 channel moves 128 bytes per cycle. Findings about single dispatches name the "
       "one at fault."},
      {"above-hbm", "an L2 reads more from the fabric than HBM delivers",
       "On MI300 the Infinity Cache lies between the L2s and HBM. It delivers up to 17.2 TB/s "
       "according to the white paper; a roofline draws the measured 11.9 TB/s. "
       "rocprofiler-compute uses HBM as the peak, so a kernel that runs from the Infinity Cache "
       "shows more than 100 %. The value may be right, but the percentage is not a share of what "
       "the GPU can deliver."},
      {"negative-rate", "a rate is negative",
       "A rate combines counters from different replays of the application. The hit rate of the "
       "vL1D is 100 % minus its requests to the L2 divided by its accesses. If the replay that "
       "counted requests did more than the one that counted accesses, the rate drops below zero; "
       "a recording with frozen counters showed -27 %. Values between -1 and 0 are noise and not "
       "reported. The cause is a dispatch that differs between replays (autotuning, atomics, "
       "other grids). Make the run deterministic, or profile the kernel alone."},
      {"rate-above-100", "a rate is above 100 %",
       "A hit rate or a share of traffic above 101 %, or a utilization above 110 %, is "
       "impossible: numerator and denominator come from different replays, or one of them was "
       "not read. Utilizations get more tolerance because cycles differ more between replays "
       "than requests do. The finding shows the worst column of a metric. Tables without units "
       "count as well: 16.2, 18.2, and the rows called Hit, Util or Stall of 3.1. Some rates may "
       "exceed 100 % and are not reported: 6.2 counts a block once for each resource it waits "
       "for, 12.1.1 an LDS instruction in several places, 17.2.12 and 17.2.13 add up stalls that "
       "happen at once, 17.2.3 and 17.2.8 count an uncached request once for each 32 bytes (up "
       "to 200 %, or 400 % since MI300), and 16.1.3 and 3.1.26 assume that all lanes of a wave "
       "are active."},
      {"short-latency", "a latency is shorter than one cycle",
       "A latency is the number of requests in flight summed over cycles, divided by the number "
       "of requests. If it is below one cycle, one of the two was not counted, or counted in "
       "another run. The metric is meaningless; the request counts next to it may be right."},
      {"no-active-cus", "no CU was active, though kernels ran",
       "Active CUs is estimated from the busy cycles of all CUs divided by all cycles, and "
       "rounded. It becomes 0 if SQ_BUSY_CU_CYCLES was not counted, or if the kernel is so small "
       "or the cycles are so many (see cycles-against-duration) that less than half a CU "
       "remains. Wavefront occupancy per CU divides by it. Newer versions of rocprofiler-compute "
       "show CU utilization instead."},
      {"infinite-value", "a metric was divided by zero",
       "rocprofiler-compute does not check whether the denominator is zero, and prints inf. Most "
       "often the metric is per wave and SQ_WAVES is 0 (see no-waves), or a duration is 0. The "
       "numerator may be right: use -n per_kernel to see it."},
      {"part-exceeds-whole", "a counter is larger than the one that it is a part of",
       "For example, hits are a part of all requests. If a part is larger than its whole, the "
       "two come from replays that did different work, or one of them was not read. Rates made "
       "of the two are wrong. Replays differ for kernels with atomics or timing-dependent data, "
       "so an excess of a quarter plus 1,000 is tolerated; for counters below 2,000, three "
       "quarters plus 8."},
      {"channel-sum", "channels of the L2 do not add up to the counter of all channels",
       "TCC_HIT_sum is the sum of TCC_HIT[0], TCC_HIT[1] and so on. The profiler counts the two "
       "in different replays, so only large contradictions are reported: one is more than twice "
       "the other, and they differ by more than 10,000. Cycles (stalls, levels, busy) are not "
       "compared, because they differ as much between replays without a fault. If some channels "
       "were not recorded, the channels are reported only if they add up to more than the sum. "
       "One of the two was not read, or is the register of another counter. Panel 18 and the "
       "panels 2, 16 and 17 contradict one another; trust none of them."},
      {"negative-counter", "a counter is negative",
       "Counters count up from zero. A negative number is a register that was read before it was "
       "reset, a difference of two readings in the wrong order, or damage to the file. Metrics "
       "of that dispatch that use it are wrong. Level files (SQ_*.csv) are checked as well."},
      {"counter-overflow", "a counter is larger than any dispatch can make it",
       "A number of 2^53 or more is a small negative number read as unsigned, or a register that "
       "was never reset. Metrics of that dispatch that use it are wrong. Level files (SQ_*.csv) "
       "are checked as well."},
      {"level-mismatch", "a run for level counters launched other kernels or waves than the others",
       "SQ_*.csv files come from separate runs and are paired with pmc_perf.csv row by row. If "
       "the kernel's name differs, or SQ_WAVES by more than a tenth, the row is about another "
       "dispatch. Occupancy and latencies that need the file are wrong there; rows of another "
       "kernel are not used. Make the order of dispatches deterministic, or profile the kernel "
       "alone."},
      {"system-value", "a field of sysinfo.csv that peaks depend on is not a positive number",
       "Peaks and utilizations divide by clock, CUs, channels and bandwidth. While profiling, "
       "rocprofiler-compute gets these from other tools, which may fail. Metrics that need the "
       "field are blank or infinite. Give the right value with --specs-correction, for example "
       "max_sclk:1700."},
      {"not-same-work", "a run did less work than the run it is compared with",
       "Runs are compared by counts that the order of blocks does not change: floating-point "
       "operations, lane requests, writes. The second run did less arithmetic, or it is the "
       "same kernel and requested and moved less. Ratios of times and hit rates between such "
       "runs mean nothing: the problem is smaller, or work was left out. heddle audit --profile "
       "judges the two runs in detail; with --job it compares them with the work that is needed."},
  };
  return kinds;
}

const FindingKind* find_finding_kind(std::string_view id) {
  const std::string name = lower_case(id);
  for (const FindingKind& kind : finding_kinds()) {
    if (kind.id == name) return &kind;
  }
  return nullptr;
}

}  // namespace heddle
