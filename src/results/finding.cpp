#include "results/finding.h"

#include "support/text.h"

namespace heddle {

const std::vector<FindingKind>& finding_kinds() {
  static const std::vector<FindingKind> kinds = {
      {"frozen-counters", "dispatches of different kernels have the same counters, all of them",
       "Different kernels never agree in every counter. The profiler has read registers that did "
       "not count, or has handed the same reading to every dispatch. No metric of these "
       "dispatches means anything, and most other findings follow from this one; durations are "
       "measured apart and may be right. Profile again, if need be with the rocprof that belongs "
       "to the installed ROCm. It is reported where at least 16 counters are not zero and all "
       "agree, those of the GRBM not counted."},
      {"duplicate-dispatch", "two rows of one process and GPU have the same Dispatch_ID",
       "Every dispatch of a process has its own number. Rows with the same one were written "
       "twice, or the file was put together from several runs. Sums count them twice, and -d "
       "chooses all of them. Use the file as the profiler wrote it."},
      {"zero-duration", "a dispatch starts and ends at the same nanosecond",
       "Even an empty kernel takes a microsecond or two. The timestamps were rounded by whoever "
       "wrote or edited the file, or the profiler had none. Every rate per second of that "
       "dispatch is infinite, and averages with it. Leave the dispatch out with -d, or profile "
       "again."},
      {"negative-duration", "a dispatch ends before it starts",
       "The timestamps are damaged (a line that was cut in its last field looks like this), stem "
       "from two clocks, or were rounded. Rates per second of that dispatch are negative, and "
       "averages with it are wrong. Leave the dispatch out with -d, or profile again."},
      {"rounded-timestamps", "timestamps have lost their last digits",
       "Timestamps count nanoseconds and have 13 to 19 digits. A spreadsheet or a script that "
       "keeps numbers as floats writes 1.41155e+15, and some tools keep whole microseconds or "
       "milliseconds. Short kernels then get durations that are off by the rounding, up to zero. "
       "It is reported where digits are missing, or where all of at least four timestamps are "
       "whole microseconds. Use the file as the profiler wrote it."},
      {"zero-cycles", "GRBM_GUI_ACTIVE is 0: the GPU was not active during the dispatch",
       "The counter counts cycles in which the GPU does anything. At 0 it was not read; another "
       "process that holds the counters may be the cause. Utilizations divide by it and become "
       "infinite or blank; rocprofiler-compute refuses such a folder. Profile again with nothing "
       "else on the GPU."},
      {"cycles-against-duration", "more cycles were counted than the clock makes in that time",
       "GRBM_GUI_ACTIVE is counted in one replay of the application, timestamps are taken in "
       "another. The replay with counters is slower, and its counter may start long before the "
       "kernel and stop long after it; ten times the cycles have been recorded on an MI300X. "
       "Utilizations are divided by these cycles, so they are too low by about the factor that "
       "is shown; rates per second are not affected. Up to twice the cycles and 25,000 more are "
       "tolerated: so much is usual. On chips of several dies it is 400,000, since the counters of "
       "each die are started and read around a kernel; a kernel below 100 us is then named among "
       "what was not checked. Compare utilizations with each other only, or make the kernel "
       "longer."},
      {"duration-against-cycles",
       "fewer cycles were counted than the slowest clock makes in that time",
       "GRBM_GUI_ACTIVE counts cycles while the GPU works, so that cycles over duration are a "
       "clock. A GPU that is throttled hard has been reported at 3 % of its highest clock; below "
       "1 % the duration is wrong (a unit that was taken for another gives 0.1 %), or most "
       "cycles were not counted. Rates per second are too low by about that factor. Dispatches "
       "under 100 us are not looked at: how a kernel starts and ends would weigh too much. "
       "Compare the timestamps with those of another run."},
      {"no-waves", "SQ_WAVES is 0, though the dispatch has a grid",
       "A kernel with at least one lane runs at least one wave. The counters of the SQ were not "
       "read: all metrics per wave are infinite or blank, and instruction counts are missing. A "
       "profiler that does not fit the driver, or another process that holds the counters, may "
       "be the cause. Profile again; until then use -n per_kernel."},
      {"wave-count", "SQ_WAVES is not what the grid needs",
       "A grid needs as many waves as its blocks have, lanes divided by the size of a wave and "
       "rounded up. Other numbers mean that not all counters were read, or that the row mixes "
       "runs in which dispatches came in another order. Metrics per wave are off by that factor. "
       "More than a tenth too few or too many is reported: pre-emption, which starts waves "
       "again, changes less."},
      {"impossible-bandwidth", "a dispatch moved more bytes than its duration allows",
       "Bytes of one dispatch are divided by its own duration, so that an average cannot hide "
       "it. Bytes and time come from different replays: the one with counters may start with "
       "cold caches and fetch more, or a timestamp is wrong. Bandwidths of that dispatch cannot "
       "be trusted, ratios of its counters may be right. The limits are 64 bytes (128 on MI300) "
       "per cycle and CU for the vL1D and 128 per cycle and channel for the L2, at the highest "
       "clock, with 10 % of tolerance; for memory hbm_bw, or on MI300 the 17.2 TB/s that the "
       "white paper gives the Infinity Cache, with 25 % for what other GPUs and the host add. A "
       "roofline draws the 11.9 TB/s of the GPU file instead, which were measured; a limit has "
       "to be what nothing exceeds."},
      {"impossible-arithmetic", "a dispatch did more operations than its duration allows",
       "Operations of one dispatch are divided by its own duration. The limits are 256 "
       "operations per cycle and CU for vector instructions (twice the peak of 2.1.0, for packed "
       "ones) and 1024 for matrix instructions (4096 on MI300), at the highest clock, with 10 % "
       "of tolerance. Counters of another run, or a wrong timestamp, are the usual causes. Check "
       "the duration first."},
      {"above-peak", "the average of a metric is above the peak of the hardware",
       "The value is more than 10 % above what the GPU can do at its highest clock. Counters and "
       "times of different replays explain a few per cent; more means wrong counters, a wrong "
       "duration, or peaks of another GPU in sysinfo.csv. The peak used is that of the table, "
       "but for two: vector operations may be packed, which doubles it, and an L2 channel moves "
       "128 bytes per cycle. Look at findings about single dispatches, which name the one that "
       "is to blame."},
      {"above-hbm", "an L2 gets more from the fabric than HBM delivers",
       "On MI300 the Infinity Cache lies between the L2s and HBM, and delivers up to 17.2 TB/s "
       "by the white paper (11.9 have been measured, which is what a roofline draws). "
       "rocprofiler-compute takes HBM for the peak, so a kernel that lives in the Infinity Cache "
       "shows more than 100 %. The value may be right, the percentage is not a share of what is "
       "possible."},
      {"negative-rate", "a rate is negative",
       "Rates are computed from counters that were taken in different replays of the "
       "application. The hit rate of the vL1D is 100 % less its requests to the L2 over its "
       "accesses: where the replay that counted requests did more than the one that counted "
       "accesses, it drops below zero; -27 % has been seen in a recording with frozen counters. "
       "Between -1 and 0 it is noise and not reported. Dispatches that differ between replays "
       "(autotuning, atomics, other grids) cause it; make the run deterministic, or profile the "
       "kernel alone."},
      {"rate-above-100", "a rate is above 100 %",
       "A hit rate or a share of traffic above 101 %, or a utilization above 110 %, cannot be: "
       "the counters above and below the line were taken in different replays, or one of them "
       "was not read. Utilizations get more tolerance because cycles differ more between replays "
       "than requests do. The worst column of a metric is told. Tables without units count as "
       "well: 16.2, 18.2, and in 3.1 what is called Hit, Util or Stall. Not reported are rates "
       "without a firm 100 %: 6.2 counts a block once for each resource that it waits for, "
       "12.1.1 an LDS instruction in several places, 17.2.12 and 17.2.13 add up stalls that "
       "happen at once, 17.2.3 and 17.2.8 count an uncached request once for each 32 bytes (up to "
       "200 %, 400 % since MI300), and 16.1.3 and 3.1.26 take all lanes of a wave for active, so "
       "that "
       "kernels of few lanes show more."},
      {"short-latency", "a latency is shorter than one cycle",
       "Latencies are waiting requests summed over cycles, divided by requests. Less than one "
       "cycle means that one of the two was not counted, or in another run. The metric is "
       "meaningless; the counts of requests beside it may be right."},
      {"no-active-cus", "no CU was active, though kernels ran",
       "Active CUs is estimated from busy cycles of all CUs over all cycles, rounded. It becomes "
       "0 where SQ_BUSY_CU_CYCLES was not counted, and where a kernel is so small or the cycles "
       "so many (see cycles-against-duration) that less than half a CU is left. Wavefront "
       "occupancy per CU divides by it. Newer versions of rocprofiler-compute show CU "
       "utilization instead."},
      {"infinite-value", "a metric was divided by zero",
       "rocprofiler-compute divides without asking whether the counter below the line is zero, "
       "and prints inf. Most often SQ_WAVES is 0 (see no-waves) and the metric is per wave, or a "
       "duration is 0. The counter above the line may be right: use -n per_kernel to see it."},
      {"part-exceeds-whole", "a counter is larger than the one that it is a part of",
       "Hits and misses are requests, reads from HBM are reads. A part that is larger than its "
       "whole was counted in another replay that did something else, or one of the two was not "
       "read. Rates made of the two are wrong. Up to a quarter and 1,000 more are tolerated, "
       "since replays of kernels with atomics or with data of their own timing differ; of "
       "counters below 2,000, three quarters and 8 more."},
      {"channel-sum", "channels of the L2 do not add up to the counter of all channels",
       "TCC_HIT_sum is what TCC_HIT[0], TCC_HIT[1] and so on add up to. The two are counted in "
       "different replays, so that only gross contradictions are reported: one is more than "
       "twice the other, and they are more than 10,000 apart. Cycles (stalls, levels, busy) are "
       "not compared, since they differ as much between healthy replays; where some channels "
       "were not recorded, only more than the sum is reported. One of the two was not read, or "
       "is the register of another counter: panel 18 and the panels 2, 16 and 17 contradict each "
       "other, and neither can be trusted."},
      {"negative-counter", "a counter is negative",
       "Counters count up from zero. A negative number is a register that was read before it was "
       "reset, a difference of two readings in the wrong order, or damage to the file. Metrics "
       "with it are wrong for that dispatch. Level files (SQ_*.csv) are looked at as well."},
      {"counter-overflow", "a counter is larger than any dispatch can make it",
       "Numbers from 2^53 on are what a small negative number looks like without its sign, or a "
       "register that was never reset. Metrics with it are wrong for that dispatch. Level files "
       "(SQ_*.csv) are looked at as well."},
      {"level-mismatch", "a run for level counters launched other kernels or waves than the others",
       "SQ_*.csv files stem from runs of their own and are paired with pmc_perf.csv row by row. "
       "Where the kernel's name differs, or SQ_WAVES by more than a tenth, that row is about "
       "another dispatch. Occupancy and latencies that need the file are wrong there; rows of "
       "another kernel are not used. Make the order of dispatches deterministic, or profile the "
       "kernel alone."},
      {"system-value", "a field of sysinfo.csv that peaks are made of is not a number above zero",
       "Peaks and utilizations divide by clock, CUs, channels and bandwidth. rocprofiler-compute "
       "asks other tools for them when it profiles, and they may fail. What needs the field is "
       "blank or infinite. Give the right value with --specs-correction, as in max_sclk:1700."},
      {"not-same-work", "a run that is compared with the first did less work than that",
       "Runs are compared by what an order of blocks does not change: operations of floating "
       "point, requests of lanes, writes. The second run did less arithmetic, or it is the same "
       "kernel, asked for less and moved less. Ratios of times and hit rates between such runs "
       "say nothing: the problem is smaller, or work was left out. heddle audit --profile gives "
       "a verdict on each question, and with --job it knows what has to be done."},
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
