#include "audit/audit_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audit/profile_words.h"
#include "audit/profile_work.h"
#include "support/lists.h"
#include "support/quantities.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

/// What lies beside the memory, other GPUs and the host, adds to what the L2s move.
constexpr double kFabric = 1.25;
/// A clock this far over the highest is impossible.
constexpr double kClock = 1.1;
/// Cycles that counting may take before and after a kernel.
constexpr double kCyclesAround = 25'000;
/// Between two runs a clock does not rise by this.
constexpr double kClockChange = 1.25;
/// A speedup may differ so much between means, shortest launches and cycles.
constexpr double kScatter = 1.3;
/// Kernels this long have a clock that can be compared, in ns.
constexpr double kLongEnough = 100'000;
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

class ProfileJudge {
 public:
  ProfileJudge(RecordedRun before, RecordedRun after)
      : before_(std::move(before)), after_(std::move(after)) {}

  ProfileAudit run() {
    judge_recording();
    if (before_.work && after_.work) {
      work_.emplace();
      if (!is_in_doubt(*work_)) work_ = judge_work(before_, after_);
    }
    if (!is_in_doubt(same_)) same_ = judge_same_work(before_, after_, work_);
    judge_bound();
    judge_hit_rate();
    judge_speedup();
    result_.checks = {{"recording", std::move(recording_)},
                      {"same-work", std::move(same_)},
                      {"bound", std::move(bound_)},
                      {"hit-rate", std::move(hit_rate_)},
                      {"speedup", std::move(speedup_)}};
    if (work_)
      result_.checks.insert(result_.checks.begin() + 1, {"work", std::move(*work_)});
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
                            : "; it saves no bytes: more is requested from the L2 than before");
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
      speedup_.finding = text + " is not a speedup: it is not the same work";
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
        fmt::format("{:.3g}x is {:.3g}x from the bytes moved and {:.3g}x from the bytes per second",
                    speedup, fewer, speedup / fewer));
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
  CheckResult recording_, same_, bound_, hit_rate_, speedup_;
  std::optional<CheckResult> work_;  ///< of runs with jobs
  ProfileAudit result_;
};

}  // namespace

ProfileAudit audit_profiles(RecordedRun before, RecordedRun after) {
  return ProfileJudge(std::move(before), std::move(after)).run();
}

}  // namespace heddle::audit
