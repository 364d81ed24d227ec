#include "measure/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "agent/program/statistics.h"
#include "support/error.h"
#include "support/lists.h"

namespace heddle::measure {
namespace {

constexpr const char* kAgain = "0b";  ///< the original's second part

/// Times of two candidates of the rounds that both have.
agent::PairedTimes paired(const std::map<std::string, TimesByRound>& times,
                          const std::string& original, const std::string& candidate) {
  agent::PairedTimes pairs;
  const auto first = times.find(original);
  const auto second = times.find(candidate);
  if (first == times.end() || second == times.end()) return pairs;
  for (const auto& [round, time] : first->second) {
    const auto found = second->second.find(round);
    if (found == second->second.end()) continue;
    pairs.original.push_back(time);
    pairs.candidate.push_back(found->second);
  }
  return pairs;
}

Difference difference_of(agent::Difference difference) {
  if (difference == agent::Difference::faster) return Difference::faster;
  return difference == agent::Difference::slower ? Difference::slower : Difference::none;
}

double noise_of(const std::map<std::string, TimesByRound>& times) {
  const agent::PairedTimes pairs = paired(times, "0", kAgain);
  if (pairs.original.empty()) return 0;
  return std::abs(agent::ratio_of(pairs, 1).ratio - 1);
}

std::optional<MeasuredTimes> times_of(const std::map<std::string, TimesByRound>& times,
                                      const std::string& candidate, int comparisons) {
  const agent::PairedTimes pairs = paired(times, "0", candidate);
  if (pairs.original.empty()) return std::nullopt;
  const agent::RatioInterval interval = agent::ratio_of(pairs, comparisons);
  MeasuredTimes measured;
  measured.original_us = agent::median(pairs.original);
  measured.time_us = agent::median(pairs.candidate);
  measured.ratio = interval.ratio;
  measured.low = interval.low;
  measured.high = interval.high;
  measured.confidence = interval.confidence;
  measured.noise = noise_of(times);
  measured.rounds = static_cast<int>(pairs.original.size());
  measured.difference = difference_of(agent::difference_of(interval, measured.noise));
  return measured;
}

/// The original's own figures: there is nothing to compare them with but its second part.
std::optional<MeasuredTimes> times_of_original(const std::map<std::string, TimesByRound>& times) {
  auto measured = times_of(times, "0", 1);
  if (!measured) return std::nullopt;
  measured->ratio = measured->low = measured->high = 1;
  measured->difference = Difference::none;
  return measured;
}

/// A launch besides the first one on which the original itself failed; null: it did not.
const CheckRow* left_out(const BundleRecord& record, const AgentResults& results,
                         const std::string& launch) {
  if (record.launches.empty() || launch == record.launches.front() || launch == "-") return nullptr;
  for (const CheckRow& row : results.checks)
    if (row.candidate == 0 && row.launch == launch && row.verdict == "rejected") return &row;
  return nullptr;
}

/// The first launch and seed on which nothing was said of a candidate; empty: there is none.
std::string unchecked(const BundleRecord& record, const AgentResults& results, int candidate) {
  for (const std::string& launch : record.launches) {
    if (left_out(record, results, launch) != nullptr) continue;
    for (const std::string& seed : record.seeds) {
      const bool is_there = std::ranges::any_of(results.checks, [&](const CheckRow& row) {
        return row.candidate == candidate && row.launch == launch && row.seed == seed;
      });
      if (!is_there) return fmt::format("launch {} with seed {} was not compared", launch, seed);
    }
  }
  return {};
}

void take_checks(const BundleRecord& record, const AgentResults& results,
                 MeasuredCandidate& candidate) {
  for (const CheckRow& row : results.checks) {
    if (row.candidate != candidate.number || left_out(record, results, row.launch) != nullptr)
      continue;
    if (row.verdict == "equal") ++candidate.runs_equal;
    if (row.verdict == "close") ++candidate.runs_close;
    if (row.verdict != "rejected" || candidate.rejected) continue;
    const auto given = [](const std::string& text) { return text == "-" ? "" : text; };
    candidate.rejected = Rejection{row.kind, given(row.launch), given(row.seed), row.detail};
  }
  if (candidate.number == 0 || candidate.rejected) return;
  const std::string missing = unchecked(record, results, candidate.number);
  if (!missing.empty()) candidate.rejected = Rejection{"unchecked", "", "", missing};
}

std::vector<MeasuredCandidate> candidates_of(const BundleRecord& record,
                                             const AgentResults& results) {
  std::vector<MeasuredCandidate> candidates;
  for (std::size_t i = 0; i < record.candidates.size(); ++i) {
    const BundleCandidate& known = record.candidates[i];
    MeasuredCandidate one;
    one.number = static_cast<int>(i);
    one.title = known.title;
    one.formula = known.formula;
    one.proof = known.proof;
    one.predicted = known.predicted;
    take_checks(record, results, one);
    if (const auto found = results.compiled.find(one.number); found != results.compiled.end())
      one.compiled = found->second;
    if (const auto found = results.counters.find(one.number); found != results.counters.end())
      one.counters = found->second;
    candidates.push_back(std::move(one));
  }
  return candidates;
}

SpreadOf spread_of(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  SpreadOf spread{*least, 0, *most};
  spread.median = agent::median(std::move(values));
  return spread;
}

/// What held clocks back, of NVML's nvmlClocksThrottleReasons; being idle does not count.
std::vector<std::string> throttle_reasons(const std::string& bits) {
  static const std::map<unsigned long, std::string> names = {
      {0x2, "application clocks"}, {0x4, "power cap"},       {0x8, "hardware slowdown"},
      {0x10, "sync boost"},        {0x20, "temperature"},    {0x40, "hardware temperature"},
      {0x80, "power brake"},       {0x100, "display clocks"}};
  std::vector<std::string> reasons;
  if (!bits.starts_with("0x")) return reasons;
  const unsigned long set = std::strtoul(bits.c_str(), nullptr, 16);
  for (const auto& [bit, name] : names)
    if ((set & bit) != 0) reasons.push_back(name);
  return reasons;
}

std::optional<ClockSummary> clocks_of(const std::vector<ClockReading>& readings) {
  if (readings.empty()) return std::nullopt;
  ClockSummary summary;
  summary.readings = static_cast<int>(readings.size());
  const auto take = [&](std::optional<double> ClockReading::*figure) -> std::optional<SpreadOf> {
    std::vector<double> values;
    for (const ClockReading& reading : readings)
      if (reading.*figure) values.push_back(*(reading.*figure));
    if (values.empty()) return std::nullopt;
    return spread_of(std::move(values));
  };
  summary.sm_mhz = take(&ClockReading::sm_mhz);
  summary.memory_mhz = take(&ClockReading::memory_mhz);
  summary.temperature_c = take(&ClockReading::temperature_c);
  summary.power_w = take(&ClockReading::power_w);
  std::set<std::string> reasons;
  for (const ClockReading& reading : readings)
    for (const std::string& reason : throttle_reasons(reading.throttle)) reasons.insert(reason);
  summary.throttled.assign(reasons.begin(), reasons.end());
  return summary;
}

/// Fills in the times of the first phase, and says which candidate was the fastest there.
std::optional<int> take_times(const AgentResults& results, MeasurementReport& report) {
  const auto phase = results.phases.find("time");
  if (phase == results.phases.end()) return std::nullopt;
  const auto passed = [](const MeasuredCandidate& one) { return !one.rejected; };
  const auto comparisons =
      std::max<int>(1, static_cast<int>(std::ranges::count_if(report.candidates, passed)) - 1);
  std::optional<int> fastest;
  for (MeasuredCandidate& one : report.candidates) {
    if (one.rejected) continue;
    const std::string name = std::to_string(one.number);
    one.cold = one.number == 0 ? times_of_original(phase->second.cold)
                               : times_of(phase->second.cold, name, comparisons);
    one.warm = one.number == 0 ? times_of_original(phase->second.warm)
                               : times_of(phase->second.warm, name, comparisons);
    if (!one.cold || one.cold->difference != Difference::faster) continue;
    const auto& best = report.candidates[static_cast<std::size_t>(fastest.value_or(0))];
    if (!fastest || one.cold->ratio > best.cold->ratio) fastest = one.number;
  }
  if (phase->second.stable == false)
    report.notes.emplace_back("times did not come to rest in the warm-up");
  return fastest;
}

/// Which candidate the second phase is about.
std::optional<int> confirmed_candidate(const PhaseTimes& phase) {
  for (const auto& [name, times] : phase.cold)
    if (name != "0" && name != kAgain) return std::stoi(name);
  return std::nullopt;
}

void choose_winner(const AgentResults& results, std::optional<int> fastest,
                   MeasurementReport& report) {
  const auto phase = results.phases.find("confirm");
  if (!fastest) return;
  if (phase == results.phases.end()) {
    report.not_confirmed = "it was not measured again in a fresh process";
    return;
  }
  const auto candidate = confirmed_candidate(phase->second);
  if (candidate != fastest) {
    report.not_confirmed =
        fmt::format("candidate {} was the fastest, and the second times are not its", *fastest);
    return;
  }
  report.confirmed_cold = times_of(phase->second.cold, std::to_string(*candidate), 1);
  report.confirmed_warm = times_of(phase->second.warm, std::to_string(*candidate), 1);
  if (report.confirmed_cold && report.confirmed_cold->difference == Difference::faster) {
    report.winner = candidate;
    report.answer = MeasuredAnswer::faster;
  } else {
    report.not_confirmed = fmt::format(
        "candidate {} was faster at first, and was not when it was measured afresh", *candidate);
  }
}

/// Launches and seeds of comparisons, and launches that were left out.
void name_runs(const BundleRecord& record, const AgentResults& results, MeasurementReport& report) {
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (name.empty() || name == "-") return;
    if (!is_one_of(name, names)) names.push_back(name);
  };
  for (const CheckRow& row : results.checks) {
    const CheckRow* failed = left_out(record, results, row.launch);
    if (failed == &row)
      report.notes.push_back(
          fmt::format("outputs were not compared on launch {}: the original failed on it ({}: {})",
                      row.launch, row.kind, row.detail));
    if (failed != nullptr) continue;
    add(report.launches, row.launch);
    add(report.seeds, row.seed);
  }
}

}  // namespace

MeasurementReport judge(const BundleRecord& record, const AgentResults& results) {
  MeasurementReport report;
  report.job = record.job;
  report.gpu = record.gpu;
  report.kernel = record.function;
  report.machine = results.machine;
  for (const auto& [key, text] : results.machine)
    if (key == "device") report.device = text;
  report.candidates = candidates_of(record, results);
  if (report.candidates.front().rejected)
    throw Error(fmt::format("nothing was measured: the original is rejected: {}",
                            report.candidates.front().rejected->detail),
                "look whether the job describes the kernel rightly", ExitCode::target_failed);
  report.counters_reason = results.counters_reason;
  report.clocks = clocks_of(results.clocks);
  name_runs(record, results, report);
  const std::optional<int> fastest = take_times(results, report);
  const bool is_any = std::any_of(report.candidates.begin() + 1, report.candidates.end(),
                                  [](const MeasuredCandidate& one) { return !one.rejected; });
  if (!is_any)
    report.answer = MeasuredAnswer::nothing_passed;
  else if (!results.phases.contains("time"))
    report.answer = MeasuredAnswer::not_timed;
  choose_winner(results, fastest, report);
  return report;
}

MeasurementReport read_measurement(const std::string& folder) {
  const BundleRecord record = read_record(folder);
  MeasurementReport report =
      judge(record, read_results(folder, static_cast<int>(record.candidates.size())));
  report.folder = folder;
  return report;
}

}  // namespace heddle::measure
