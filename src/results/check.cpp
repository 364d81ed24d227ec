#include "results/check.h"

#include <algorithm>

#include "support/text.h"

namespace heddle {

Verdict worst_verdict(const std::vector<NamedCheck>& checks) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(
        checks, [&](const NamedCheck& check) { return check.result.verdict == verdict; });
  };
  if (has(Verdict::refuted)) return Verdict::refuted;
  return has(Verdict::unknown) ? Verdict::unknown : Verdict::proved;
}

const std::vector<CheckKind>& audit_checks() {
  static const std::vector<CheckKind> checks = {
      {"order", "logs, patches",
       "tiles that are never computed, or twice; an order that leaves the grid",
       "every tile is done by exactly one block, and no block leaves the grid",
       "An order is a map from blocks to tiles. PROVED: on the given launch it is a permutation, "
       "counted block by block. REFUTED: two blocks do one tile, a tile is done by none, or a "
       "block is sent to a tile that does not exist; the first is shown with its numbers. A "
       "masked store is no excuse: a tile that nobody stores is missing. UNKNOWN: the formula "
       "cannot be read, or there is too much to count. Handle the remaining blocks when the grid "
       "is "
       "not a multiple of the dies or of the group, and check again."},
      {"bytes", "patches", "partial computation; blocks that write over one another",
       "all blocks together read and write the bytes that the original does",
       "Every block of both kernels is traced. PROVED: the same bytes are written, read and "
       "updated, and as many blocks write each. REFUTED: some bytes are no longer written or "
       "read, are written by two blocks where one did it, or an access leaves its tensor; the "
       "first byte is shown, with its tile. This is what finds an early exit, a loop that was "
       "shortened and loads that were thinned out. UNKNOWN: too much to trace, or a kernel that "
       "cannot be read. A change that reads less on purpose is another kernel: show by a test "
       "that it computes the same."},
      {"code", "patches", "a patch that changes more than it says",
       "nothing but the arithmetic that chooses the tile has changed",
       "PROVED: only index lines differ, and for this launch they only choose which tile a block "
       "does; or only comments and names do. REFUTED: another statement, a decorator, an import, "
       "a helper, a test or host code has changed; each place is listed, whatever it means. "
       "UNKNOWN: index lines changed that cannot be shown to only choose a tile. Send what is "
       "not about the order as a change of its own."},
      {"launch", "patches", "a grid that does not fit what the kernel makes of it",
       "the host launches what the changed kernel expects",
       "The order and the launch are judged together: a kernel that is right on one grid is "
       "wrong on another. PROVED: the launch expression is the same, or has the same value. "
       "REFUTED: another grid is launched, and the bytes are no longer those of the original. "
       "UNKNOWN: the expression cannot be evaluated here, or only one of the files has one; "
       "--after-grid says the grid."},
      {"shapes", "logs, patches", "sizes and values that are hard-coded",
       "what holds for the given launch holds for other sizes as well",
       "A map with the constants of one shape in it is right for that shape alone. For a log, "
       "every formula is checked on all grids of --grids. For a patch, both kernels are judged "
       "again with other sizes for what the grid depends on: from 1 to 17 tiles along each, the "
       "last ones ragged, and sizes at and beyond the numbers that the new index code holds. "
       "PROVED speaks of the grids or sizes that are named or counted, and of no others. REFUTED "
       "names a grid or sizes on which a tile is lost or a byte differs. UNKNOWN: some sizes "
       "could not be judged. Sizes for which the original itself does not work are left "
       "out. Take the extents from the launch, not from the benchmark."},
      {"hit-rate", "logs, profiles", "a hit rate that rises while the useful bytes fall",
       "a higher hit rate is not bought with less work or more traffic",
       "A kernel that does the same tile over and over hits nearly always. PROVED: the rate did "
       "not rise, or it rose with the same work and with no more bytes from memory. REFUTED: it "
       "rose while tiles were lost, while less was asked for, or while memory had to deliver "
       "more. UNKNOWN: whether the work is the same is not known. Compare bytes from memory for "
       "the same work, not rates."},
      {"bound", "logs, profiles", "times that no hardware allows; a baseline that is not one",
       "no run is faster than the bytes that it has to move",
       "The distinct bytes of the job over the peak of the memory are a time that nothing "
       "undercuts. Bytes and operations that were counted take their time as well. PROVED: all "
       "times are above that bound, and it says how far: a baseline at many times the bound was "
       "an easy one. REFUTED: a time is below it, so the work was not done, or not measured. "
       "UNKNOWN: a time, the counters or the peak are not known. Times up to 10 % below the "
       "bound of a job are tolerated, since logs round and bytes and times come from different "
       "replays; bytes that were counted may be 25 % above the peak, for what other GPUs and the "
       "host add. What the caches may hold from before is taken off."},
      {"work", "profiles", "partial computation", "each run moved and computed what the job needs",
       "The job is traced: which sectors of memory it reads and writes, and how much it "
       "computes, is known exactly, or from below where only a part could be traced. PROVED: the "
       "counters of every dispatch are at least that, for reads less what the L2 may hold from "
       "before. REFUTED: a dispatch moved or computed less, so it did not do the job's work, or "
       "it is a profile of another size. UNKNOWN: the counters for it are missing, or the job is "
       "so small that all of it may have been in the L2."},
      {"same-work", "profiles", "partial computation; a comparison of two problems",
       "both runs did the same work",
       "With jobs, the work is what they need: each run must have done it, and jobs of both runs "
       "must need the same. Without, the counters are compared that an order does not change: "
       "operations of floating point, requests of lanes, writes. PROVED: the second run did as "
       "much, to 2 %, and what it reads less of memory is not because a part is done over and "
       "over: as many results leave the L2. REFUTED: it did less arithmetic; or it is the same "
       "kernel and both asked for and read less, or more, of memory. UNKNOWN: the counters are "
       "missing; fewer requests may come from wider loads or from reuse; or less is read and the "
       "results are too few to tell. Only a job can: add --job, and --after-job if the kernel "
       "changed."},
      {"speedup", "logs, profiles", "a speedup whose bytes do not add up",
       "the speedup is that of the same work, in a time that its bytes allow",
       "The ratio of times is taken apart into fewer bytes and more bytes a second. PROVED: the "
       "work is the same, the times fit the cycles that were counted, and both are possible for "
       "the bytes. REFUTED: it is not the same work, a time is below its bound, or it does not "
       "fit its cycles. UNKNOWN: one of these is not known, or the runs are of different GPUs. "
       "PROVED speaks of this recording: one run does not measure noise."},
      {"recording", "profiles", "figures that were edited or not counted",
       "no value of a run contradicts another so that nothing follows from it",
       "What heddle analyze finds implausible is looked for in both runs. PROVED: nothing that "
       "the other checks use is in doubt; what is usual of replays is a note. UNKNOWN: counters "
       "that were not counted, negative, larger than their whole, or times that are none: no "
       "verdict can rest on them. There is no REFUTED: a recording may be damaged by accident. "
       "heddle explain has every finding."},
      {"slower", "changes", "a change that costs time where nobody looks",
       "no kernel is predicted to be slower after the change, within a limit",
       "heddle gate simulates every kernel that a change touches, before and after, on each GPU. "
       "REFUTED: the predicted time has risen by more than --slower per cent; both times are "
       "shown. "
       "UNKNOWN: there was a prediction before the change and there is none any more. A prediction "
       "is not a measurement: where the change is meant, measure it (docs/measure.md) or raise the "
       "limit for it."},
  };
  return checks;
}

const CheckKind* find_audit_check(std::string_view id) {
  const std::string wanted = lower_case(std::string(id));
  for (const CheckKind& check : audit_checks()) {
    if (check.id == wanted) return &check;
  }
  return nullptr;
}

}  // namespace heddle
