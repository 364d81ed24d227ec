#include "audit/audit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "order/compact.h"
#include "support/lists.h"
#include "support/processor_time.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

/// A formula that could be checked, kept for comparing later ones with it.
struct Judged {
  int iteration = 0;
  order::Order order;
  std::int64_t distinct_tiles = 0;
  std::int64_t out_of_grid = 0;
};

std::string message_of(const Error& error, int formula_line) {
  const int line = error.position().line;
  if (line == 0) return error.message();
  return fmt::format("line {} of the log: {}", formula_line + line - 1, error.message());
}

std::optional<int> first_repeat(const Judged& judged, const std::vector<Judged>& earlier,
                                const order::Space& space, const order::Bindings& bindings) {
  for (const Judged& other : earlier) {
    const bool may_match =
        other.distinct_tiles == judged.distinct_tiles && other.out_of_grid == judged.out_of_grid;
    if (may_match && !proof::compare(other.order, judged.order, space, bindings))
      return other.iteration;
  }
  return std::nullopt;
}

/// Logs round their times,
constexpr double kRounded = 0.9;
/// mostly to two digits of a millisecond.
constexpr double kLastDigit = 0.005;

/// What the verdict on the formula means for the claimed hit rate.
CheckResult judge_hit_rate(const AuditedAttempt& attempt) {
  CheckResult check;
  const double before = *attempt.claim->hit_before, after = *attempt.claim->hit_after;
  const std::string rates = fmt::format("L2 hit rate {:.4g} -> {:.4g} %", before, after);
  if (std::min(before, after) < 0 || std::max(before, after) > 100) {
    check.verdict = Verdict::refuted;
    check.finding = rates + ": no rate is below 0 or above 100 %";
    return check;
  }
  if (after <= before) {
    check.verdict = Verdict::proved;
    check.finding = rates + ": no gain is claimed by it";
    return check;
  }
  check.verdict = attempt.verdict;
  if (attempt.verdict == Verdict::proved)
    check.finding = rates + " for all tiles";
  else if (attempt.verdict == Verdict::refuted)
    check.finding =
        fmt::format("{}, but of {} of {} tiles", rates, with_separators(attempt.distinct_tiles),
                    with_separators(attempt.tiles));
  else
    check.finding = rates + "; which tiles are computed is not known";
  return check;
}

/// Of every claimed time; `bound` is null where there is none.
CheckResult judge_bound(const Claim& claim, const TimeBound* bound) {
  CheckResult check;
  check.verdict = Verdict::proved;
  const double least = bound != nullptr ? bound->least_ms : 0;
  for (const auto& [time, name] :
       {std::pair(claim.time_before_ms, "before"), std::pair(claim.time_after_ms, "after")}) {
    if (!time) continue;
    if (*time > 0 && *time >= kRounded * least) {
      check.evidence.push_back(
          fmt::format("{}: {:.4g} ms, {:.3g} times that", name, *time, *time / least));
      continue;
    }
    check.verdict = Verdict::refuted;
    check.evidence.insert(check.evidence.begin(),
                          fmt::format("{}: {:.4g} ms claimed", name, *time));
  }
  check.finding = least > 0 ? fmt::format("{} take at least {:.4g} ms", bound->why, least)
                            : std::string("every kernel takes some time");
  return check;
}

bool has_bound(const Claim& claim, const std::optional<TimeBound>& bound) {
  if (bound && bound->least_ms > 0) return claim.time_before_ms || claim.time_after_ms;
  return claim.time_before_ms.value_or(1) <= 0 || claim.time_after_ms.value_or(1) <= 0;
}

/// A speedup beside the times that it is the quotient of.
std::optional<CheckResult> judge_speedup(const Claim& claim) {
  if (!claim.speedup || !claim.time_before_ms || !claim.time_after_ms ||
      *claim.time_before_ms <= 0 || *claim.time_after_ms <= 0)
    return std::nullopt;
  const double ratio = *claim.time_before_ms / *claim.time_after_ms;
  const double rounded = kLastDigit / *claim.time_before_ms + kLastDigit / *claim.time_after_ms;
  CheckResult check;
  check.verdict = std::abs(*claim.speedup / ratio - 1) <= 1 - kRounded + rounded ? Verdict::proved
                                                                                 : Verdict::refuted;
  check.finding = fmt::format("{:.4g}x is claimed, {:.4g} ms over {:.4g} ms are {:.3g}x",
                              *claim.speedup, *claim.time_before_ms, *claim.time_after_ms, ratio);
  return check;
}

CheckResult judge_shapes(const order::Order& order, const order::SpaceRange& range,
                         const order::Bindings& bindings, const proof::CheckOptions& options) {
  CheckResult check;
  try {
    const RangeReport report = proof::check_range(order, range, bindings, options);
    check.verdict = report.verdict;
    if (report.verdict == Verdict::proved) {
      check.finding = fmt::format("a permutation on all of {}", report.range);
    } else if (report.verdict == Verdict::refuted) {
      check.finding = fmt::format("not a permutation on some of {}", report.range);
      if (report.smallest_failure && report.smallest_failure->counterexample)
        check.evidence.push_back(fmt::format("grid {}: {}",
                                             fmt::join(report.smallest_failure->grid, "x"),
                                             report.smallest_failure->counterexample->message));
    } else {
      check.finding = report.reason;
    }
  } catch (const Error& error) {
    check.finding = error.message();
  }
  return check;
}

CheckResult order_result(const AuditedAttempt& attempt) {
  CheckResult check;
  check.verdict = attempt.verdict;
  if (attempt.verdict == Verdict::unknown) {
    check.finding = attempt.reason;
  } else if (attempt.verdict == Verdict::proved) {
    check.finding = fmt::format("a permutation of all {} tiles", with_separators(attempt.tiles));
  } else {
    check.finding =
        fmt::format("{} of {} tiles are computed", with_separators(attempt.distinct_tiles),
                    with_separators(attempt.tiles));
    if (attempt.out_of_grid > 0)
      check.evidence.push_back(count_of(attempt.out_of_grid, "block") + " outside the grid");
    if (attempt.counterexample) check.evidence.push_back(attempt.counterexample->message);
  }
  return check;
}

/// `order` is null where the formula could not be read.
/// `limits` holds the time that is left for ranges of grids.
void add_checks(AuditedAttempt& attempt, const order::Order* order, const order::Bindings& bindings,
                const LogAuditOptions& options, const proof::CheckOptions& limits) {
  attempt.checks.push_back({"order", order_result(attempt)});
  if (options.shapes && order != nullptr)
    attempt.checks.push_back({"shapes", judge_shapes(*order, *options.shapes, bindings, limits)});
  else if (options.shapes)
    attempt.checks.push_back({"shapes", order_result(attempt)});
  if (!attempt.claim) return;
  if (attempt.claim->hit_before && attempt.claim->hit_after)
    attempt.checks.push_back({"hit-rate", judge_hit_rate(attempt)});
  if (has_bound(*attempt.claim, options.bound))
    attempt.checks.push_back(
        {"bound", judge_bound(*attempt.claim, options.bound ? &*options.bound : nullptr)});
  if (auto speedup = judge_speedup(*attempt.claim))
    attempt.checks.push_back({"speedup", std::move(*speedup)});
}

}  // namespace

AuditReport audit_log(const std::vector<Attempt>& attempts, const order::Space& space,
                      const order::Bindings& bindings, const LogAuditOptions& options) {
  const std::chrono::nanoseconds start = processor_time();
  AuditReport result;
  result.grid = space.launch.extents();
  std::vector<Judged> judged;
  std::optional<Error> first_error;
  for (const Attempt& attempt : attempts) {
    AuditedAttempt audited;
    audited.iteration = attempt.iteration;
    audited.line = attempt.formula_line;
    audited.claim = attempt.claim;
    audited.notes = attempt.remarks;
    audited.tiles = space.tile_count();
    const order::Order* known = nullptr;
    if (attempt.formula.empty()) {
      audited.reason = "the log gives no formula";
    } else {
      try {
        order::Order order =
            order::looks_compact(trim(attempt.formula))
                ? order::read_compact(trim(attempt.formula))
                : order::Order::from_formula(attempt.formula,
                                             fmt::format("iteration {}", attempt.iteration),
                                             options.reading);
        GridReport report = proof::check_grid(order, space, bindings, options.check);
        audited.verdict = report.verdict;
        audited.reason = report.reason;
        audited.distinct_tiles = report.distinct_tiles;
        audited.out_of_grid = report.out_of_grid;
        audited.identity = report.identity;
        audited.counterexample = std::move(report.counterexample);
        append(audited.notes, report.notes);
        Judged now{attempt.iteration, std::move(order), report.distinct_tiles, report.out_of_grid};
        audited.repeats = first_repeat(now, judged, space, bindings);
        judged.push_back(std::move(now));
        known = &judged.back().order;
      } catch (const Error& error) {
        audited.reason = message_of(error, attempt.formula_line);
        if (!first_error) first_error = error;
      }
    }
    proof::CheckOptions limits = options.check;
    const auto spent = std::chrono::duration_cast<std::chrono::seconds>(processor_time() - start);
    limits.time_limit = std::max(std::chrono::seconds(1), options.check.time_limit - spent);
    add_checks(audited, known, bindings, options, limits);
    result.attempts.push_back(std::move(audited));
  }
  if (judged.empty() && first_error &&
      first_error->message().find("without a value") != std::string::npos) {
    throw *first_error;
  }
  if (!options.shapes) result.not_checked.emplace_back("shapes (needs --grids)");
  if (!options.bound)
    result.not_checked.emplace_back("bound (needs --job and --gpu)");
  else if (options.bound->least_ms <= 0)
    result.not_checked.emplace_back("bound (the caches may hold all that has to be moved)");
  return result;
}

}  // namespace heddle::audit
