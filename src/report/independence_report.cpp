#include "report/independence_report.h"

#include <fmt/format.h>

#include "report/figures.h"
#include "report/json_values.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

std::string does(AccessKind kind) {
  switch (kind) {
    case AccessKind::read:
      return "reads";
    case AccessKind::write:
      return "writes";
    case AccessKind::atomic:
      return "changes";
  }
  return {};
}

std::string example_text(const TileConflict& conflict) {
  return fmt::format("tile {} {} byte {} of {} on line {}, which tile {} {} on line {}",
                     index_text(conflict.second_tile), does(conflict.second_access),
                     with_separators(conflict.byte),
                     conflict.tensor.empty() ? "unknown memory" : conflict.tensor,
                     conflict.second.line, index_text(conflict.first_tile),
                     does(conflict.first_access), conflict.first.line);
}

std::string pieces_text(const TileConflict& conflict) {
  return fmt::format("{} of {} in all", count_of(conflict.granules, "piece"),
                     bytes_text(static_cast<double>(conflict.granule_bytes)));
}

json conflict_json(const TileConflict& conflict) {
  return {{"kind", conflict_text(conflict.kind)},
          {"tensor", text_or_null(conflict.tensor)},
          {"byte", conflict.byte},
          {"first",
           {{"tile", conflict.first_tile},
            {"access", access_text(conflict.first_access)},
            {"place", place_json(conflict.first)}}},
          {"second",
           {{"tile", conflict.second_tile},
            {"access", access_text(conflict.second_access)},
            {"place", place_json(conflict.second)}}},
          {"pieces", conflict.granules},
          {"piece_bytes", conflict.granule_bytes},
          {"message", example_text(conflict)}};
}

}  // namespace

std::string independence_sentence(const IndependenceReport& report) {
  if (report.verdict == Verdict::unknown) return report.reason;
  if (report.verdict == Verdict::refuted) {
    std::vector<std::string> parts;
    for (const TileConflict& conflict : report.conflicts)
      parts.push_back(fmt::format("{}: {}; {}", conflict_text(conflict.kind),
                                  example_text(conflict), pieces_text(conflict)));
    return fmt::format("{}", fmt::join(parts, ". "));
  }
  if (!report.commuting) return "no tile reads or writes what another tile writes";
  std::string text = fmt::format(
      "tiles meet only in atomics that commute: {}; {}. The order of the tiles does not matter",
      example_text(*report.commuting), pieces_text(*report.commuting));
  if (report.rounding_may_differ) text += ", but sums of floating numbers may round differently";
  return text;
}

std::string independence_text(const IndependenceReport& report, const Style& style) {
  std::string text = labelled("independent", fmt::format("{}: {}", style.verdict(report.verdict),
                                                         independence_sentence(report)));
  for (const std::string& note : report.notes) text += labelled("note", note);
  return text + labelled("traced on", report.traced_on);
}

json independence_json(const IndependenceReport& report) {
  return {{"verdict", verdict_text(report.verdict)},
          {"reason", text_or_null(report.reason)},
          {"traced_on", report.traced_on},
          {"conflicts", list_json(report.conflicts, conflict_json)},
          {"commuting", report.commuting ? conflict_json(*report.commuting) : json(nullptr)},
          {"rounding_may_differ", report.rounding_may_differ},
          {"notes", report.notes}};
}

}  // namespace heddle::report
