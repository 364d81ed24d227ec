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
       "exactly one block computes each tile, and no block leaves the grid",
       "An order is a map from blocks to tiles. PROVED: on the given launch it is a permutation, "
       "checked block by block. REFUTED: two blocks compute one tile, no block computes a tile, "
       "or a block computes a tile that does not exist; the first such case is shown. A tile "
       "that no block stores is missing, even if a mask caused it. UNKNOWN: heddle cannot read "
       "the formula, or there are too many blocks to check. A common mistake is a grid that is "
       "not a multiple of the dies or of the group: handle the remaining blocks."},
      {"bytes", "patches", "partial computation; blocks that overwrite one another",
       "all blocks together read and write the bytes that the original does",
       "heddle traces every block of both kernels. PROVED: the same bytes are read, written and "
       "updated, and as many blocks write each. REFUTED: some bytes are no longer read or "
       "written, two blocks write what one block wrote before, or an access is out of bounds; "
       "the first byte is shown, with its tile. This check finds an early exit, a shortened loop "
       "and missing loads. UNKNOWN: the trace is too long, or heddle cannot read a kernel. A "
       "change that reads less on purpose is another kernel: show with a test that it computes "
       "the same."},
      {"code", "patches", "a patch that changes more than it says",
       "nothing but the arithmetic that chooses the tile has changed",
       "PROVED: only index lines differ, and for this launch they only choose which tile a block "
       "computes; or only comments and names differ. REFUTED: another statement, a decorator, an "
       "import, a helper, a test or host code has changed; every place is listed, even if it is "
       "harmless. UNKNOWN: index lines changed, and heddle cannot show that they only choose a "
       "tile. Submit changes that are not about the order separately."},
      {"launch", "patches", "a grid that does not fit the kernel's map",
       "the host launches what the changed kernel expects",
       "A kernel that is right on one grid can be wrong on another, so the launch is judged with "
       "the order. PROVED: the launch expression is the same, or has the same value. REFUTED: "
       "the grid differs, and the bytes are no longer those of the original. UNKNOWN: heddle "
       "cannot evaluate the expression, or only one of the files has one; give the grid with "
       "--after-grid."},
      {"shapes", "logs, patches", "sizes and values that are hard-coded",
       "what holds for the given launch holds for other sizes as well",
       "A map that contains the constants of one shape is right for that shape only. For a log, "
       "every formula is checked on all grids of --grids. For a patch, both kernels are judged "
       "again with other sizes: 1 to 17 tiles along each axis of the grid, the last ones ragged, "
       "and sizes at and beyond the numbers in the new index code. PROVED covers the grids or "
       "sizes that are named or counted, and no others. REFUTED names a grid or sizes on which a "
       "tile is missing or a byte differs. UNKNOWN: some sizes could not be judged. Sizes on "
       "which the original fails are skipped. Take the extents from the launch, not from the "
       "benchmark."},
      {"hit-rate", "logs, profiles", "a hit rate that rises while the useful bytes fall",
       "a higher hit rate is not bought with less work or more traffic",
       "A kernel that computes the same tile over and over nearly always hits. PROVED: the rate "
       "did not rise, or it rose with the same work and no more bytes from memory. REFUTED: it "
       "rose while tiles were lost, while less was requested, or while memory delivered more. "
       "UNKNOWN: it is not known whether the work is the same. Compare bytes from memory for the "
       "same work, not rates."},
      {"bound", "logs, profiles", "impossible times; a sandbagged baseline",
       "no run is faster than the bytes that it has to move",
       "The distinct bytes of the job divided by the peak bandwidth of the memory give a lower "
       "bound for the time. So do the bytes and operations that were counted. PROVED: all times "
       "are above the bound; the report says by what factor, because a baseline at many times "
       "the bound is easy to beat. REFUTED: a time is below it, so the work was not done, or not "
       "measured. UNKNOWN: a time, the counters or the peak are missing. Bytes that caches may "
       "hold from before do not count. A time may be 10 % below the bound of a job, because logs "
       "round and because bytes and times come from different replays. Counted bytes may be 25 % "
       "above the peak, for traffic of the host and other GPUs."},
      {"work", "profiles", "partial computation", "each run moved and computed what the job needs",
       "heddle traces the job to learn which sectors of memory it reads and writes, and how much "
       "it computes; if it can trace only a part, it has a lower bound. PROVED: the counters of "
       "every dispatch are at least that; for reads, less what the L2 may hold from before. "
       "REFUTED: a dispatch moved or computed less, so it did not do the job's work, or the "
       "profile is of another size. UNKNOWN: counters are missing, or the job is so small that "
       "all of it may have been in the L2."},
      {"same-work", "profiles", "partial computation; a comparison of two problems",
       "both runs did the same work",
       "With jobs, each run must have done the work of its job, and both jobs must need the "
       "same. Without jobs, heddle compares counters that an order does not change: "
       "floating-point operations, lane requests, writes. PROVED: the second run did as "
       "much, within 2 %. If it read less from memory, as many results must have left the L2, so "
       "that it did not repeat a part of the work. REFUTED: it did less arithmetic; or it is the "
       "same kernel, and both requested and read less, or more. UNKNOWN: counters are missing; "
       "fewer requests may come from wider loads or from reuse; or it read less and too few "
       "results left the L2 to tell. Only a job can tell: add --job, and --after-job if the "
       "kernel changed."},
      {"speedup", "logs, profiles", "a speedup whose bytes do not add up",
       "the speedup is that of the same work, in a time that its bytes allow",
       "heddle factors the ratio of times into fewer bytes and more bytes per second. PROVED: "
       "the work is the same, the times fit the cycles that were counted, and both are possible "
       "for the bytes. REFUTED: the work differs, a time is below its bound, or it does not fit "
       "its cycles. UNKNOWN: one of these is not known, or the runs are from different GPUs. "
       "PROVED is about this recording: one run does not measure noise."},
      {"recording", "profiles", "figures that were edited or not counted",
       "no contradiction makes the values of a run meaningless",
       "heddle looks for the findings of heddle analyze in both runs. PROVED: none casts doubt "
       "on a value that the other checks use; findings that are common in replays become notes. "
       "UNKNOWN: counters are missing, negative or larger than their whole, or times are "
       "impossible, so no verdict can rest on them. REFUTED does not occur: damage to a "
       "recording may be an accident. heddle explain lists every finding."},
      {"slower", "changes", "a change that costs time unnoticed",
       "no kernel is predicted to be slower after the change, within a limit",
       "heddle gate simulates every kernel that a change touches, before and after, on each GPU. "
       "REFUTED: the predicted time rose by more than --slower per cent; both times are shown. "
       "UNKNOWN: heddle could predict the time before the change and no longer can. A prediction "
       "is not a measurement: if the change is intended, measure it (docs/measure.md) or raise "
       "the limit."},
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
