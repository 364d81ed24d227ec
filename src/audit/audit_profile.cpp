#include "audit/audit_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/text.h"

namespace heddle::audit {
namespace {

/// Replays of a kernel ask for the same; what interrupts them adds a little.
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

std::string bytes_of(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string time_of(double ns) {
  if (ns >= 1e6) return fmt::format("{:.3g} ms", ns / 1e6);
  return ns >= 1e3 ? fmt::format("{:.3g} us", ns / 1e3) : fmt::format("{:.3g} ns", ns);
}

std::string count_text(double count) {
  return std::abs(count) < 9e15 ? with_separators(std::llround(count))
                                : fmt::format("{:.4g}", count);
}

/// "1/64", "97 %", "32 times as much".
std::string share_text(double after, double before) {
  const double share = before > 0 ? after / before : 0;
  if (share > 0 && share < 0.2) return fmt::format("1/{:.3g}", 1 / share);
  if (share > 1.5) return fmt::format("{:.3g} times as much", share);
  return fmt::format("{:.3g} %", 100 * share);
}

/// Names up to the parameters: "yax" for "yax(double*, int) [clone .kd]".
std::string plain_name(const std::string& kernel) {
  std::string name = kernel.substr(0, kernel.find_first_of("(<"));
  for (const std::string_view ending : {".kd", " [clone"}) {
    const std::size_t found = name.find(ending);
    if (found != std::string::npos) name.resize(found);
  }
  return std::string(trim(name));
}

bool fell(const std::optional<RunFigure>& before, const std::optional<RunFigure>& after) {
  return before && after && before->least > 0 && after->least < kSame * before->least;
}

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
    check.finding = "the recordings contradict themselves: see recording";
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
      work_.finding = is_proved && is_counted ? "both runs moved and computed what the job needs"
                      : is_proved             ? "both runs moved what the job needs"
                      : first.verdict == Verdict::unknown ? first.finding
                                                          : second.finding;
  }

  /// Of one run, against its job.
  static CheckResult work_of(const RecordedRun& run, const char* name) {
    CheckResult check;
    const NecessaryWork& work = *run.work;
    const RunFigures& figures = run.figures;
    bool is_short = false, is_open = false;
    const auto judge = [&](const std::optional<RunFigure>& figure, double needed, double spared,
                           double tolerance, const char* what, auto text) {
      if (needed <= 0) return;
      if (!figure) {
        is_open = true;
        check.finding = fmt::format("{}: there are no counters of {}", figures.path, what);
        return;
      }
      if (figure->least >= tolerance * needed) {
        check.evidence.push_back(
            fmt::format("{}: {} {} of {} needed", name, text(figure->least), what, text(needed)));
        return;
      }
      check.evidence.push_back(
          fmt::format("{}: {} {}, but {} are needed{}", name, text(figure->least), what,
                      text(needed), work.whole ? "" : " by the blocks that were traced alone"));
      if (figure->least < tolerance * needed - spared) {
        is_short = true;
        return;
      }
      is_open = true;
      check.finding = fmt::format("{}: the rest may have been in the L2, which holds {}",
                                  figures.path, bytes_of(spared));
    };
    // What was not counted may still be told by the bytes.
    if (!figures.operations && work.operations > 0)
      check.notes.push_back(fmt::format("{}: arithmetic was not counted", name));
    else
      judge(figures.operations, work.operations, 0, kReplayed, "operations", count_text);
    judge(figures.read_bytes, static_cast<double>(work.read_bytes), figures.cache_bytes, kSame,
          "read from memory", bytes_of);
    // All results left the L2: no tile is missing, and what was not read was there already.
    const double results = static_cast<double>(work.written_bytes);
    if (is_open && figures.read_bytes && results > 0 && figures.stored_bytes &&
        figures.stored_bytes->least >= kSame * results) {
      is_open = false;
      check.notes.push_back(fmt::format("{}: all results left the L2", name));
    }
    judge(figures.written_bytes, static_cast<double>(work.written_bytes), 0, kSame, "written",
          bytes_of);
    if (is_short) {
      check.verdict = Verdict::refuted;
    } else if (!is_open && !work.whole) {
      check.finding = fmt::format("only a part of {} could be traced, and that was done", work.job);
    } else if (!is_open) {
      check.verdict = Verdict::proved;
    }
    return check;
  }

  // ---- same-work ----------------------------------------------------------------------------

  void judge_same_work() {
    if (is_in_doubt(same_)) return;
    if (before_.work && after_.work && judge_by_jobs()) return;
    judge_by_counters();
  }

  /// Whether the jobs tell.
  bool judge_by_jobs() {
    const NecessaryWork& first = *before_.work;
    const NecessaryWork& second = *after_.work;
    const auto needs_less = [&](std::int64_t one, std::int64_t other, const char* what) {
      if (!first.whole || !second.whole) return;
      if (static_cast<double>(other) >= kSame * static_cast<double>(one)) return;
      same_.evidence.push_back(fmt::format("{} needs {} {}, {} only {}", first.job,
                                           bytes_of(static_cast<double>(one)), what, second.job,
                                           bytes_of(static_cast<double>(other))));
    };
    needs_less(first.read_bytes, second.read_bytes, "read");
    needs_less(first.written_bytes, second.written_bytes, "written");
    if (!same_.evidence.empty()) {
      same_.verdict = Verdict::refuted;
      same_.finding = "the jobs are not the same work";
      return true;
    }
    if (work_.verdict == Verdict::refuted) {
      same_.verdict = Verdict::refuted;
      same_.finding = "not the same work: a run did not do that of its job, see work";
      add_comparison();
      return true;
    }
    if (work_.verdict != Verdict::proved) return false;
    same_.verdict = Verdict::proved;
    same_.finding = "both runs did what the job needs";
    return true;
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
    if (is_computed && fell(b.operations, a.operations))
      return refute(fmt::format("{} of the arithmetic is done",
                                share_text(a.operations->least, b.operations->least)));
    if (!requests_before || !requests_after || !b.read_bytes || !a.read_bytes) {
      same_.finding = "requests to the L1 or bytes from memory were not counted in both runs";
      return;
    }
    const bool asks_less = fell(requests_before, requests_after) || fell(b.written, a.written);
    const bool reads_less = fell(b.read_bytes, a.read_bytes);
    const bool does_more = fell(requests_after, requests_before) &&
                           fell(a.read_bytes, b.read_bytes) &&
                           (!is_computed || fell(a.operations, b.operations));
    const std::string change =
        fmt::format("the same kernel asks for {} and reads {} of memory",
                    share_text(requests_after->least, requests_before->least),
                    share_text(a.read_bytes->least, b.read_bytes->least));
    if (is_same_kernel && (does_more || (!is_computed && asks_less && reads_less)))
      return refute(change);
    if (asks_less) {
      same_.finding = fmt::format(
          "{}: wider loads or reuse may explain it, or less work; --job says what is needed",
          reads_less ? "less is asked for and less is read of memory" : "less is asked for");
    } else if (reads_less && !stores_as_before()) {
      same_.finding = fmt::format(
          "as much is asked for, but memory delivers {}: it is reused, or a part is done over and "
          "over; --job says what is needed",
          share_text(a.read_bytes->least, b.read_bytes->least));
    } else {
      same_.verdict = Verdict::proved;
      same_.finding = is_computed ? "as much is computed, asked for and written"
                                  : "as much is asked for and written; arithmetic was not counted";
    }
  }

  /// Results leave the L2 as before, and they are more than it could hold: tiles that are done over
  /// and over would write the same lines again, and fewer would leave.
  bool stores_as_before() const {
    const auto &b = before().stored_bytes, &a = after().stored_bytes;
    return b && a && b->least > 2 * after().cache_bytes && !fell(b, a);
  }

  /// The figures that say how much was done, side by side.
  void add_comparison() {
    const auto line = [&](const char* what, const std::optional<RunFigure>& b,
                          const std::optional<RunFigure>& a, auto text) {
      if (!b || !a || (b->least <= 0 && a->least <= 0)) return;
      same_.evidence.push_back(fmt::format("{}: {} before, {} after{}", what, text(b->least),
                                           text(a->least), ratio_text(b->least, a->least)));
    };
    line("operations", before().operations, after().operations, count_text);
    if (before().lane_requests && after().lane_requests)
      line("requests of lanes", before().lane_requests, after().lane_requests, count_text);
    else
      line("lookups of the L1", before().lookups, after().lookups, count_text);
    line("writes to the L2", before().written, after().written, count_text);
    line("read from memory", before().read_bytes, after().read_bytes, bytes_of);
    line("written to memory", before().stored_bytes, after().stored_bytes, bytes_of);
  }

  static std::string ratio_text(double before, double after) {
    if (before <= 0 || after <= 0) return {};
    const double ratio = before / after;
    if (ratio > 1 / kSame) return fmt::format(", {:.3g} times fewer", ratio);
    return ratio < kSame ? fmt::format(", {:.3g} times more", 1 / ratio) : std::string();
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
                           ? "the recordings contradict themselves: see recording"
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
    if (run.work) {
      const double reads = static_cast<double>(run.work->read_bytes);
      const double writes = static_cast<double>(run.work->written_bytes);
      const double bytes =
          std::max(0.0, reads - figures.cache_bytes) + std::max(0.0, writes - figures.cache_bytes);
      const double least = bytes / peak;
      const double time = figures.duration_ns->least;
      if (time < kReplayed * least) {
        bound_.verdict = Verdict::refuted;
        bound_.evidence.push_back(
            fmt::format("{}: {} for the {} that {} has to move, which take {} at {:.0f} GB/s", name,
                        time_of(time), bytes_of(bytes), run.work->job, time_of(least), peak));
        return;
      }
      if (least > 0) {
        bound_.evidence.push_back(fmt::format("{}: {}, {:.3g} times the {} that {} needs at peak",
                                              name, time_of(figures.duration_ns->mean),
                                              figures.duration_ns->mean / least, time_of(least),
                                              run.work->job));
        return;
      }
    }
    if (!figures.moved_bytes) return;
    const double rate = figures.moved_bytes->mean / figures.duration_ns->mean;
    if (rate > kFabric * peak) bound_.verdict = Verdict::refuted;
    bound_.evidence.push_back(fmt::format(
        "{}: {} in {} are {} GB/s, {:.0f} % of the peak", name, bytes_of(figures.moved_bytes->mean),
        time_of(figures.duration_ns->mean), count_text(rate), 100 * rate / peak));
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
                                             bytes_of(b.read_bytes->mean),
                                             bytes_of(a.read_bytes->mean)));
    if (kSame * a.read_bytes->mean > b.read_bytes->mean) {
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
    } else if (b.gpu != a.gpu) {
      speedup_.finding = fmt::format("{}, but on {} and {}", text, b.gpu, a.gpu);
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
