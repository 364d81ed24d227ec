#include "audit/audit_log.h"

#include <fmt/format.h>

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

}  // namespace

AuditReport audit_log(const std::vector<Attempt>& attempts, const order::Space& space,
                      const order::Bindings& bindings, const order::ReadOptions& reading,
                      const proof::CheckOptions& options) {
  AuditReport result;
  result.grid = space.launch.extents();
  std::vector<Judged> judged;
  std::optional<Error> first_error;
  for (const Attempt& attempt : attempts) {
    AuditedAttempt audited;
    audited.iteration = attempt.iteration;
    audited.claim = attempt.claim;
    audited.notes = attempt.remarks;
    audited.tiles = space.tile_count();
    if (attempt.formula.empty()) {
      audited.reason = "the log gives no formula";
      result.attempts.push_back(std::move(audited));
      continue;
    }
    try {
      order::Order order = order::Order::from_formula(
          attempt.formula, fmt::format("iteration {}", attempt.iteration), reading);
      GridReport report = proof::check_grid(order, space, bindings, options);
      audited.verdict = report.verdict;
      audited.reason = report.reason;
      audited.distinct_tiles = report.distinct_tiles;
      audited.out_of_grid = report.out_of_grid;
      audited.identity = report.identity;
      audited.counterexample = std::move(report.counterexample);
      audited.notes.insert(audited.notes.end(), report.notes.begin(), report.notes.end());
      Judged now{attempt.iteration, std::move(order), report.distinct_tiles, report.out_of_grid};
      audited.repeats = first_repeat(now, judged, space, bindings);
      judged.push_back(std::move(now));
    } catch (const Error& error) {
      audited.reason = message_of(error, attempt.formula_line);
      if (!first_error) first_error = error;
    }
    result.attempts.push_back(std::move(audited));
  }
  if (judged.empty() && first_error &&
      first_error->message().find("without a value") != std::string::npos) {
    throw *first_error;
  }
  return result;
}

}  // namespace heddle::audit
