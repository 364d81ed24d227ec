#include "audit/audit_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "audit/profile_words.h"
#include "support/quantities.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

/// Below this a counter shows that less was done; above it, but below what is needed, it may be how
/// it was counted. What is proved needs all: tiles that are missing lower requests and writes.
constexpr double kSame = 0.98;
/// Times and bytes come from different replays; compilers leave some arithmetic out.
constexpr double kReplayed = 0.9;
/// What lies beside the memory, other GPUs and the host, adds to what the L2s move.
constexpr double kFabric = 1.25;
/// A clock of this much over the highest is none.
constexpr double kClock = 1.1;
/// Cycles that counting may take before and after a kernel.
constexpr double kCyclesAround = 25'000;
/// Between two runs a clock does not rise by this.
constexpr double kClockChange = 1.25;
/// A speedup may differ so much between means, shortest launches and cycles.
constexpr double kScatter = 1.3;
/// Kernels this long have a clock that can be compared, in ns.
constexpr double kLongEnough = 100'000;
/// A change of the kernel may leave out so much arithmetic, loads and reads; less is other work.
constexpr double kHalf = 0.5;
/// Shares that agree to this stem from one cause: so much of everything was left out.
constexpr double kAgree = 0.1;
/// A problem that is larger by this is another one.
constexpr double kLarger = 1.5;
/// Points of a hit rate that replays differ by.
constexpr double kRatePoints = 0.5;

/// Findings after which a recording says nothing.
constexpr std::array<std::string_view, 10> kWithoutMeaning = {
    "frozen-counters",  "duplicate-dispatch", "zero-duration", "negative-duration",
    "no-waves",         "zero-cycles",        "channel-sum",   "part-exceeds-whole",
    "negative-counter", "counter-overflow"};
/// Findings of times that no hardware allows.
constexpr std::array<std::string_view, 2> kBeyondHardware = {"impossible-bandwidth",
                                                             "impossible-arithmetic"};

template <std::size_t N>
bool is_one_of(const std::string& id, const std::array<std::string_view, N>& ids) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// What share of the first run's is left in the second, by the mean of all dispatches and by the
/// one that did least, whichever is less; 1 where it is not known. Dispatches of one kernel may
/// differ in size, so that neither alone would do.
double kept(const std::optional<RunFigure>& before, const std::optional<RunFigure>& after) {
  if (!before || !after || before->mean <= 0) return 1;
  const double mean = after->mean / before->mean;
  return before->least > 0 ? std::min(mean, after->least / before->least) : mean;
}

bool fell(const std::optional<RunFigure>& before, const std::optional<RunFigure>& after) {
  return kept(before, after) < kSame;
}

/// What a job needs of something that is counted.
struct Need {
  double amount = 0;
  double spared = 0;     ///< of it may be in the L2
  double tolerance = 1;  ///< below this share a run is refuted
  const char* what = "";
};

/// One run held against its job. It is proved only by what is exact: tiles that are missing lower a
/// counter by as much, however few they are. A counter below its need is a gap, which is none where
/// other counters explain it.
struct WorkOfRun {
  const RecordedRun& run;
  const char* name;
  CheckResult check = {};
  bool is_short = false;
  bool is_open = false;

  template <class Text>
  void hold(const std::optional<RunFigure>& figure, const Need& need, Text text,
            std::string_view explained) {
    if (need.amount <= 0) return;
    const std::string& path = run.figures.path;
    if (!figure) {
      is_open = true;
      check.finding = fmt::format("{}: there are no counters of {}", path, need.what);
      return;
    }
    const std::string counted = fmt::format("{} {}", text(figure->least), need.what);
    if (figure->least >= need.amount) {
      check.evidence.push_back(
          fmt::format("{}: {} of {} needed", name, counted, text(need.amount)));
      return;
    }
    check.evidence.push_back(
        fmt::format("{}: {}, but {} are needed{}", name, counted, text(need.amount),
                    run.work->whole ? "" : " by the blocks that were traced alone"));
    if (figure->least < need.tolerance * need.amount - need.spared) {
      is_short = true;
    } else if (!explained.empty()) {
      check.notes.push_back(fmt::format("{}: {}", name, explained));
    } else {
      is_open = true;
      check.finding = fmt::format(
          "{}: {} of {}; {}", path, counted, text(need.amount),
          need.spared > 0
              ? fmt::format("the rest may be in the L2, which holds {}", decimal_bytes(need.spared))
              : "that may be how it was counted, or tiles that are missing");
    }
  }
};

class ProfileJudge {
 public:
  ProfileJudge(RecordedRun before, RecordedRun after)
      : before_(std::move(before)), after_(std::move(after)) {}

  ProfileAudit run() {
    judge_recording();
    if (before_.work && after_.work) judge_work();
    judge_same_work();
    judge_bound();
    judge_hit_rate();
    judge_speedup();
    result_.checks = {{"recording", std::move(recording_)},
                      {"same-work", std::move(same_)},
                      {"bound", std::move(bound_)},
                      {"hit-rate", std::move(hit_rate_)},
                      {"speedup", std::move(speedup_)}};
    if (before_.work && after_.work)
      result_.checks.insert(result_.checks.begin() + 1, {"work", std::move(work_)});
    else
      result_.not_checked.emplace_back("work (no --job says what has to be done)");
    result_.before = std::move(before_.figures);
    result_.after = std::move(after_.figures);
    result_.work_before = std::move(before_.work);
    result_.work_after = std::move(after_.work);
    return std::move(result_);
  }

 private:
  const RunFigures& before() const { return before_.figures; }
  const RunFigures& after() const { return after_.figures; }
  /// A verdict that would rest on counters that mean nothing.
  bool is_in_doubt(CheckResult& check) const {
    if (recording_.verdict != Verdict::unknown) return false;
    check.finding = "nothing follows from these recordings: see recording";
    return true;
  }

  // ---- recording ----------------------------------------------------------------------------

  void judge_recording() {
    std::size_t grave = 0, usual = 0;
    for (const auto& [run, name] : {std::pair(&before_, "before"), std::pair(&after_, "after")}) {
      for (const Finding& finding : run->findings) {
        const std::string line =
            fmt::format("{}: {}, {}: {}", name, finding.id, finding.where, finding.what);
        if (is_one_of(finding.id, kWithoutMeaning)) {
          ++grave;
          recording_.evidence.push_back(line);
        } else if (!is_one_of(finding.id, kBeyondHardware)) {
          ++usual;
          if (finding.id != "above-peak") recording_.notes.push_back(line);
        }
      }
    }
    for (const RecordedRun* run : {&before_, &after_}) {
      const RunFigures& figures = run->figures;
      if (figures.duration_ns || figures.read_bytes || figures.lookups || figures.lane_requests)
        continue;
      recording_.finding =
          fmt::format("{}: no times and no counters that could be read", figures.path);
      return;
    }
    if (grave > 0) {
      recording_.finding = fmt::format("nothing can be concluded: {}",
                                       count_of(static_cast<std::int64_t>(grave), "finding"));
      return;
    }
    recording_.verdict = Verdict::proved;
    recording_.finding = usual == 0 ? "no value of either run contradicts another"
                                    : "nothing that the other checks rest on is in doubt";
  }

  // ---- work ---------------------------------------------------------------------------------

  void judge_work() {
    if (is_in_doubt(work_)) return;
    const CheckResult first = work_of(before_, "before"), second = work_of(after_, "after");
    const bool is_refuted = first.verdict == Verdict::refuted || second.verdict == Verdict::refuted;
    const bool is_proved = first.verdict == Verdict::proved && second.verdict == Verdict::proved;
    work_.verdict = is_refuted ? Verdict::refuted : is_proved ? Verdict::proved : Verdict::unknown;
    for (const CheckResult* one : {&first, &second}) {
      work_.evidence.insert(work_.evidence.end(), one->evidence.begin(), one->evidence.end());
      work_.notes.insert(work_.notes.end(), one->notes.begin(), one->notes.end());
    }
    const bool is_counted = before().operations && after().operations;
    const bool is_first = first.verdict == Verdict::refuted;
    const bool is_second = second.verdict == Verdict::refuted;
    if (is_first && is_second)
      work_.finding = "neither run did the work of its job";
    else if (is_refuted)
      work_.finding =
          fmt::format("{} did not do the work of {}", is_second ? after().path : before().path,
                      is_second ? after_.work->job : before_.work->job);
    else
      work_.finding = is_proved && is_counted
                          ? "the counters of both runs are at least what the job needs"
                      : is_proved ? "both runs moved at least what the job needs"
                      : first.verdict == Verdict::unknown ? first.finding
                                                          : second.finding;
  }

  /// Of one run, against its job.
  static CheckResult work_of(const RecordedRun& run, const char* name) {
    const NecessaryWork& work = *run.work;
    const RunFigures& figures = run.figures;
    const double results = static_cast<double>(work.written_bytes);
    const double stored = figures.stored_bytes ? figures.stored_bytes->least : 0;
    // All results left the L2, once each: no tile is missing, and what was not read was there.
    const bool all_left = results > 0 && stored >= results;
    const bool are_distinct =
        all_left && results > 2 * figures.cache_bytes && kReplayed * stored <= results;
    const bool all_computed =
        figures.operations && work.operations > 0 && figures.operations->least >= work.operations;
    const bool may_be_held =
        all_computed && stored >= kSame * results && stored >= results - figures.cache_bytes;
    WorkOfRun judge{run, name};
    // What was not counted may still be told by the bytes.
    if (!figures.operations && work.operations > 0)
      judge.check.notes.push_back(fmt::format("{}: arithmetic was not counted", name));
    else
      judge.hold(figures.operations, {work.operations, 0, kReplayed, "operations"}, count_text,
                 all_left ? "all results were written; compilers leave some arithmetic out" : "");
    judge.hold(
        figures.read_bytes,
        {static_cast<double>(work.read_bytes), figures.cache_bytes, kSame, "read from memory"},
        decimal_bytes, are_distinct ? "all results left the L2" : "");
    judge.hold(figures.written_bytes, {results, 0, kSame, "asked to be written"}, decimal_bytes,
               "");
    if (figures.stored_bytes)
      judge.hold(figures.stored_bytes, {results, figures.cache_bytes, kSame, "written to memory"},
                 decimal_bytes,
                 may_be_held ? "all was computed; the last results may still be in the L2" : "");
    if (judge.is_short) {
      judge.check.verdict = Verdict::refuted;
    } else if (!judge.is_open && !work.whole) {
      judge.check.finding =
          fmt::format("only a part of {} could be traced, and that was done", work.job);
    } else if (!judge.is_open) {
      judge.check.verdict = Verdict::proved;
    }
    return judge.check;
  }

  // ---- same-work ----------------------------------------------------------------------------

  void judge_same_work() {
    if (is_in_doubt(same_)) return;
    judge_by_counters();
    if (before_.work && after_.work) judge_by_jobs();
  }

  /// What jobs tell besides: another kernel may need less than the counters of the first one say.
  void judge_by_jobs() {
    const NecessaryWork& first = *before_.work;
    const NecessaryWork& second = *after_.work;
    const bool is_one_job = first.job == second.job;
    std::vector<std::string> shortfalls;
    const auto needs_less = [&](double one, double other, double tolerance, const char* what,
                                auto text) {
      if (first.whole && second.whole && other < tolerance * one)
        shortfalls.push_back(fmt::format("{} needs {} {}, {} only {}", first.job, text(one), what,
                                         second.job, text(other)));
    };
    needs_less(static_cast<double>(first.read_bytes), static_cast<double>(second.read_bytes), kSame,
               "read", decimal_bytes);
    needs_less(static_cast<double>(first.written_bytes), static_cast<double>(second.written_bytes),
               kSame, "written", decimal_bytes);
    needs_less(first.operations, second.operations, kReplayed, "operations", count_text);
    if (!shortfalls.empty()) {
      same_.verdict = Verdict::refuted;
      same_.finding = "the jobs are not the same work";
      same_.evidence.insert(same_.evidence.begin(), shortfalls.begin(), shortfalls.end());
    } else if (work_.verdict == Verdict::refuted) {
      same_.verdict = Verdict::refuted;
      same_.finding = "not the same work: a run did not do that of its job, see work";
    } else if (work_.verdict == Verdict::proved &&
               (!is_one_job || same_.verdict != Verdict::refuted)) {
      same_.verdict = Verdict::proved;
      same_.finding = "both runs did at least what the job needs";
    }
  }

  void judge_by_counters() {
    const RunFigures &b = before(), &a = after();
    const bool by_lanes = b.lane_requests && a.lane_requests;
    const auto& requests_before = by_lanes ? b.lane_requests : b.lookups;
    const auto& requests_after = by_lanes ? a.lane_requests : a.lookups;
    const bool is_computed =
        b.operations && a.operations && (b.operations->least > 0 || a.operations->least > 0);
    const bool is_same_kernel = plain_name(b.kernel) == plain_name(a.kernel);
    const auto refute = [&](std::string finding) {
      same_.verdict = Verdict::refuted;
      same_.finding = "not the same work: " + std::move(finding);
    };
    add_comparison();
    if (!requests_before || !requests_after || !b.read_bytes || !a.read_bytes ||
        (!(b.written && a.written) && !(b.stored_bytes && a.stored_bytes))) {
      same_.finding =
          "requests to the L1, bytes from memory or writes were not counted in both runs";
      return;
    }
    if (requests_before->mean <= 0) {
      same_.finding = "the first run asked for nothing at all";
      return;
    }
    const double computed = is_computed ? kept(b.operations, a.operations) : 1;
    const double asked = kept(requests_before, requests_after);
    const double read = kept(b.read_bytes, a.read_bytes);
    const bool asks_less = asked < kSame || fell(b.written, a.written);
    const bool reads_less = read < kSame;
    const std::string change = fmt::format("the kernel asks for {} and reads {} of memory",
                                           part_text(asked), part_text(read));
    const bool is_larger =
        asked > kLarger && read > kLarger && (!is_computed || computed > kLarger);
    const bool is_cut = (asked < kHalf && read < kHalf) ||
                        (asks_less && reads_less && std::abs(asked - read) < kAgree * asked);
    if (computed < kHalf || (computed < kSame && asks_less && reads_less))
      return refute(fmt::format("{} of the arithmetic is done", part_text(computed)));
    if (is_same_kernel && (is_larger || (!is_computed && is_cut))) return refute(change);
    if (computed < kSame) {
      same_.finding = fmt::format(
          "{} of the arithmetic is done: it may not all have been needed, or "
          "work is left out; --job says what is needed",
          part_text(computed));
    } else if (asks_less || asked < 1 || kept(b.written, a.written) < 1) {
      same_.finding = fmt::format(
          "{}: wider loads or reuse may explain it, or less work; --job says what is needed",
          reads_less ? "less is asked for and less is read of memory" : "less is asked for");
    } else if (stores_less()) {
      same_.finding = fmt::format(
          "{} is written to memory: results may be missing, or still in the "
          "L2; --job says what is needed",
          part_text(kept(b.stored_bytes, a.stored_bytes)));
    } else if (reads_less && !stores_as_before()) {
      same_.finding = fmt::format(
          "as much is asked for, but memory delivers {}: it is reused, or a part is done over and "
          "over; --job says what is needed",
          part_text(read));
    } else {
      same_.verdict = Verdict::proved;
      same_.finding = is_computed ? "as much is computed, asked for and written"
                                  : "as much is asked for and written; no arithmetic was counted";
    }
  }

  /// Fewer results leave the L2, and they are a part of the traffic that counts.
  bool stores_less() const {
    const auto &b = before().stored_bytes, &a = after().stored_bytes;
    return fell(b, a) && before().moved_bytes && b->mean > 0.01 * before().moved_bytes->mean;
  }

  /// Results leave the L2 as before, and they are more than it could hold: tiles that are done over
  /// and over would write the same lines again, and fewer would leave.
  bool stores_as_before() const {
    const auto &b = before().stored_bytes, &a = after().stored_bytes;
    return b && a && b->mean > 2 * after().cache_bytes && !fell(b, a);
  }

  /// The figures that say how much was done, side by side.
  void add_comparison() {
    const auto line = [&](const char* what, const std::optional<RunFigure>& b,
                          const std::optional<RunFigure>& a, auto text) {
      if (!b || !a || (b->mean <= 0 && a->mean <= 0)) return;
      same_.evidence.push_back(fmt::format("{}: {} before, {} after{}", what, text(b->mean),
                                           text(a->mean), ratio_text(b->mean, a->mean)));
    };
    line("operations", before().operations, after().operations, count_text);
    if (before().lane_requests && after().lane_requests)
      line("requests of lanes", before().lane_requests, after().lane_requests, count_text);
    else
      line("lookups of the L1", before().lookups, after().lookups, count_text);
    line("writes to the L2", before().written, after().written, count_text);
    line("read from memory", before().read_bytes, after().read_bytes, decimal_bytes);
    line("written to memory", before().stored_bytes, after().stored_bytes, decimal_bytes);
  }

  static std::string ratio_text(double before, double after) {
    if (before <= 0 || after <= 0) return {};
    const double ratio = before / after;
    if (ratio > 1 / kSame) return fmt::format(", {} times fewer", factor_text(ratio));
    return ratio < kSame ? fmt::format(", {} times more", factor_text(1 / ratio)) : std::string();
  }

  // ---- bound --------------------------------------------------------------------------------

  void judge_bound() {
    bool is_open = false;
    for (const auto& [run, name] : {std::pair(&before_, "before"), std::pair(&after_, "after")}) {
      const std::size_t known = bound_.evidence.size();
      for (const Finding& finding : run->findings) {
        if (!is_one_of(finding.id, kBeyondHardware)) continue;
        bound_.verdict = Verdict::refuted;
        bound_.evidence.push_back(
            fmt::format("{}: {}, {}: {}", name, finding.id, finding.where, finding.what));
      }
      judge_time(*run, name);
      is_open = is_open || bound_.evidence.size() == known;
    }
    if (bound_.verdict == Verdict::refuted && recording_.verdict == Verdict::unknown)
      bound_.verdict = Verdict::unknown;
    if (bound_.verdict == Verdict::refuted) {
      bound_.finding = "a run is faster than the hardware allows";
    } else if (is_open || recording_.verdict == Verdict::unknown) {
      bound_.finding = recording_.verdict == Verdict::unknown
                           ? "nothing follows from these recordings: see recording"
                           : "a time, bytes or the peak of the memory are not known";
    } else {
      bound_.verdict = Verdict::proved;
      bound_.finding = "both times are possible for the bytes";
    }
  }

  /// A line for the run, if its time, its bytes and the peak are known.
  void judge_time(const RecordedRun& run, const char* name) {
    const RunFigures& figures = run.figures;
    if (!figures.duration_ns || !figures.peak_gb_per_s || figures.duration_ns->mean <= 0) return;
    const double peak = *figures.peak_gb_per_s;  // GB/s are bytes per ns
    const double time = figures.duration_ns->least;
    const double least = run.work ? needed_beyond_caches(run) / peak : 0;
    if (time < kReplayed * least) {
      bound_.verdict = Verdict::refuted;
      bound_.evidence.push_back(
          fmt::format("{}: {} for the {} that {} has to move, which take {} at {:.0f} GB/s", name,
                      time_of(time), decimal_bytes(needed_beyond_caches(run)), run.work->job,
                      time_of(least), peak));
    } else if (least > 0) {
      bound_.evidence.push_back(fmt::format(
          "{}: {}, {} times the {} that {} needs at peak", name, time_of(figures.duration_ns->mean),
          factor_text(figures.duration_ns->mean / least), time_of(least), run.work->job));
    }
    if (!figures.moved_bytes) return;
    const double rate = figures.moved_bytes->mean / figures.duration_ns->mean;
    if (rate > kFabric * peak) bound_.verdict = Verdict::refuted;
    if (least > 0 && rate <= kFabric * peak) return;
    bound_.evidence.push_back(fmt::format("{}: {} in {} are {} GB/s, {:.0f} % of the peak", name,
                                          decimal_bytes(figures.moved_bytes->mean),
                                          time_of(figures.duration_ns->mean), count_text(rate),
                                          100 * rate / peak));
  }

  /// What the job has to move even if the caches were full of it.
  static double needed_beyond_caches(const RecordedRun& run) {
    const auto beyond = [&](std::int64_t bytes) {
      return std::max(0.0, static_cast<double>(bytes) - run.figures.cache_bytes);
    };
    return beyond(run.work->read_bytes) + beyond(run.work->written_bytes);
  }

  // ---- hit-rate -----------------------------------------------------------------------------

  void judge_hit_rate() {
    const RunFigures &b = before(), &a = after();
    if (is_in_doubt(hit_rate_)) return;
    if (!b.hit_rate_pct || !a.hit_rate_pct) {
      hit_rate_.finding = "there are no counters of hits and misses of the L2 in both runs";
      return;
    }
    const std::string rates = fmt::format("L2 hit rate {:.4g} % before, {:.4g} % after",
                                          *b.hit_rate_pct, *a.hit_rate_pct);
    if (*a.hit_rate_pct <= *b.hit_rate_pct + kRatePoints) {
      hit_rate_.verdict = Verdict::proved;
      hit_rate_.finding = rates + ": nothing is claimed by it";
      return;
    }
    if (same_.verdict == Verdict::refuted) {
      hit_rate_.verdict = Verdict::refuted;
      hit_rate_.finding = rates + ", but for less work";
      return;
    }
    if (!b.read_bytes || !a.read_bytes) {
      hit_rate_.finding = rates + "; bytes from memory are not known";
      return;
    }
    hit_rate_.evidence.push_back(fmt::format("read from memory: {} before, {} after",
                                             decimal_bytes(b.read_bytes->mean),
                                             decimal_bytes(a.read_bytes->mean)));
    if (kReplayed * a.read_bytes->mean > b.read_bytes->mean) {
      hit_rate_.verdict = Verdict::refuted;
      hit_rate_.finding = rates + ", but memory delivers more";
    } else if (same_.verdict == Verdict::unknown) {
      hit_rate_.finding = rates + "; whether the work is the same is not known";
    } else {
      hit_rate_.verdict = Verdict::proved;
      const bool is_saved = a.read_bytes->mean < kSame * b.read_bytes->mean;
      hit_rate_.finding =
          rates + (is_saved ? ", and memory delivers less for the same work"
                            : "; it saves no bytes: more is asked of the L2 than before");
    }
  }

  // ---- speedup ------------------------------------------------------------------------------

  void judge_speedup() {
    const RunFigures &b = before(), &a = after();
    if (!b.duration_ns || !a.duration_ns || b.duration_ns->mean <= 0 || a.duration_ns->mean <= 0) {
      speedup_.finding = "a duration is not known";
      return;
    }
    if (is_in_doubt(speedup_)) return;
    const double speedup = b.duration_ns->mean / a.duration_ns->mean;
    const std::string text =
        fmt::format("{:.3g}x ({} before, {} after)", speedup, time_of(b.duration_ns->mean),
                    time_of(a.duration_ns->mean));
    add_rates(speedup);
    if (const std::string clock = impossible_clock(); !clock.empty()) {
      speedup_.verdict = Verdict::refuted;
      speedup_.finding = text + ": " + clock;
    } else if (same_.verdict == Verdict::refuted) {
      speedup_.verdict = Verdict::refuted;
      speedup_.finding = text + " is no speedup: it is not the same work";
    } else if (bound_.verdict == Verdict::refuted) {
      speedup_.verdict = Verdict::refuted;
      speedup_.finding = text + ": a time is below its bound";
    } else if (b.gpu != a.gpu || b.hardware != a.hardware) {
      speedup_.finding =
          fmt::format("{}, but on {} ({}) and {} ({})", text, b.gpu, b.hardware, a.gpu, a.hardware);
    } else if (const std::string doubt = doubtful_times(); !doubt.empty()) {
      speedup_.finding = fmt::format("{}, but {}", text, doubt);
    } else if (same_.verdict == Verdict::unknown) {
      speedup_.finding = text + "; whether the work is the same is not known";
    } else if (bound_.verdict == Verdict::unknown) {
      speedup_.finding = text + "; whether the time is possible is not known";
    } else {
      speedup_.verdict = Verdict::proved;
      speedup_.finding = text + " for the same work";
    }
  }

  void add_rates(double speedup) {
    const RunFigures &b = before(), &a = after();
    if (!b.moved_bytes || !a.moved_bytes || b.moved_bytes->mean <= 0 || a.moved_bytes->mean <= 0)
      return;
    const double fewer = b.moved_bytes->mean / a.moved_bytes->mean;
    speedup_.evidence.push_back(
        fmt::format("{:.3g}x is {:.3g}x by fewer bytes and {:.3g}x by more bytes a second", speedup,
                    fewer, speedup / fewer));
    const double needed = b.moved_bytes->mean / a.duration_ns->mean;
    if (same_.verdict != Verdict::refuted || !a.peak_gb_per_s || needed <= *a.peak_gb_per_s) return;
    speedup_.evidence.push_back(fmt::format(
        "the bytes of the first run in the time of the second would be {} GB/s, {:.3g} times the "
        "peak",
        count_text(needed), needed / *a.peak_gb_per_s));
  }

  /// Why the ratio of times is not one of work: another clock, or launches that scatter.
  std::string doubtful_times() const {
    const RunFigures &b = before(), &a = after();
    const double means = b.duration_ns->mean / a.duration_ns->mean;
    const double leasts =
        a.duration_ns->least > 0 ? b.duration_ns->least / a.duration_ns->least : 0;
    if (means > kScatter * leasts)
      return fmt::format("{}x by the shortest launches", factor_text(leasts));
    const bool is_long = std::min(b.duration_ns->mean, a.duration_ns->mean) >= kLongEnough;
    if (!is_long || !b.cycles || !a.cycles || b.cycles->mean <= 0 || a.cycles->mean <= 0) return {};
    const double by_cycles = b.cycles->mean / a.cycles->mean;
    if (means <= kScatter * by_cycles) return {};
    return fmt::format("{}x by the cycles that were counted: the clock was lower before",
                       factor_text(by_cycles));
  }

  /// Cycles that the second run's clock cannot have made in its time, though the first one's could.
  std::string impossible_clock() const {
    const RunFigures &b = before(), &a = after();
    if (!b.cycles || !a.cycles || !a.clock_mhz) return {};
    const double first = 1000 * b.cycles->mean / b.duration_ns->mean;
    const double second = 1000 * a.cycles->mean / a.duration_ns->mean;
    const double most = kClock * *a.clock_mhz;
    const double allowed = a.duration_ns->mean * *a.clock_mhz / 1000;
    const bool is_beyond = second > most && a.cycles->mean > allowed + kCyclesAround;
    if (!is_beyond || first > most || second < kClockChange * first) return {};
    return fmt::format("{} cycles were counted, {} allow {} at {:.0f} MHz",
                       count_text(a.cycles->mean), time_of(a.duration_ns->mean),
                       count_text(allowed), *a.clock_mhz);
  }

  RecordedRun before_;
  RecordedRun after_;
  CheckResult recording_, work_, same_, bound_, hit_rate_, speedup_;
  ProfileAudit result_;
};

}  // namespace

ProfileAudit audit_profiles(RecordedRun before, RecordedRun after) {
  return ProfileJudge(std::move(before), std::move(after)).run();
}

}  // namespace heddle::audit
