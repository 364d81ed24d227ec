#include "report/history_report.h"
#include "report/json_values.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kHistoryVersion = 1;

}  // namespace

json value_json(const SimResult& result) {
  return {{"time_us", result.time_us},
          {"limited_by", result.limited_by},
          {"l1_hit_rate_pct", result.l1.cache.hit_rate_pct()},
          {"l2_requests", result.l2.cache.requests},
          {"l2_hits", result.l2.cache.hits},
          {"l2_hit_rate_pct", result.l2.cache.hit_rate_pct()},
          {"fabric_read_bytes", result.l2.read_bytes()},
          {"fabric_write_bytes", result.l2.write_bytes()},
          {"hbm_read_bytes", result.hbm_read_bytes},
          {"hbm_write_bytes", result.hbm_write_bytes},
          {"bound_hit_rate_pct", result.bound_hit_rate_pct},
          {"bound_bytes", result.bound_bytes},
          {"sampled", result.sample.sampled}};
}

json history_list_json(const HistoryListing& listing) {
  return {{"version", kHistoryVersion}, {"path", listing.path}, {"runs", value_json(listing.runs)}};
}

json history_run_json(const HistoryRunReport& report) {
  return {{"version", kHistoryVersion},
          {"path", report.path},
          {"run", value_json(report.run)},
          {"attempts", value_json(report.attempts)}};
}

json history_comparison_json(const HistoryComparison& comparison) {
  json orders = json::array();
  for (const ComparedOrder& order : comparison.orders)
    orders.push_back({{"title", order.title},
                      {"before", value_json(order.before)},
                      {"after", value_json(order.after)},
                      {"change_pct", value_json(order.change_pct)}});
  return {{"version", kHistoryVersion},
          {"path", comparison.path},
          {"before", value_json(comparison.before)},
          {"after", value_json(comparison.after)},
          {"differ", comparison.differ},
          {"orders", orders}};
}

}  // namespace heddle::report
