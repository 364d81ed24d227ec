#include "report/calibration_report.h"

#include <fmt/format.h>

#include <cmath>

#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
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
    if (parameter.refused)
      text +=
          labelled("refused", fmt::format("{}: changing it helps one kernel alone", parameter.key));
    if (!parameter.changed() && !parameter.refused) kept.push_back(parameter.key);
    if (!parameter.changed()) continue;
    text += labelled("changed", fmt::format("{} = {}, was {}", parameter.key, parameter.after,
                                            parameter.before));
    const std::string gains = gains_text(report, parameter);
    if (!gains.empty()) text += labelled("", "worth, in loss: " + gains);
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
  for (const LeftOutKernel& kernel : report.left_out)
    text += labelled("left out", fmt::format("{}: mean error {:.1f} points by numbers fitted to "
                                             "the others, {:.1f} to all, {:.1f} by the file's",
                                             kernel.kernel, kernel.left_out_error,
                                             kernel.fitted_error, kernel.file_error));
  if (const auto mean = report.left_out_mean())
    text += labelled("", fmt::format("mean over kernels {:.1f} points", *mean));
  return text;
}

json errors_json(const ErrorScore& score) {
  if (score.count == 0) return nullptr;
  return {{"points", score.count}, {"mean", score.mean}, {"largest", score.largest}};
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
  std::string text = fmt::format("{}  {}, {} of {}\n", style.bold(report.gpu), report.gpu_title,
                                 count_of(report.points, "point"), count_of(kernels, "kernel"));
  text += parameter_lines(report);
  text +=
      labelled("search", fmt::format("{} looked at, loss {:.3f} -> {:.3f}{}",
                                     count_of(report.evaluations, "setting"), report.loss_before,
                                     report.loss_after, report.interrupted ? "; interrupted" : ""));
  text += score_lines(report) + left_out_lines(report);
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
                        {"points", kernel.points},
                        {"mean_error_by_file", kernel.file_error},
                        {"mean_error_fitted_to_all", kernel.fitted_error},
                        {"mean_error_fitted_to_others", kernel.left_out_error}});
  const std::optional<double> mean = report.left_out_mean();
  return {{"version", kVersion},
          {"gpu", report.gpu},
          {"gpu_title", report.gpu_title},
          {"mode", report.mode.empty() ? json(nullptr) : json(report.mode)},
          {"tables", report.tables},
          {"points", report.points},
          {"kernels", report.kernels},
          {"parameters", parameters},
          {"evaluations", report.evaluations},
          {"loss_before", report.loss_before},
          {"loss_after", report.loss_after},
          {"before", score_json(report.before)},
          {"after", report.after ? score_json(*report.after) : json(nullptr)},
          {"left_out", left_out},
          {"left_out_mean", mean ? json(*mean) : json(nullptr)},
          {"interrupted", report.interrupted}};
}

}  // namespace heddle::report
