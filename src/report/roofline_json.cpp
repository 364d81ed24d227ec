#include "report/clean_text.h"
#include "report/json_values.h"
#include "report/roofline_report.h"
#include "report/roofline_words.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kRooflineVersion = 1;

json ceilings_json(const RooflineCeilings& ceilings) {
  json bandwidths = json::array();
  for (const BandwidthCeiling& one : ceilings.bandwidths)
    bandwidths.push_back({{"level", one.level}, {"gb_per_s", one.gb_per_s}});
  json rates = json::array();
  for (const ComputeCeiling& one : ceilings.rates)
    rates.push_back({{"type", one.type}, {"matrix", one.matrix}, {"gflop_per_s", one.gflop_per_s}});
  return {{"source", ceilings.source.empty() ? json(nullptr) : json(valid_utf8(ceilings.source))},
          {"bandwidths", bandwidths},
          {"rates", rates}};
}

json limits_json(const RooflineReport& report, const RooflinePoint& point) {
  json limits = json::object();
  for (const std::string& level : report.levels) {
    const RooflineLimit limit = roofline_limit(report.ceilings(), all_types(report), level, point);
    if (!limit.roof.empty())
      limits[level] = {{"roof", limit.roof}, {"share", limit.share}, {"above", limit.over}};
  }
  return limits;
}

json point_json(const RooflineReport& report, const LetteredPoint& lettered) {
  const RooflinePoint& point = *lettered.point;
  json result = {{"letter", lettered.letter},
                 {"kernel", valid_utf8(point.kernel)},
                 {"dispatch", value_json(point.dispatch)},
                 {"calls", point.calls},
                 {"total_ns", point.total_ns}};
  const std::string why = why_not_drawn(point);
  result["not_drawn"] = why.empty() ? json(nullptr) : json(valid_utf8(why));
  if (!point.missing.empty()) return result;
  const auto intensity = [](double value) { return value > 0 ? json(value) : json(nullptr); };
  result["gflop_per_s"] = point.gflop_per_s;
  result["duration_ns"] = point.duration_ns;
  result["flops"] = point.flops;
  result["intensity_l1"] = intensity(point.intensity_l1);
  result["intensity_l2"] = intensity(point.intensity_l2);
  result["intensity_hbm"] = intensity(point.intensity_hbm);
  result["limits"] = limits_json(report, point);
  return result;
}

json chart_json(const RooflineReport& report, const std::vector<std::string>& types) {
  json lines = json::array();
  for (const RooflineLine& line : chart_lines(report, types, chart_axes(report, types)))
    lines.push_back({{"name", roof_name(line)},
                     {"from", {line.x_from, line.y_from}},
                     {"to", {line.x_to, line.y_to}},
                     {"ceiling", line.ceiling}});
  return {{"types", types}, {"lines", lines}};
}

}  // namespace

json roofline_json(const RooflineReport& report) {
  json runs = json::array();
  for (const RooflineRun& run : report.runs)
    runs.push_back({{"name", valid_utf8(run.name)},
                    {"ceilings", ceilings_json(run.ceilings)},
                    {"points", json::array()}});
  for (const LetteredPoint& lettered : lettered_points(report))
    runs[lettered.run]["points"].push_back(point_json(report, lettered));
  json charts = json::array();
  for (const auto& types : report.charts) charts.push_back(chart_json(report, types));
  json notes = json::array();
  for (const ProfileNote& note : report.notes)
    notes.push_back({{"where", valid_utf8(note.where)}, {"what", valid_utf8(note.what)}});
  return {{"version", kRooflineVersion}, {"runs", runs}, {"charts", charts}, {"notes", notes}};
}

}  // namespace heddle::report
