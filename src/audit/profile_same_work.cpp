#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/profile_words.h"
#include "audit/profile_work.h"
#include "support/quantities.h"

namespace heddle::audit {
namespace {

/// A change of the kernel may leave out so much arithmetic, loads and reads; less is other work.
constexpr double kHalf = 0.5;
/// Shares that agree to this stem from one cause: so much of everything was left out.
constexpr double kAgree = 0.1;
/// A problem that is larger by this is another one.
constexpr double kLarger = 1.5;

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

class SameWork {
 public:
  SameWork(const RecordedRun& before, const RecordedRun& after) : before_(before), after_(after) {}

  CheckResult run(const std::optional<CheckResult>& work) {
    judge_by_counters();
    if (work) judge_by_jobs(work->verdict);
    return std::move(same_);
  }

 private:
  const RunFigures& before() const { return before_.figures; }
  const RunFigures& after() const { return after_.figures; }

  /// What jobs tell besides: another kernel may need less than the counters of the first one say.
  void judge_by_jobs(Verdict work) {
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
    } else if (work == Verdict::refuted) {
      same_.verdict = Verdict::refuted;
      same_.finding = "not the same work: a run did not do that of its job, see work";
    } else if (work == Verdict::proved && (!is_one_job || same_.verdict != Verdict::refuted)) {
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
      same_.finding = "the first run made no requests";
      return;
    }
    const double computed = is_computed ? kept(b.operations, a.operations) : 1;
    const double asked = kept(requests_before, requests_after);
    const double read = kept(b.read_bytes, a.read_bytes);
    const bool asks_less = asked < kSame || fell(b.written, a.written);
    const bool reads_less = read < kSame;
    const bool is_larger =
        asked > kLarger && read > kLarger && (!is_computed || computed > kLarger);
    const std::string change =
        is_larger ? fmt::format("{} times the requests, {} times the reads from memory",
                                factor_text(asked), factor_text(read))
                  : fmt::format("{} of the requests, {} of the reads from memory", part_text(asked),
                                part_text(read));
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
          reads_less ? "less is requested, and less is read from memory" : "less is requested");
    } else {
      judge_traffic(read, is_computed);
    }
  }

  /// As much is computed and asked for: what memory says of it.
  void judge_traffic(double read, bool is_computed) {
    if (stores_less()) {
      same_.finding = fmt::format(
          "{} is written to memory: results may be missing, or still in the "
          "L2; --job says what is needed",
          part_text(kept(before().stored_bytes, after().stored_bytes)));
    } else if (read < kSame && !stores_as_before()) {
      same_.finding = fmt::format(
          "as much is requested, but memory delivers {}: data is reused, or a part is "
          "repeated; --job says what is needed",
          part_text(read));
    } else {
      same_.verdict = Verdict::proved;
      same_.finding = is_computed ? "as much is computed, requested and written"
                                  : "as much is requested and written; no arithmetic was counted";
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
      line("lane requests", before().lane_requests, after().lane_requests, count_text);
    else
      line("L1 lookups", before().lookups, after().lookups, count_text);
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

  const RecordedRun& before_;
  const RecordedRun& after_;
  CheckResult same_;
};

}  // namespace

CheckResult judge_same_work(const RecordedRun& before, const RecordedRun& after,
                            const std::optional<CheckResult>& work) {
  return SameWork(before, after).run(work);
}

}  // namespace heddle::audit
