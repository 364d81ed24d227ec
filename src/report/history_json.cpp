#include "report/history_report.h"

#include "report/json_values.h"
namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kHistoryVersion = 1;

json run_json(const HistoryRun& run) {
  return {{"id", run.id},
          {"started", run.started},
          {"job", run.job},
          {"kernel", run.kernel},
          {"grid", run.grid},
          {"work_hash", run.work_hash},
          {"gpu", run.gpu},
          {"gpu_hash", run.gpu_hash},
          {"model", run.model},
          {"attempts", run.attempts},
          {"answer", run.answer ? json(answer_text(*run.answer)) : json(nullptr)},
          {"best", text_or_null(run.best_title)},
          {"speedup", value_or_null(run.speedup)},
          {"search_end", run.end ? json(search_end_text(*run.end)) : json(nullptr)}};
}

json id_or_null(const std::optional<LaunchId>& id) {
  return id ? json(id->value) : json(nullptr);
}

json counterexample_json(const std::optional<Counterexample>& example) {
  if (!example) return nullptr;
  return {{"kind", kind_text(example->kind)},
          {"grid", example->grid},
          {"first", id_or_null(example->first)},
          {"second", id_or_null(example->second)},
          {"tile", example->tile ? json(example->tile->value) : json(nullptr)},
          {"index", example->index},
          {"message", example->message}};
}

json prediction_json(const std::optional<SimResult>& result) {
  if (!result) return nullptr;
  return {{"time_us", result->time_us},
          {"limited_by", result->limited_by},
          {"l1_hit_rate_pct", result->l1.cache.hit_rate_pct()},
          {"l2_requests", result->l2.cache.requests},
          {"l2_hits", result->l2.cache.hits},
          {"l2_hit_rate_pct", result->l2.cache.hit_rate_pct()},
          {"fabric_read_bytes", result->l2.read_bytes()},
          {"fabric_write_bytes", result->l2.write_bytes()},
          {"hbm_read_bytes", result->hbm_read_bytes},
          {"hbm_write_bytes", result->hbm_write_bytes},
          {"bound_hit_rate_pct", result->bound_hit_rate_pct},
          {"bound_bytes", result->bound_bytes},
          {"sampled", result->sample.sampled}};
}

json stored_attempt_json(const OrderAttempt& attempt) {
  return {{"iteration", attempt.iteration},
          {"proposer", attempt.proposer},
          {"title", attempt.title},
          {"formula", attempt.formula},
          {"idea", text_or_null(attempt.idea)},
          {"verdict", verdict_text(attempt.verdict)},
          {"reason", text_or_null(attempt.reason)},
          {"counterexample", counterexample_json(attempt.counterexample)},
          {"distinct_tiles", attempt.distinct_tiles},
          {"sizes", attempt.sizes ? json(sizes_text(*attempt.sizes)) : json(nullptr)},
          {"scope", text_or_null(attempt.scope)},
          {"same_as", value_or_null(attempt.same_as)},
          {"identity", attempt.identity},
          {"map_hash", text_or_null(attempt.map_hash)},
          {"triton", text_or_null(attempt.triton)},
          {"operations", attempt.operations},
          {"fidelity", text_or_null(attempt.fidelity)},
          {"predicted", prediction_json(attempt.predicted)},
          {"speedup", value_or_null(attempt.speedup)},
          {"finalist", attempt.finalist},
          {"from_history", attempt.from_history}};
}

json attempt_or_null(const std::optional<OrderAttempt>& attempt) {
  return attempt ? stored_attempt_json(*attempt) : json(nullptr);
}

}  // namespace

json history_list_json(const HistoryListing& listing) {
  return {{"version", kHistoryVersion},
          {"path", listing.path},
          {"runs", list_json(listing.runs, run_json)}};
}

json history_run_json(const HistoryRunReport& report) {
  return {{"version", kHistoryVersion},
          {"path", report.path},
          {"run", run_json(report.run)},
          {"attempts", list_json(report.attempts, stored_attempt_json)}};
}

json history_comparison_json(const HistoryComparison& comparison) {
  json orders = json::array();
  for (const ComparedOrder& order : comparison.orders)
    orders.push_back({{"title", order.title},
                      {"before", attempt_or_null(order.before)},
                      {"after", attempt_or_null(order.after)},
                      {"change_pct", value_or_null(order.change_pct)}});
  return {{"version", kHistoryVersion},
          {"path", comparison.path},
          {"before", run_json(comparison.before)},
          {"after", run_json(comparison.after)},
          {"differ", comparison.differ},
          {"orders", orders}};
}

}  // namespace heddle::report
