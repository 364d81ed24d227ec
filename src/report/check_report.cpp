#include "report/check_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/json_values.h"
#include "report/text_blocks.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::size_t kSizesShown = 12;

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

std::string tiles_line(const GridReport& report) {
  std::string line =
      report.distinct_tiles == report.tiles
          ? fmt::format("all {} computed", with_separators(report.tiles))
          : fmt::format("{} of {} computed, {} never", with_separators(report.distinct_tiles),
                        with_separators(report.tiles),
                        with_separators(report.tiles - report.distinct_tiles));
  const std::int64_t busy = report.launched - report.idle - report.failed - report.out_of_grid;
  const auto add = [&line](std::int64_t count, std::string_view does) {
    if (count > 0) line += fmt::format("; {} {}", count_of(count, "block"), does);
  };
  add(busy - report.distinct_tiles, "repeating a tile");
  add(report.out_of_grid, "leaving the tile space");
  add(report.failed, "whose arithmetic fails");
  add(report.idle, "doing nothing");
  return line;
}

std::string dies_line(const std::vector<std::int64_t>& blocks) {
  const auto [least, most] = std::minmax_element(blocks.begin(), blocks.end());
  if (*least == *most) return fmt::format("{} x {}", blocks.size(), count_of(*most, "block"));
  return fmt::format("{} dies with {} to {} blocks, imbalance {:.3f}", blocks.size(),
                     with_separators(*least), with_separators(*most), imbalance(blocks));
}

/// The lines that every verdict on a grid shares.
Values grid_lines(const GridReport& report) {
  Values text;
  if (!report.reason.empty()) text += value("reason", report.reason);
  const bool counted = report.counted && report.verdict != Verdict::unknown;
  if (counted) text += value("tiles", tiles_line(report));
  if (report.counterexample) text += value("counterexample", report.counterexample->message);
  if (report.identity) text += value("identity", "this is the launch order itself");
  if (report.wraps_unsigned)
    text += value("wraps", "unsigned arithmetic or a conversion wraps around here, as defined");
  if (!report.blocks_per_die.empty() && counted)
    text += value("dies", dies_line(report.blocks_per_die));
  return text;
}

Values context_lines(const CheckContext& context, const std::vector<std::string>& notes) {
  Values text;
  if (context.compared_with) {
    text += context.difference
                ? value("compared", fmt::format("differs from {}: {}", *context.compared_with,
                                                *context.difference))
                : value("compared", fmt::format("the same map as {}", *context.compared_with));
  }
  for (const std::string& note : notes) {
    const bool is_result = note.rfind("result: ", 0) == 0;
    text += value(is_result ? "result" : "note", is_result ? note.substr(8) : note);
  }
  return text;
}

std::string space_text(const GridReport& report) {
  std::string text = "grid " + extents_text(report.grid);
  if (report.tile_space != report.grid) text += ", tiles " + extents_text(report.tile_space);
  return text;
}

Document check_page(Verdict verdict, std::string title, Values values) {
  Document page;
  page.verb = "check";
  page.title = std::move(title);
  page.badge = verdict_text(verdict);
  page.tone = tone_of(verdict);
  page.add(std::move(values));
  return page;
}

json base_json(Verdict verdict, const std::string& reason, const CheckContext& context,
               const std::vector<std::string>& notes) {
  json result = {{"version", 1},
                 {"order", context.order},
                 {"verdict", verdict_text(verdict)},
                 {"notes", notes}};
  result["reason"] = text_or_null(reason);
  if (context.compared_with) {
    result["compared"] = {{"order", *context.compared_with},
                          {"equal", !context.difference.has_value()},
                          {"difference", value_json(context.difference)}};
  }
  return result;
}

void add_grid(json& result, const GridReport& report) {
  result["grid"] = report.grid;
  result["tile_space"] = report.tile_space;
  result["tiles"] = report.tiles;
  const auto counted = [&report](const json& value) {
    return report.counted ? value : json(nullptr);
  };
  result["distinct_tiles"] = counted(report.distinct_tiles);
  result["never_computed"] = counted(report.tiles - report.distinct_tiles);
  result["out_of_grid"] = counted(report.out_of_grid);
  result["failed"] = counted(report.failed);
  result["idle"] = counted(report.idle);
  result["identity"] = report.identity;
  result["wraps_unsigned"] = report.wraps_unsigned;
  result["blocks_per_die"] = counted(report.blocks_per_die);
  result["imbalance"] = counted(imbalance(report.blocks_per_die));
  result["counterexample"] = counterexample_json(report.counterexample);
}

json sizes_json(const std::vector<std::vector<std::int64_t>>& sizes) {
  json result = json::array();
  for (const auto& size : sizes) {
    if (size.size() == 1)
      result.push_back(size[0]);
    else
      result.push_back(size);
  }
  return result;
}

}  // namespace

json counterexample_json(const std::optional<Counterexample>& example) {
  if (!example) return nullptr;
  json result = {
      {"kind", kind_text(example->kind)}, {"grid", example->grid}, {"message", example->message}};
  json ids = json::array();
  if (example->first) ids.push_back(example->first->value);
  if (example->second) ids.push_back(example->second->value);
  result["launch_ids"] = ids;
  if (example->tile) result["tile"] = example->tile->value;
  if (!example->index.empty()) result["index"] = example->index;
  return result;
}

Document check_view(const GridReport& report, const CheckContext& context) {
  return check_page(report.verdict, fmt::format("{} on {}", context.order, space_text(report)),
                    grid_lines(report) + context_lines(context, report.notes));
}

Document check_view(const RangeReport& report, const CheckContext& context) {
  Values text;
  if (!report.reason.empty()) text += value("reason", report.reason);
  if (report.grids_checked > 1) {
    const auto failing = static_cast<std::int64_t>(report.failing_sizes.size());
    text +=
        value("grids", fmt::format("{} checked, {} failing", with_separators(report.grids_checked),
                                   with_separators(failing)));
  }
  if (!report.failing_sizes.empty() && report.grids_checked > 1) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(kSizesShown, report.failing_sizes.size()); ++i) {
      shown.push_back(extents_text(report.failing_sizes[i]));
    }
    if (report.failing_sizes.size() > kSizesShown) {
      const auto more = static_cast<std::int64_t>(report.failing_sizes.size() - kSizesShown);
      shown.push_back(fmt::format("... {} more (check --json lists all)", with_separators(more)));
    }
    text += value("failing", fmt::format("{}", fmt::join(shown, " ")));
  }
  if (report.smallest_failure) {
    text += value("smallest", space_text(*report.smallest_failure)) +
            grid_lines(*report.smallest_failure);
  }
  if (report.identity)
    text += value("identity", "this is the launch order itself on every one of these grids");
  return check_page(report.verdict, fmt::format("{} on {}", context.order, report.range),
                    text + context_lines(context, report.notes));
}

Document check_view(const AllSizesReport& report, const CheckContext& context) {
  Values text;
  if (!report.method.empty()) text += value("method", report.method);
  if (!report.reason.empty()) text += value("reason", report.reason);
  for (const std::string& line : report.argument) text += value("because", line);
  if (report.failure)
    text += value("fails on", space_text(*report.failure)) + grid_lines(*report.failure);
  if (!report.checked_range.empty() && report.verdict != Verdict::refuted) {
    text += value("checked", fmt::format("{}, exhaustively", report.checked_range));
  }
  return check_page(report.verdict,
                    fmt::format("{} for all sizes (grids under 2^31 blocks)", context.order),
                    text + context_lines(context, report.notes));
}

std::string check_text(const Document& page, Verdict verdict, const Style& style) {
  return headline(style.verdict(verdict), page.title.plain()) + text_blocks(page.blocks, style);
}

json check_json(const GridReport& report, const CheckContext& context) {
  json result = base_json(report.verdict, report.reason, context, report.notes);
  add_grid(result, report);
  return result;
}

json check_json(const RangeReport& report, const CheckContext& context) {
  json result = base_json(report.verdict, report.reason, context, report.notes);
  result["range"] = report.range;
  result["grids_checked"] = report.grids_checked;
  result["failing_sizes"] = sizes_json(report.failing_sizes);
  result["grid"] = nullptr;
  result["counterexample"] = nullptr;
  if (report.smallest_failure) add_grid(result, *report.smallest_failure);
  result["identity"] = report.identity;
  return result;
}

json check_json(const AllSizesReport& report, const CheckContext& context) {
  json result = base_json(report.verdict, report.reason, context, report.notes);
  result["scope"] = "every grid under 2^31 blocks";
  result["method"] = report.method;
  result["argument"] = report.argument;
  result["checked_range"] = text_or_null(report.checked_range);
  result["grid"] = nullptr;
  result["counterexample"] = nullptr;
  if (report.failure) {
    add_grid(result, *report.failure);
    if (!report.failure->reason.empty()) result["reason"] = report.failure->reason;
  }
  return result;
}

}  // namespace heddle::report
