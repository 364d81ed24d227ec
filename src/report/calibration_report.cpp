#include "report/calibration_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json_values.h"
#include "report/validation_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kCalibrationVersion = 1;
constexpr double kShownGain = 0.005;  ///< what reads as 0.00

std::string gains_text(const CalibrationReport& report, const FittedParameter& parameter) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < parameter.gains.size(); ++i) {
    if (std::abs(parameter.gains[i]) >= kShownGain)
      parts.push_back(fmt::format("{} {:+.2f}", report.kernels[i], parameter.gains[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string parameter_lines(const CalibrationReport& report) {
  std::string text;
  std::vector<std::string> kept;
  for (const FittedParameter& parameter : report.parameters) {
    if (!parameter.refused.empty())
      text +=
          labelled("refused", fmt::format("{} = {}: {} one kernel alone", parameter.key,
                                          fmt::join(parameter.refused, ", "),
                                          parameter.refused.size() > 1 ? "each helps" : "helps"));
    if (!parameter.changed() && parameter.refused.empty()) kept.push_back(parameter.key);
    if (!parameter.changed()) continue;
    text += labelled("changed", fmt::format("{} = {}, was {}", parameter.key, parameter.after,
                                            parameter.before));
    const std::string gains = gains_text(report, parameter);
    if (!gains.empty()) text += labelled("", "worth, in each kernel's loss: " + gains);
  }
  if (!kept.empty()) text += labelled("kept", fmt::format("{}", fmt::join(kept, ", ")));
  return text;
}

std::string before_after(const ErrorScore& before, const ErrorScore& after, const char* unit) {
  return fmt::format("mean error {:.1f} -> {:.1f} {}, largest {:.1f} -> {:.1f}; {}", before.mean,
                     after.mean, unit, before.largest, after.largest,
                     count_of(before.count, "point"));
}

std::string score_lines(const CalibrationReport& report) {
  if (!report.after) return {};
  const GpuScore& before = report.before;
  const GpuScore& after = *report.after;
  std::string text;
  const auto add = [&](const char* label, const ErrorScore& first, const ErrorScore& second,
                       const char* unit) {
    if (first.count > 0) text += labelled(label, before_after(first, second, unit));
  };
  add("L2 hit rate", before.l2, after.l2, "points");
  add("last level", before.last_level, after.last_level, "points");
  add("speedup", before.speedup, after.speedup, "%");
  return text;
}

std::string left_out_lines(const CalibrationReport& report) {
  std::string text;
  for (const LeftOutKernel& kernel : report.left_out) {
    std::string label = "left out";
    const auto add = [&](const char* what, const char* unit, const LeftOutErrors& errors) {
      if (errors.count == 0) return;
      text += labelled(
          label, fmt::format("{}: mean error{} {:.1f} {} by numbers fitted to the "
                             "others, {:.1f} to all, {:.1f} by the file's",
                             kernel.kernel, what, errors.others, unit, errors.fitted, errors.file));
      label.clear();
    };
    add("", "points", kernel.l2);
    add(" of speedups", "%", kernel.speedup);
  }
  std::vector<std::string> means;
  if (const auto mean = report.left_out_mean(&LeftOutKernel::l2))
    means.push_back(fmt::format("{:.1f} points", *mean));
  if (const auto mean = report.left_out_mean(&LeftOutKernel::speedup))
    means.push_back(fmt::format("{:.1f} % of speedups", *mean));
  if (!means.empty())
    text += labelled("", fmt::format("mean over left-out kernels {}", fmt::join(means, ", ")));
  return text;
}

json left_out_json(const LeftOutErrors& errors) {
  if (errors.count == 0) return nullptr;
  return {{"points", errors.count},
          {"mean_error_by_file", errors.file},
          {"mean_error_fitted_to_all", errors.fitted},
          {"mean_error_fitted_to_others", errors.others}};
}

std::string search_line(const CalibrationReport& report) {
  std::string text = count_of(report.evaluations, "setting") + " looked at";
  if (report.loss_before && report.loss_after)
    text += fmt::format(", loss {:.3f} -> {:.3f}", *report.loss_before, *report.loss_after);
  return labelled("search", text + (report.interrupted ? "; interrupted" : ""));
}

json score_json(const GpuScore& score) {
  return {{"l2_hit_pct", errors_json(score.l2)},
          {"last_level_hit_pct", errors_json(score.last_level)},
          {"speedup_pct", errors_json(score.speedup)},
          {"wrong_signs", score.wrong_signs.size()}};
}

json parameter_json(const CalibrationReport& report, const FittedParameter& parameter) {
  json gains = json::object();
  for (std::size_t i = 0; i < parameter.gains.size(); ++i)
    gains[report.kernels[i]] = parameter.gains[i];
  return {{"key", parameter.key},
          {"why", parameter.why},
          {"values", parameter.values},
          {"before", parameter.before},
          {"after", parameter.after},
          {"changed", parameter.changed()},
          {"gains", gains},
          {"refused", parameter.refused}};
}

}  // namespace

std::string calibration_text(const CalibrationReport& report, const Style& style) {
  const auto kernels = static_cast<std::int64_t>(report.kernels.size());
  std::string text =
      headline(style.bold(report.gpu),
               fmt::format("{}{}, {} of {}", report.gpu_title,
                           report.mode.empty() ? "" : ", mode " + report.mode,
                           count_of(report.points, "point"), count_of(kernels, "kernel")));
  text += parameter_lines(report) + search_line(report);
  text += score_lines(report) + left_out_lines(report);
  if (!report.checked)
    text += labelled("not checked",
                     "whether a change helps one kernel alone: interrupted before. A file that is "
                     "written does not call itself calibrated");
  if (!report.changed())
    text += labelled("result", report.interrupted
                                   ? "interrupted before anything better was found"
                                   : "nothing explains the points better: the file stays as it is");
  return text;
}

json calibration_json(const CalibrationReport& report) {
  json parameters = json::array();
  for (const FittedParameter& parameter : report.parameters)
    parameters.push_back(parameter_json(report, parameter));
  json left_out = json::array();
  for (const LeftOutKernel& kernel : report.left_out)
    left_out.push_back({{"kernel", kernel.kernel},
                        {"l2_hit_pct", left_out_json(kernel.l2)},
                        {"speedup_pct", left_out_json(kernel.speedup)}});
  return {{"version", kCalibrationVersion},
          {"gpu", report.gpu},
          {"gpu_title", report.gpu_title},
          {"mode", text_or_null(report.mode)},
          {"tables", report.tables},
          {"points", report.points},
          {"kernels", report.kernels},
          {"parameters", parameters},
          {"evaluations", report.evaluations},
          {"loss_before", value_json(report.loss_before)},
          {"loss_after", value_json(report.loss_after)},
          {"before", score_json(report.before)},
          {"after", report.after ? score_json(*report.after) : json(nullptr)},
          {"left_out", left_out},
          {"left_out_mean", value_json(report.left_out_mean(&LeftOutKernel::l2))},
          {"left_out_speedup_mean", value_json(report.left_out_mean(&LeftOutKernel::speedup))},
          {"interrupted", report.interrupted},
          {"checked", report.checked}};
}

}  // namespace heddle::report
