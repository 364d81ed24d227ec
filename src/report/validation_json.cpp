#include "report/validation_report.h"

#include "report/json_values.h"
namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kValidationVersion = 1;

json compared(std::optional<double> measured, std::optional<double> predicted,
              std::optional<double> error) {
  return {{"measured", value_json(measured)},
          {"predicted", value_json(predicted)},
          {"error", value_json(error)}};
}

json compared_point_json(const ComparedPoint& point) {
  const MeasuredPoint& measured = point.measured;
  const Prediction& predicted = point.predicted;
  return {
      {"table", measured.table},
      {"line", measured.line},
      {"order", measured.order},
      {"tiles", text_or_null(measured.tiles)},
      {"permutation", point.permutation},
      {"baseline", point.baseline},
      {"sampled", predicted.kind.sampled},
      {"limited_by", text_or_null(predicted.kind.limited_by)},
      {"unequal_tiles", predicted.kind.unequal_tiles},
      {"idle_blocks", text_or_null(point.note)},
      {"l2_hit_pct", compared(measured.l2_hit_pct, predicted.l2_hit_pct, point.l2_error())},
      {"last_level_hit_pct", compared(measured.last_level_hit_pct, predicted.last_level_hit_pct,
                                      point.last_level_error())},
      {"dram_read_mb",
       compared(measured.dram_read_mb, predicted.dram_read_mb, point.dram_read_error_pct())},
      {"speedup", compared(point.measured_speedup, predicted.speedup, point.speedup_error_pct())},
      {"time_us", compared(measured.time_us, predicted.time_us, point.time_error_pct())},
      {"wrong_sign", point.wrong_sign()},
      {"harmful", point.harmful()},
      {"source", text_or_null(measured.source)},
      {"note", text_or_null(measured.note)}};
}

json fastest_json(const ComparedGroup& group) {
  if (!group.fastest_measured) return nullptr;
  return {{"measured", group.points[*group.fastest_measured].measured.order},
          {"predicted", group.points[*group.fastest_predicted].measured.order},
          {"right", group.fastest_right()}};
}

json group_json(const ComparedGroup& group) {
  return {{"job", group.job},
          {"family", group.family()},
          {"kernel", group.kernel},
          {"grid", group.grid},
          {"set", group.overrides},
          {"gpu", group.gpu},
          {"gpu_title", group.gpu_title},
          {"points", list_json(group.points, compared_point_json)},
          {"l2_rank_correlation", value_json(group.l2_rank)},
          {"last_level_rank_correlation", value_json(group.last_level_rank)},
          {"time_rank_correlation", value_json(group.time_rank)},
          {"regret_pct", value_json(group.regret_pct)},
          {"baseline_regret_pct", value_json(group.baseline_regret_pct)},
          {"fastest", fastest_json(group)}};
}

json place_json(PointPlace place) {
  return {{"group", place.group}, {"point", place.point}};
}

json placed_errors_json(const ErrorScore& score) {
  json errors = errors_json(score);
  if (score.count > 0) errors["worst"] = place_json(score.worst);
  return errors;
}

json mean_json(const GroupMean& mean) {
  if (mean.count == 0) return nullptr;
  return {{"groups", mean.count}, {"mean", mean.mean}};
}

json places_json(const std::vector<PointPlace>& places) {
  return list_json(places, [](PointPlace place) { return place_json(place); });
}

json point_score_json(const PointScore& score) {
  return {{"points", score.points},
          {"l2_hit_pct", placed_errors_json(score.l2)},
          {"last_level_hit_pct", placed_errors_json(score.last_level)},
          {"dram_read_pct", placed_errors_json(score.dram_read)},
          {"small_dram_read_mb", placed_errors_json(score.small_dram_read)},
          {"speedup_pct", placed_errors_json(score.speedup)},
          {"speedup_of_others_pct", placed_errors_json(score.speedup_others)},
          {"time_pct", placed_errors_json(score.time)},
          {"l2_rank_correlation", mean_json(score.l2_rank)},
          {"time_rank_correlation", mean_json(score.time_rank)},
          {"regret_pct", mean_json(score.regret_pct)},
          {"baseline_regret_pct", mean_json(score.baseline_regret_pct)},
          {"clear_effects", score.clear_effects},
          {"wrong_signs", places_json(score.wrong_signs)},
          {"predicted_gains", score.gains},
          {"harmful", places_json(score.harmful)}};
}

json family_score_json(const FamilyScore& score) {
  json written = point_score_json(score);
  written["family"] = score.family;
  return written;
}

json coverage_json(const FigureCoverage& coverage) {
  return {{"figure", figure_text(coverage.figure)},
          {"interval_pct", 100 * share_of(coverage.figure)},
          {"points", coverage.points},
          {"inside", coverage.inside}};
}

json decision_json(const GroupDecision& decision) {
  static constexpr const char* kAnswers[] = {"faster", "measure", "leave"};
  return {{"group", decision.group},
          {"answer", kAnswers[static_cast<std::size_t>(decision.answer)]},
          {"chosen", decision.chosen ? json(*decision.chosen) : json(nullptr)},
          {"to_measure", decision.to_measure},
          {"best_speedup", decision.best},
          {"speedup", decision.taken},
          {"unmeasured_speedup", decision.unmeasured},
          {"regret_pct", decision.regret_pct()},
          {"measured_regret_pct", decision.measured_regret_pct()},
          {"harmful", decision.harmful()}};
}

json gpu_score_json(const GpuScore& score) {
  json written = point_score_json(score);
  written["gpu"] = score.gpu;
  written["coverage"] = list_json(score.coverage, coverage_json);
  written["decisions"] = list_json(score.decisions, decision_json);
  written["families"] = list_json(score.families, family_score_json);
  return written;
}

json breach_json(const LimitBreach& breach) {
  return {
      {"what", breach.what},   {"unit", breach.unit},
      {"limit", breach.limit}, {"value", breach.value},
      {"gpu", breach.gpu},     {"place", breach.place ? place_json(*breach.place) : json(nullptr)}};
}

}  // namespace

json errors_json(const ErrorScore& score) {
  if (score.count == 0) return nullptr;
  return {{"points", score.count}, {"mean", score.mean}, {"largest", score.largest}};
}

json validation_json(const ValidationReport& report) {
  const ValidationLimits& limits = report.limits;
  return {{"version", kValidationVersion},
          {"tables", report.tables},
          {"groups", list_json(report.groups, group_json)},
          {"scores", list_json(report.scores, gpu_score_json)},
          {"limits",
           {{"max_mean", value_json(limits.mean_points)},
            {"max_error", value_json(limits.largest_points)},
            {"max_dram_mean", value_json(limits.dram_mean_pct)},
            {"max_dram_error", value_json(limits.dram_error_pct)},
            {"max_speedup_error", value_json(limits.speedup_error_pct)}}},
          {"exceeded", list_json(report.breaches, breach_json)}};
}

}  // namespace heddle::report
