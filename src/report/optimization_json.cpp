#include "report/optimization_json.h"

#include "report/check_report.h"
#include "report/clean_text.h"
#include "report/independence_report.h"
#include "report/json_values.h"
#include "report/measurement_report.h"
#include "report/optimization_facts.h"
#include "report/simulation_counters.h"
#include "report/simulation_report.h"
#include "report/tile_space_report.h"
#include "report/trace_report.h"
#include "report/tuning_report.h"
#include "support/lists.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kOptimizationVersion = 1;
constexpr const char* kHowToAnswer =
    "Print orders to standard output, separated by empty lines. An order is either Triton lines "
    "that assign the tile index from tl.program_id and tl.num_programs, such as 'pid = "
    "tl.program_id(0)', or the compact form, such as 'xcd(8) | group(4)'. Each must compute every "
    "tile exactly once; one that does not is refuted with a counterexample and never replayed. "
    "Print nothing to stop.";

/// Rule 3, for every string and key.
json in_utf8(const json& value) {
  if (value.is_string()) return valid_utf8(value.get_ref<const std::string&>());
  if (value.is_array()) {
    json result = json::array();
    for (const json& entry : value) result.push_back(in_utf8(entry));
    return result;
  }
  if (!value.is_object()) return value;
  json result = json::object();
  for (const auto& [key, entry] : value.items()) result[valid_utf8(key)] = in_utf8(entry);
  return result;
}

/// The totals of a replay.
json totals_json(const std::optional<SimResult>& result) {
  if (!result) return nullptr;
  const CacheCounts& l2 = result->l2.cache;
  return {{"time_us", result->time_us},
          {"l2_hit_rate_pct", l2.requests > 0 ? json(l2.hit_rate_pct()) : json(nullptr)},
          {"hbm_read_bytes", result->hbm_read_bytes},
          {"hbm_write_bytes", result->hbm_write_bytes},
          {"by_cause", value_json(result->causes)},
          {"limited_by", text_or_null(result->limited_by)},
          {"sampled", result->sample.sampled}};
}

json best_json(const OptimizationReport& report) {
  const BestOrder& best = report.best;
  return {
      {"formula", best.formula},
      {"setting", text_or_null(best.setting)},
      {"triton", text_or_null(best.triton)},
      {"hip", text_or_null(best.hip)},
      {"cuda", text_or_null(best.cuda)},
      {"opencl", text_or_null(best.opencl)},
      {"verdict", value_json(best.verdict)},
      {"sizes", sizes_text(best.sizes)},
      {"scope", text_or_null(best.scope)},
      {"iteration", best.iteration},
      {"predicted", simulation_json(best.predicted, report.job)},
      {"predicted_speedup", best.speedup},
      {"predicted_speedup_interval", value_json(speedup_interval(best.speedup, best.predicted))},
      {"measured", value_json(best.measured)}};
}

json bound_json(const OptimizationReport& report) {
  const SimResult& baseline = report.baseline;
  const bool is_known = baseline.bound_bytes > 0;
  return {{"bytes", is_known ? json(baseline.bound_bytes) : json(nullptr)},
          {"hit_rate_pct", is_known ? json(baseline.bound_hit_rate_pct) : json(nullptr)},
          {"best_bytes_ratio", value_json(bytes_ratio(report.best.predicted))},
          {"baseline_bytes_ratio", value_json(bytes_ratio(baseline))}};
}

json iteration_json(const OrderAttempt& attempt) {
  return {{"iteration", attempt.iteration},
          {"proposer", attempt.proposer},
          {"formula", attempt.formula},
          {"said", text_or_null(attempt.said)},
          {"verdict", verdict_text(attempt.verdict)},
          {"sizes", value_json(attempt.sizes)},
          {"reason", text_or_null(attempt.reason)},
          {"counterexample", counterexample_json(attempt.counterexample)},
          {"same_as", value_json(attempt.same_as)},
          {"fidelity", text_or_null(attempt.fidelity)},
          {"predicted", totals_json(attempt.predicted)},
          {"predicted_speedup", value_json(attempt.speedup)},
          {"measured", value_json(attempt.measured)},
          {"rejected", text_or_null(attempt.rejected)},
          {"from_history", attempt.from_history}};
}

/// What a proposer gave to a search, of the orders that were judged.
json contribution_json(const OptimizationReport& report, const std::string& proposer) {
  int judged = 0, proved = 0, refuted = 0, unknown = 0, repeated = 0;
  const OrderAttempt* best = nullptr;
  for (const OrderAttempt& attempt : report.attempts) {
    if (attempt.proposer != proposer) continue;
    ++judged;
    proved += attempt.verdict == Verdict::proved;
    refuted += attempt.verdict == Verdict::refuted;
    unknown += attempt.verdict == Verdict::unknown;
    repeated += attempt.same_as.has_value();
    if (attempt.speedup && !attempt.same_as &&
        (best == nullptr || *attempt.speedup > *best->speedup))
      best = &attempt;
  }
  return {{"proposer", proposer},
          {"judged", judged},
          {"proved", proved},
          {"refuted", refuted},
          {"unknown", unknown},
          {"repeated", repeated},
          {"best_iteration", best != nullptr ? json(best->iteration) : json(nullptr)},
          {"best_predicted_speedup", best != nullptr ? json(*best->speedup) : json(nullptr)},
          {"is_answer", best != nullptr && best->iteration == report.best.iteration}};
}

json contributions_json(const OptimizationReport& report) {
  std::vector<std::string> names;
  for (const OrderAttempt& attempt : report.attempts)
    if (!is_one_of(attempt.proposer, names)) names.push_back(attempt.proposer);
  for (const std::string& name : report.search.proposers)
    if (!is_one_of(name, names)) names.push_back(name);
  json list = json::array();
  for (const std::string& name : names) list.push_back(contribution_json(report, name));
  return list;
}

// ---- feedback -----------------------------------------------------------------------------------

json memory_json(const TraceReport& memory) {
  json accesses = json::array();
  for (const AccessSummary& access : memory.accesses)
    accesses.push_back(access_json(memory, access));
  return {{"line_bytes", memory.line_bytes},
          {"tiles", memory.tiles},
          {"tiles_traced", memory.tiles_traced},
          {"bytes", memory.total_bytes()},
          {"distinct_lines", value_json(memory.distinct_lines())},
          {"accesses", accesses}};
}

json gpu_json(const GpuFacts& gpu) {
  return {
      {"name", gpu.name},
      {"title", text_or_null(gpu.title)},
      {"mode", text_or_null(gpu.mode)},
      {"dies", gpu.dies},
      {"compute_units", gpu.compute_units},
      {"l2_bytes", gpu.l2_bytes},
      {"line_bytes", gpu.line_bytes},
      {"last_level_bytes", gpu.last_level_bytes > 0 ? json(gpu.last_level_bytes) : json(nullptr)}};
}

/// Totals, the bound, counters and how balanced the dies are.
json replay_json(const SimResult& result) {
  json counters = json::object();
  for (const NamedCounter& counter : launch_counters(result))
    counters[counter.name] = counter.value;
  json utilization = json::object();
  for (const Utilization& entry : result.utilization) utilization[entry.resource] = entry.percent;
  json replay = totals_json(result);
  replay.update(
      {{"moved_bytes", moved_bytes(result)},
       {"bound_bytes", result.bound_bytes},
       {"dies_by_time", result.dies.empty() ? json(nullptr) : json(die_time_imbalance(result))},
       {"utilization", utilization.empty() ? json(nullptr) : utilization},
       {"counters", counters}});
  return replay;
}

json attempt_json(const OrderAttempt& attempt) {
  return {{"iteration", attempt.iteration},
          {"proposer", attempt.proposer},
          {"formula", attempt.formula},
          {"verdict", verdict_text(attempt.verdict)},
          {"reason", text_or_null(attempt.reason)},
          {"counterexample",
           attempt.counterexample ? json(attempt.counterexample->message) : json(nullptr)},
          {"distinct_tiles", attempt.distinct_tiles},
          {"same_as", value_json(attempt.same_as)},
          {"predicted", attempt.predicted ? replay_json(*attempt.predicted) : json(nullptr)},
          {"predicted_speedup", value_json(attempt.speedup)},
          {"measured", value_json(attempt.measured)},
          {"rejected", text_or_null(attempt.rejected)}};
}

}  // namespace

json optimization_json(const OptimizationReport& report) {
  return in_utf8({{"version", kOptimizationVersion},
                  {"gpu", report.gpu.name},
                  {"job", report.job},
                  {"kernel", report.kernel},
                  {"grid", report.grid},
                  {"baseline", simulation_json(report.baseline, report.job)},
                  {"tile_space", report.memory.space ? tile_space_json(*report.memory.space, false)
                                                     : json(nullptr)},
                  {"best", best_json(report)},
                  {"tuning", tuning_json(report)},
                  {"shapes", shapes_json(report)},
                  {"bound", bound_json(report)},
                  {"iterations", list_json(report.attempts, iteration_json)},
                  {"measurements", list_json(report.measurements, measurement_json)},
                  {"search", value_json(report.search)},
                  {"contributions", contributions_json(report)},
                  {"model", value_json(report.model)},
                  {"independence", independence_json(report.independence)},
                  {"answer", answer_text(report.answer)},
                  {"reason", text_or_null(report.reason)},
                  {"to_measure", report.to_measure},
                  {"notes", report.notes}});
}

json feedback_json(const OptimizationReport& so_far, int round) {
  return in_utf8({{"version", kOptimizationVersion},
                  {"round", round},
                  {"kernel", so_far.kernel},
                  {"grid", so_far.grid},
                  {"memory", memory_json(so_far.memory)},
                  {"gpu", gpu_json(so_far.gpu)},
                  {"baseline", replay_json(so_far.baseline)},
                  {"best",
                   {{"iteration", so_far.best.iteration},
                    {"formula", so_far.best.formula},
                    {"predicted", replay_json(so_far.best.predicted)},
                    {"predicted_speedup", so_far.best.speedup}}},
                  {"attempts", list_json(so_far.attempts, attempt_json)},
                  {"how_to_answer", kHowToAnswer}});
}

}  // namespace heddle::report
