#include "report/family_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

using FamilyRow = std::vector<std::string>;

constexpr std::size_t kFirstFigure = 2;  ///< columns before it are always there

std::string mean_error(const ErrorScore& score, const char* unit) {
  return score.count == 0 ? "" : fmt::format("{:.1f}{}", score.mean, unit);
}

std::string right_signs(const PointScore& score) {
  if (score.clear_effects == 0) return "";
  const auto wrong = static_cast<int>(score.wrong_signs.size());
  return fmt::format("{} of {}", score.clear_effects - wrong, score.clear_effects);
}

FamilyRow family_row(const FamilyScore& score) {
  return {score.family,
          fmt::format("{}", score.points),
          mean_error(score.l2, ""),
          mean_error(score.dram_read, " %"),
          mean_error(score.time, " %"),
          mean_error(score.speedup, " %"),
          score.time_rank.count == 0 ? "" : fmt::format("{:.2f}", score.time_rank.mean),
          right_signs(score),
          score.regret_pct.count == 0 ? "" : fmt::format("{:.1f} %", score.regret_pct.mean)};
}

void drop_column(std::vector<FamilyRow>& rows, std::size_t column) {
  for (FamilyRow& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
}

}  // namespace

std::vector<FamilyRow> family_rows(const GpuScore& score) {
  if (score.families.size() < 2) return {};
  std::vector<FamilyRow> rows = {{"family", "points", "L2 hit rate", "DRAM reads", "time",
                                  "speedup", "ranks", "signs", "regret"}};
  for (const FamilyScore& family : score.families) rows.push_back(family_row(family));
  for (std::size_t column = rows.front().size(); column-- > kFirstFigure;) {
    const bool is_empty = std::all_of(rows.begin() + 1, rows.end(),
                                      [&](const FamilyRow& row) { return row[column].empty(); });
    if (is_empty) drop_column(rows, column);
  }
  return rows;
}

}  // namespace heddle::report
