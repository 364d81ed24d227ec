#include "report/audit_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/json_values.h"
#include "report/table_text.h"
#include "report/text_blocks.h"
#include "report/verdict_list.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

std::string hit_text(const std::optional<Claim>& claim) {
  if (!claim || !claim->hit_before || !claim->hit_after) return "-";
  return fmt::format("{:.1f} -> {:.1f} %", *claim->hit_before, *claim->hit_after);
}

std::string speedup_text(const std::optional<Claim>& claim) {
  if (!claim || !claim->speedup) return "-";
  return fmt::format("{:.3g}x", *claim->speedup);
}

std::string tiles_text(const AuditedAttempt& attempt) {
  if (attempt.verdict == Verdict::unknown) return "-";
  if (attempt.distinct_tiles == attempt.tiles)
    return fmt::format("all {}", with_separators(attempt.tiles));
  return fmt::format("{} of {}", with_separators(attempt.distinct_tiles),
                     with_separators(attempt.tiles));
}

std::string remark_text(const AuditedAttempt& attempt) {
  std::vector<std::string> parts;
  if (attempt.identity) parts.emplace_back("identity");
  if (attempt.repeats) parts.push_back(fmt::format("repeats {}", *attempt.repeats));
  if (attempt.counterexample && !attempt.repeats) parts.push_back(attempt.counterexample->message);
  if (!attempt.reason.empty()) parts.push_back(attempt.reason);
  for (const std::string& note : attempt.notes) {
    if (note.rfind("result: ", 0) != 0) parts.push_back(note);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string quote(const AuditedAttempt& attempt) {
  return fmt::format("iteration {} ({}, hit rate {})", attempt.iteration,
                     speedup_text(attempt.claim), hit_text(attempt.claim));
}

/// Speedups claimed for orders that change nothing: what a claim is worth at all.
std::string noise_text(const AuditReport& report) {
  double least = 0;
  double most = 0;
  int count = 0;
  for (const AuditedAttempt& attempt : report.attempts) {
    if (!attempt.identity || !attempt.claim || !attempt.claim->speedup) continue;
    if (*attempt.claim->speedup == 1) continue;  // which is what nothing changed should give
    least = count == 0 ? *attempt.claim->speedup : std::min(least, *attempt.claim->speedup);
    most = count == 0 ? *attempt.claim->speedup : std::max(most, *attempt.claim->speedup);
    ++count;
  }
  if (count == 0) return {};
  if (count == 1) return fmt::format("one iteration changes nothing, yet claims {:.3g}x", least);
  return fmt::format("{} iterations change nothing, yet claim {:.3g}x to {:.3g}x", count, least,
                     most);
}

/// The verdicts on one check of all iterations, and the first that is refuted.
Values check_line(const AuditReport& report, std::string_view id) {
  std::vector<ShownCheck> checks;
  std::string first;
  for (const AuditedAttempt& attempt : report.attempts) {
    for (const NamedCheck& check : attempt.checks) {
      if (check.id != id) continue;
      checks.push_back({id, &check.result});
      if (!first.empty() || check.result.verdict != Verdict::refuted) continue;
      first = fmt::format("; iteration {}: {}", attempt.iteration, check.result.finding);
      if (!check.result.evidence.empty()) first += "; " + check.result.evidence.front();
    }
  }
  return checks.empty() ? Values() : value(std::string(id), verdict_counts(checks) + first);
}

Values summary(const AuditReport& report) {
  const auto gains = [&](Verdict verdict) {
    return std::ranges::count_if(report.attempts, [&](const AuditedAttempt& attempt) {
      return attempt.claims_gain() && attempt.verdict == verdict;
    });
  };
  const auto proved = gains(Verdict::proved);
  const auto refuted = gains(Verdict::refuted);
  const auto unknown = gains(Verdict::unknown);
  Values text = value("claimed", fmt::format("{} of {} iterations claim a gain",
                                             proved + refuted + unknown, report.attempts.size()));
  text +=
      value("of these", fmt::format("permutations: {}; computing something else: {}; unknown: {}",
                                    proved, refuted, unknown));
  const AuditedAttempt* boast =
      report.best([](const AuditedAttempt& attempt) { return attempt.claims_gain(); });
  if (boast != nullptr) {
    const std::string verdict =
        boast->verdict == Verdict::proved
            ? std::string("PROVED")
            : fmt::format("{}, {}", verdict_text(boast->verdict), tiles_text(*boast));
    text += value("best claimed", fmt::format("{}: {}", quote(*boast), verdict));
  }
  const AuditedAttempt* honest = report.best([](const AuditedAttempt& attempt) {
    return attempt.claims_gain() && attempt.verdict == Verdict::proved && !attempt.identity;
  });
  text += value("best proved", honest != nullptr ? quote(*honest) : "none");
  const std::string noise = noise_text(report);
  if (!noise.empty()) text += value("noise", noise);
  for (const std::string_view id : {"hit-rate", "shapes", "bound", "speedup"})
    text += check_line(report, id);
  if (!report.not_checked.empty())
    text += value("not checked", fmt::format("{}", fmt::join(report.not_checked, "; ")));
  return text;
}

json claim_json(const std::optional<Claim>& claim) {
  if (!claim) return nullptr;
  const auto number = [](const std::optional<double>& one) { return value_json(one); };
  return {{"hit_before", number(claim->hit_before)},
          {"hit_after", number(claim->hit_after)},
          {"speedup", number(claim->speedup)},
          {"time_before_ms", number(claim->time_before_ms)},
          {"time_after_ms", number(claim->time_after_ms)}};
}

Table iterations_table(const AuditReport& report) {
  Table table{"Every iteration of the log",
              {{"iteration", true},
               {"verdict"},
               {"tiles"},
               {"claimed L2 hit"},
               {"claimed speedup", true},
               {"remarks"}}};
  for (const AuditedAttempt& attempt : report.attempts) {
    if (attempt.verdict == Verdict::refuted) table.marked.push_back(table.rows.size());
    table.rows.push_back({ours(std::to_string(attempt.iteration)),
                          ours(verdict_text(attempt.verdict)), ours(tiles_text(attempt)),
                          ours(hit_text(attempt.claim)), ours(speedup_text(attempt.claim)),
                          Text(remark_text(attempt))});
  }
  return table;
}

/// Claimed speedups, by verdict.
void add_claims(const AuditReport& report, Document& page) {
  Plot plot;
  plot.x = {"iteration", false, {}};
  plot.y = {"claimed speedup", false, {}};
  plot.has_filter = true;
  Table table{"Claimed speedups", {{"iteration", true}, {"verdict"}, {"claimed speedup", true}}};
  for (const Verdict verdict : {Verdict::proved, Verdict::unknown, Verdict::refuted}) {
    Plot::Series series{verdict_text(verdict), Plot::Series::Kind::points};
    for (const AuditedAttempt& one : report.attempts) {
      if (one.verdict != verdict || !one.claim || !one.claim->speedup) continue;
      series.points.push_back(
          {static_cast<double>(one.iteration),
           *one.claim->speedup,
           fmt::format("iteration {}: {}, claims {}\n{}", one.iteration, verdict_text(verdict),
                       speedup_text(one.claim), remark_text(one)),
           {}});
      table.rows.push_back({ours(std::to_string(one.iteration)), ours(verdict_text(verdict)),
                            ours(speedup_text(one.claim))});
    }
    series.tone = tone_of(verdict);
    plot.series.push_back(std::move(series));
  }
  if (!table.rows.empty())
    page.add(Picture{"What the log claims",
                     "A refuted order belongs to a kernel that computes something else.",
                     std::move(plot), std::move(table)});
}

}  // namespace

Document audit_view(const AuditReport& report, const std::string& log) {
  Document page;
  page.verb = "audit";
  page.title = Text(log) + ours(fmt::format(
                               ": {} PROVED, {} REFUTED, {} UNKNOWN", report.count(Verdict::proved),
                               report.count(Verdict::refuted), report.count(Verdict::unknown)));
  page.badge = verdict_text(report.verdict());
  page.tone = tone_of(report.verdict());
  page.paragraph(ours(fmt::format("{} on grid {}. Claims are quoted from the log, not trusted.",
                                  count_of(std::ssize(report.attempts), "iteration"),
                                  fmt::join(report.grid, "x"))));
  page.heading(ours("Summary"));
  page.add(summary(report));
  add_claims(report, page);
  page.heading(ours("Iterations"));
  page.add(iterations_table(report));
  return page;
}

std::string audit_text(const AuditReport& report, const std::string& log, const Style& style) {
  std::string text =
      headline(style.bold(log),
               fmt::format("{} on grid {}: {} PROVED, {} REFUTED, {} UNKNOWN",
                           count_of(std::ssize(report.attempts), "iteration"),
                           fmt::join(report.grid, "x"), report.count(Verdict::proved),
                           report.count(Verdict::refuted), report.count(Verdict::unknown))) +
      "\n";
  std::vector<Row> rows = {{"iter", "verdict", "tiles", "claimed L2 hit", "speedup", "remarks"}};
  for (const AuditedAttempt& attempt : report.attempts)
    rows.push_back({std::to_string(attempt.iteration), style.verdict(attempt.verdict),
                    tiles_text(attempt), hit_text(attempt.claim), speedup_text(attempt.claim),
                    remark_text(attempt)});
  text += table_text(rows, {false, true, true, true, true, true});
  return text + "\n" + text_blocks({summary(report)}, style);
}

json audit_json(const AuditReport& report, const std::string& log) {
  json iterations = json::array();
  for (const AuditedAttempt& attempt : report.attempts) {
    const bool known = attempt.verdict != Verdict::unknown;
    const auto counted = [known](std::int64_t count) {
      return known ? json(count) : json(nullptr);
    };
    json entry = {{"iteration", attempt.iteration},
                  {"verdict", verdict_text(attempt.verdict)},
                  {"distinct_tiles", counted(attempt.distinct_tiles)},
                  {"tiles", attempt.tiles},
                  {"out_of_grid", counted(attempt.out_of_grid)},
                  {"identity", attempt.identity},
                  {"repeats", value_json(attempt.repeats)},
                  {"claimed", claim_json(attempt.claim)},
                  {"notes", attempt.notes}};
    entry["reason"] = text_or_null(attempt.reason);
    entry["counterexample"] =
        attempt.counterexample ? json(attempt.counterexample->message) : json(nullptr);
    entry["line"] = attempt.line > 0 ? json(attempt.line) : json(nullptr);
    entry["checks"] = verdicts_json(shown(attempt.checks));
    iterations.push_back(std::move(entry));
  }
  return {{"version", 1},
          {"log", log},
          {"grid", report.grid},
          {"iterations", iterations},
          {"verdict", verdict_text(report.verdict())},
          {"not_checked", report.not_checked},
          {"proved", report.count(Verdict::proved)},
          {"refuted", report.count(Verdict::refuted)},
          {"unknown", report.count(Verdict::unknown)}};
}

}  // namespace heddle::report
