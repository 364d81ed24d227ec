#include "report/independence_report.h"
#include "report/json_values.h"
#include "report/tile_space_report.h"
#include "report/trace_report.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kTraceVersion = 1;

json spread_json(const Spread& spread) {
  return {{"least", spread.least}, {"mean", spread.mean}, {"most", spread.most}};
}

json share_json(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? json(nullptr) : json(static_cast<double>(part) / static_cast<double>(whole));
}

json tensor_json(const TensorSummary& tensor) {
  return {{"name", tensor.name},
          {"element", tensor.element},
          {"shape", tensor.shape},
          {"bytes", tensor.bytes},
          {"read_bytes", tensor.read_bytes},
          {"written_bytes", tensor.written_bytes},
          {"touches", tensor.touches},
          {"distinct_lines", value_json(tensor.distinct_lines)}};
}

json arithmetic_json(const std::vector<ArithmeticSummary>& arithmetic) {
  json result = json::array();
  for (const ArithmeticSummary& entry : arithmetic)
    result.push_back({{"kind", entry.kind}, {"type", entry.type}, {"total", entry.total}});
  return result;
}

json faults_json(const std::vector<FaultSummary>& faults) {
  json result = json::array();
  for (const FaultSummary& fault : faults)
    result.push_back({{"kind", fault.kind},
                      {"place", place_json(fault.place)},
                      {"tensor", text_or_null(fault.tensor)},
                      {"tile", fault.tile},
                      {"count", fault.count},
                      {"tiles", fault.tiles},
                      {"detail", text_or_null(fault.detail)}});
  return result;
}

}  // namespace

json access_json(const TraceReport& report, const AccessSummary& access) {
  json neighbours = json::array();
  for (const NeighbourShare& share : access.neighbours) {
    neighbours.push_back(
        {{"axis", share.axis}, {"distance", share.distance}, {"share", share.share}});
    if (!report.axes.empty())
      neighbours.back()["name"] = report.axes[static_cast<std::size_t>(share.axis)];
  }
  constexpr int kSectorBytes = 32;
  return {{"kind", access_text(access.kind)},
          {"place", place_json(access.place)},
          {"tensor", text_or_null(access.tensor)},
          {"hint", text_or_null(access.hint)},
          {"element", access.element},
          {"shape", access.shape},
          {"tiles", access.tiles},
          {"per_tile",
           {{"instructions", spread_json(access.instructions)},
            {"bytes", spread_json(access.bytes)},
            {"lines", spread_json(access.lines)},
            {"active_lanes", spread_json(access.active)}}},
          {"elements", access.elements},
          {"runs", access.runs},
          {"bytes", access.total_bytes},
          {"lines", access.total_lines},
          {"wave_instructions", access.wave_instructions},
          {"requests", access.requests},
          {"sectors", access.sectors},
          {"line_efficiency", share_json(access.total_bytes, access.requests * report.line_bytes)},
          {"sector_efficiency", share_json(access.total_bytes, access.sectors * kSectorBytes)},
          {"distinct_lines", value_json(access.distinct_lines)},
          {"reuse", access.distinct_lines ? share_json(access.total_lines, *access.distinct_lines)
                                          : json(nullptr)},
          {"neighbours", neighbours}};
}

json trace_json(const TraceReport& report, const IndependenceReport& independence,
                const std::string& job) {
  json accesses = json::array();
  for (const AccessSummary& access : report.accesses)
    accesses.push_back(access_json(report, access));
  return {{"version", kTraceVersion},
          {"job", job},
          {"kernel", report.kernel},
          {"function", report.function},
          {"grid", report.grid},
          {"warps", report.warps},
          {"threads", report.threads.empty() ? nlohmann::json() : nlohmann::json(report.threads)},
          {"wave_lanes", report.wave_lanes},
          {"line_bytes", report.line_bytes},
          {"tiles", report.tiles},
          {"tiles_traced", report.tiles_traced},
          {"sampled_because", text_or_null(report.sampled_because)},
          {"neighbours_sampled", report.neighbours_sampled},
          {"bytes", report.total_bytes()},
          {"distinct_lines", value_json(report.distinct_lines())},
          {"accesses", accesses},
          {"tensors", list_json(report.tensors, tensor_json)},
          {"arithmetic", arithmetic_json(report.arithmetic)},
          {"faults", faults_json(report.faults)},
          {"tile_space", report.space ? tile_space_json(*report.space) : json(nullptr)},
          {"independence", independence_json(independence)}};
}

json tile_json(const TileReport& report, const std::string& job) {
  json accesses = json::array();
  for (const TileAccess& access : report.accesses)
    accesses.push_back({{"kind", access_text(access.kind)},
                        {"place", place_json(access.place)},
                        {"tensor", text_or_null(access.tensor)},
                        {"element_bytes", access.element_bytes},
                        {"elements", access.elements},
                        {"active", access.active},
                        {"bytes", access.bytes},
                        {"lines", access.lines},
                        {"requests", access.requests},
                        {"runs", access.runs},
                        {"first_runs", access.first_runs}});
  return {{"version", kTraceVersion},
          {"job", job},
          {"kernel", report.kernel},
          {"function", report.function},
          {"grid", report.grid},
          {"tile", report.tile},
          {"line_bytes", report.line_bytes},
          {"total", report.total},
          {"accesses", accesses},
          {"arithmetic", arithmetic_json(report.arithmetic)},
          {"faults", faults_json(report.faults)}};
}

}  // namespace heddle::report
