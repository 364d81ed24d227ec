#include "report/optimization_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/independence_report.h"
#include "report/optimization_facts.h"
#include "report/tuning_report.h"
#include "results/decision.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestTitle = 60;
constexpr std::size_t kTitleInAnswer = 52;
constexpr std::size_t kReasonInAnswer = 90;
constexpr std::size_t kLongestReason = 400;
constexpr double kSmallGain = 1.02;      ///< below which a predicted speedup is within its error
constexpr double kMoreBytes = 1.005;     ///< times as many are more
constexpr double kTellingCeiling = 0.5;  ///< a larger one says little

using Sentences = std::vector<std::string>;

void add_sentence(Sentences& sentences, std::string sentence) {
  if (!sentence.empty()) sentences.push_back(std::move(sentence));
}

std::string best_title(const OptimizationReport& report, std::size_t width) {
  const BestOrder& best = report.best;
  return one_line(best.title.empty() ? best.formula : best.title, width);
}

// ---- nothing helps ------------------------------------------------------------------------------

std::int64_t others_replayed(const OptimizationReport& report) {
  return std::ranges::count_if(report.attempts, [](const OrderAttempt& attempt) {
    return attempt.predicted && !attempt.same_as && !attempt.identity && attempt.iteration != 1;
  });
}

/// Why an order with a shorter predicted time is not an improvement.
std::string faster_but(const SimResult& baseline, const SimResult& other) {
  const std::optional<double> before = bytes_ratio(baseline);
  const std::optional<double> after = bytes_ratio(other);
  if (!before || !after || *after < *before * kMoreBytes)
    return ", too little to call it an improvement";
  return fmt::format(
      ", but moves {:.2f} times the bytes that any order must instead of {:.2f}: within the error "
      "of predicted times, no improvement",
      *after, *before);
}

std::string others_sentence(const OptimizationReport& report) {
  const OrderAttempt* other = best_other(report);
  if (other == nullptr) return "No other order was replayed.";
  std::string text = fmt::format(
      "The best of {}, {}, is predicted {}", count_of(others_replayed(report), "other order"),
      short_title(*other),
      speed_text(*other->speedup, report.lifted ? "its own order" : "the launch order"));
  if (*other->speedup > 1) text += faster_but(report.baseline, *other->predicted);
  return text + ".";
}

std::string bound_sentence(const OptimizationReport& report) {
  const SimResult& baseline = report.baseline;
  const std::optional<double> ratio = bytes_ratio(baseline);
  if (!ratio) return {};
  return fmt::format(
      "The {} order moves {} past the L2, {:.2f} times the {} that any order must move.",
      report.lifted ? "kernel's own" : "launch",
      bytes_text(static_cast<double>(moved_bytes(baseline))), *ratio,
      bytes_text(static_cast<double>(baseline.bound_bytes)));
}

std::string first_touch_sentence(const SimResult& baseline) {
  if (!baseline.causes || baseline.l2.cache.misses <= 0) return {};
  return fmt::format("{} of its {} L2 misses are first touches, which every order has.",
                     part_text(baseline.causes->first_touch, baseline.l2.cache.misses),
                     with_separators(baseline.l2.cache.misses));
}

/// What limits the time, and whether an order can do anything about it.
std::string limit_sentence(const SimResult& baseline) {
  const std::string limit = limit_text(baseline);
  if (limit.empty()) return {};
  std::string text = fmt::format("The time of {} is {}", time_text(baseline.time_us), limit);
  if (baseline.limited_by == "L1") {
    const L1Counts& l1 = baseline.l1;
    text += fmt::format(": every order sends it the same {}",
                        count_of(l1.cache.requests + l1.writes + l1.atomics, "request"));
  } else if (baseline.limited_by == "compute") {
    text += fmt::format(": every order computes the same {}", count_of(baseline.blocks, "tile"));
  }
  return text + ".";
}

/// What no order can change, where that leaves little.
std::string ceiling_text(const OptimizationReport& report) {
  const Ceiling& ceiling = report.ceiling;
  if (ceiling.resource.empty() || ceiling.gain > kTellingCeiling) return {};
  return fmt::format(
      "no order is predicted to gain more than {:.2g} %, since {} is {:.3g} % busy "
      "with what all of them need",
      std::max(0.1, 100 * ceiling.gain), ceiling.resource, 100 * ceiling.busy);
}

Sentences already_best_sentences(const OptimizationReport& report) {
  Sentences sentences;
  if (report.search.end != SearchEnd::no_room || best_other(report) != nullptr)
    sentences.push_back(others_sentence(report));
  if (!has_replay(report.baseline)) return sentences;
  add_sentence(sentences, bound_sentence(report));
  add_sentence(sentences, first_touch_sentence(report.baseline));
  const std::string ceiling = ceiling_text(report);
  add_sentence(sentences, ceiling.empty() ? limit_sentence(report.baseline) : as_sentence(ceiling));
  return sentences;
}

// ---- the other answers --------------------------------------------------------------------------

/// Why the best is not the one with the least predicted time, where it is not.
std::string chosen_over(const OptimizationReport& report) {
  const SimResult& best = report.best.predicted;
  const std::optional<double> ratio = bytes_ratio(best);
  for (const OrderAttempt* attempt : ranked_attempts(report)) {
    if (attempt->iteration == report.best.iteration) return {};
    const std::optional<double> other = bytes_ratio(*attempt->predicted);
    if (!ratio || !other || !attempt->finalist || *other <= *ratio) continue;
    return fmt::format(
        "It is chosen over {}, which is predicted {}, because that one moves {:.2f} "
        "times the bytes that any order must, instead of {:.2f}.",
        short_title(*attempt), speed_text(best.time_us / attempt->predicted->time_us, "it"), *other,
        *ratio);
  }
  return {};
}

/// What a GPU said of the best.
std::string measured_sentence(const OptimizationReport& report) {
  const MeasuredTimes& times = *report.best.measured;
  return fmt::format(
      "Measured on {}, {} takes {} instead of {}: {:.3f} times as fast (from {:.3f} to {:.3f} with "
      "95 %), in a process of its own after it had been the fastest of {}.",
      device_text(report), best_title(report, kLongestTitle), time_text(times.time_us),
      time_text(times.original_us), times.ratio, times.low, times.high,
      count_of(measured_orders(report), "order"));
}

Sentences improved_sentences(const OptimizationReport& report) {
  const BestOrder& best = report.best;
  Sentences sentences;
  if (best.measured) sentences.push_back(measured_sentence(report));
  const std::optional<Interval> interval = speedup_interval(best.speedup, best.predicted);
  std::string times =
      fmt::format("{} is predicted to take {} instead of {}: {:.3f} times as fast",
                  best_title(report, kLongestTitle), time_text(best.predicted.time_us),
                  time_text(report.baseline.time_us), best.speedup);
  if (interval)
    times += fmt::format(", {:.2f} to {:.2f} in {} kernels like it", interval->low, interval->high,
                         interval_share(best.speedup, true));
  sentences.push_back(times + ".");
  add_sentence(sentences, as_sentence(one_line(best.idea, kLongestReason)));
  for (std::string& change : change_sentences(report.baseline, best.predicted))
    add_sentence(sentences, std::move(change));
  if (!best.measured) add_sentence(sentences, chosen_over(report));
  if (best.measured) return sentences;
  if (interval && interval->low <= 1)
    sentences.push_back("That interval reaches below 1: measure it before you take it.");
  else if (best.speedup < kSmallGain)
    sentences.push_back(
        fmt::format("A gain of {:.1f} % is less than the error of predicted times: measure it "
                    "before you take it.",
                    100 * (best.speedup - 1)));
  return sentences;
}

Sentences not_independent_sentences(const OptimizationReport& report) {
  Sentences sentences;
  add_sentence(sentences, as_sentence(printable(independence_sentence(report.independence))));
  sentences.push_back("Another order can change what the kernel computes, so none was tried.");
  return sentences;
}

std::string reason_of(const OptimizationReport& report) {
  const std::string& reason = report.reason.empty() ? report.independence.reason : report.reason;
  return reason.empty() ? "no reason was given" : one_line(reason, kLongestReason);
}

/// "the launch order", "the kernel's own order, group(8),".
std::string own_text(const OptimizationReport& report) {
  if (!report.lifted) return "the launch order";
  return fmt::format("the kernel's own order, {},", report.memory.space->order_text());
}

/// "group(16)", "set GROUP_SIZE_M = 16, group(16)", "BLOCK_M = 128, group(16)".
std::string best_text(const OptimizationReport& report) {
  std::string values = tuned_title(report, kTitleInAnswer);
  if (!values.empty()) values += ", ";
  if (!report.is_reordered()) return values + "its own order";
  if (!report.best.setting.empty() && values.empty())
    values = fmt::format("set {}, ", report.best.setting);
  return values + best_title(report, kTitleInAnswer);
}

std::optional<Interval> best_interval(const OptimizationReport& report) {
  return speedup_interval(report.best.speedup, report.best.predicted);
}

/// "1.14x", "1.004x".
std::string short_speedup(double speedup) {
  return fmt::format("{:.{}f}x", speedup, speedup < kSmallGain ? 3 : 2);
}

/// "faster, predicted 1.14x (1.08 to 1.20)", "faster, measured 1.31x", "faster, predicted 1.12x on
/// 4 shapes".
std::string improvement(const OptimizationReport& report) {
  const bool measured = is_tuned(report) ? report.tuning->measured : !!report.best.measured;
  const std::string text = fmt::format("faster, {} {}", measured ? "measured" : "predicted",
                                       short_speedup(headline_speedup(report)));
  if (!report.shapes.empty())
    return fmt::format("{} on {}", text, count_of(std::ssize(report.shapes), "shape"));
  return measured || is_tuned(report) ? text : text + in_brackets(best_interval(report));
}

/// "measure these: 3 orders are predicted 1.02x to 1.05x, too close to call".
std::string measure_line(const OptimizationReport& report) {
  const auto speedup_at = [&](int number) {
    return report.attempts.at(static_cast<std::size_t>(number) - 1).speedup.value_or(1);
  };
  const std::size_t count = report.to_measure.size();
  if (count == 0) return "measure these: too close to call";
  const double most = speedup_at(report.to_measure.front());
  if (count == 1)
    return fmt::format("measure this: {} is predicted {}, too close to call",
                       best_title(report, kTitleInAnswer), short_speedup(most));
  return fmt::format("measure these: {} orders are predicted {} to {}, too close to call", count,
                     short_speedup(speedup_at(report.to_measure.back())), short_speedup(most));
}

/// " (stopped after 40 of 2,000 orders)" where a time limit or Ctrl-C ended the search. Neighbours of
/// good orders are looked at beyond what was planned.
std::string stopped_text(const OptimizationReport& report) {
  const SearchEnd end = report.search.end;
  if (end != SearchEnd::budget && end != SearchEnd::interrupted) return {};
  const SearchSummary& search = report.search;
  if (search.outlined >= search.planned)
    return fmt::format(" (stopped after {})",
                       count_of(std::max(search.outlined, search.replayed), "order"));
  return fmt::format(" (stopped after {} of {} orders)", with_separators(search.outlined),
                     with_separators(search.planned));
}

std::string all_shapes(std::size_t count) {
  if (count == 1) return "this shape";
  return count == 2 ? "both shapes" : fmt::format("all {} shapes", count);
}

std::string already_best_line(const OptimizationReport& report) {
  if (!report.shapes.empty())
    return fmt::format("leave it: no order is faster on {}", all_shapes(report.shapes.size()));
  if (!report.measurements.empty())
    return "leave it: no order that was measured is significantly faster";
  std::string own = own_text(report);
  if (own.ends_with(',')) own.pop_back();
  std::string text = report.search.end == SearchEnd::no_room
                         ? fmt::format("leave it: {}", ceiling_text(report))
                         : fmt::format("leave it: no order is predicted to gain {:.0f} % on {}",
                                       100 * kWorthMeasuring, own);
  if (report.tuning)
    text += fmt::format(", and no other of {} is faster",
                        count_of(std::ssize(report.tuning->variants), "variant"));
  return text;
}

}  // namespace

const OrderAttempt* best_other(const OptimizationReport& report) {
  for (const OrderAttempt* attempt : ranked_attempts(report)) {
    if (!attempt->identity && attempt->iteration != 1) return attempt;
  }
  return nullptr;
}

bool has_replay(const SimResult& result) {
  return result.time_us > 0 || result.l2.cache.requests > 0;
}

std::string device_text(const OptimizationReport& report) {
  if (report.measurements.empty() || report.measurements.front().device.empty()) return "a GPU";
  return one_line(report.measurements.front().device, kLongestTitle);
}

int measured_orders(const OptimizationReport& report) {
  return static_cast<int>(std::ranges::count_if(report.attempts, [](const OrderAttempt& attempt) {
    return attempt.iteration > 1 && (attempt.measured || !attempt.rejected.empty());
  }));
}

std::string machine_text(const GpuFacts& gpu) {
  std::string text = gpu.title.empty() ? gpu.name : fmt::format("{} ({})", gpu.title, gpu.name);
  if (!gpu.mode.empty()) text += fmt::format(", mode {}", gpu.mode);
  return one_line(text, kLongestTitle);
}

std::string proved_for(ProvedSizes sizes, const std::vector<std::int64_t>& grid) {
  return sizes == ProvedSizes::all ? "all sizes" : fmt::format("grid {}", fmt::join(grid, "x"));
}

std::string short_title(const OrderAttempt& attempt) {
  const std::string& title = attempt.title.empty() ? attempt.formula : attempt.title;
  return title.empty() ? "an order without a text" : one_line(title, kLongestTitle);
}

std::string as_sentence(std::string_view text) {
  std::string result(trim(text));
  if (result.empty()) return result;
  if (result[0] >= 'a' && result[0] <= 'z') result[0] = static_cast<char>(result[0] - 'a' + 'A');
  if (result.back() != '.') result += '.';
  return result;
}

std::string answer_line(const OptimizationReport& report) {
  switch (report.answer) {
    case Answer::improved: {
      const std::string text =
          fmt::format("{}{}: {}", improvement(report), stopped_text(report), best_text(report));
      if (!report.is_reordered()) return text;
      return fmt::format("{}, {} for {}", text, verdict_text(report.best.verdict),
                         proved_for(report.best.sizes, report.grid));
    }
    case Answer::measure:
      return measure_line(report) + stopped_text(report);
    case Answer::already_best:
      return already_best_line(report) + stopped_text(report);
    case Answer::not_independent:
      return "not independent: tiles depend on one another, so their order must not change";
    case Answer::unknown:
      break;
  }
  return one_line("unknown: " + reason_of(report), kReasonInAnswer);
}

Sentences explanation(const OptimizationReport& report) {
  Sentences sentences = tuning_sentences(report);
  switch (report.answer) {
    case Answer::improved:
      append(sentences,
             report.is_reordered() ? improved_sentences(report) : already_best_sentences(report));
      return sentences;
    case Answer::measure:
      append(sentences, improved_sentences(report));
      return sentences;
    case Answer::already_best:
      append(sentences, already_best_sentences(report));
      return sentences;
    case Answer::not_independent:
      return not_independent_sentences(report);
    case Answer::unknown:
      break;
  }
  return {
      as_sentence(fmt::format("It is not known whether an order helps: {}", reason_of(report)))};
}

std::string search_end_sentence(const OptimizationReport& report) {
  const std::string orders = count_of(report.search.proposed, "order");
  switch (report.search.end) {
    case SearchEnd::no_room:
      return "No order can gain enough, so none was searched for; --effort high searches "
             "nevertheless.";
    case SearchEnd::at_bound: {
      const std::optional<double> ratio = bytes_ratio(report.best.predicted);
      return fmt::format(
          "The search ended at the bound after {}: the best moves {} that any order "
          "must.",
          orders, ratio ? fmt::format("{:.3f} times the bytes", *ratio) : "the bytes");
    }
    case SearchEnd::exhausted:
      if (report.search.planned > 0 && report.search.outlined >= report.search.planned)
        return fmt::format("The search ended after {}, the limit of this effort.", orders);
      return fmt::format("The search ended after {}: its proposers had no others.", orders);
    case SearchEnd::iterations:
      return fmt::format("The search ended after {}, the limit that was given.", orders);
    case SearchEnd::budget:
      return fmt::format("The search ended after {}, when its time was up.", orders);
    case SearchEnd::interrupted:
      return fmt::format("The search was interrupted after {}.", orders);
    case SearchEnd::not_started:
      break;
  }
  return "The search did not start: no order was tried.";
}

std::string search_counts(const SearchSummary& search) {
  std::vector<std::string> parts = {
      fmt::format("{} replayed", with_separators(search.replayed)),
      count_of(search.duplicates, "duplicate"),
      fmt::format("{} refuted", with_separators(search.refuted)),
      fmt::format("{} unknown", with_separators(search.unknown)),
      fmt::format("{} from history", with_separators(search.from_history))};
  const std::string outlined =
      search.outlined == 0 ? "" : fmt::format("{} outlined, ", with_separators(search.outlined));
  return fmt::format("{} proposed: {}{}", count_of(search.proposed, "order"), outlined,
                     fmt::join(parts, ", "));
}

Sentences confidence_sentences(const OptimizationReport& report) {
  const SimResult& best = report.best.predicted;
  if (!has_replay(best)) return {};
  Sentences sentences = {
      report.measurements.empty()
          ? fmt::format(
                "Times and counts are predicted on a simulated GPU, {}; nothing was measured.",
                machine_text(report.gpu))
          : fmt::format("Measured figures are from {}; other times and counts are predicted "
                        "on a simulated GPU, {}.",
                        device_text(report), machine_text(report.gpu))};
  const std::string sampled = sample_sentence(best);
  if (!sampled.empty()) sentences.push_back(sampled);
  if (sampled.empty() && best.sample.requests > 0) {
    sentences.push_back(fmt::format("The replay is exact: all {} were replayed.",
                                    count_of(best.sample.requests, "request")));
  }
  if (!best.gpu_calibrated)
    sentences.push_back(
        "This GPU is uncalibrated: its parameters were not compared with measurements.");
  if (best.occupancy.estimated) {
    sentences.push_back(fmt::format(
        "Registers ({} per thread) and shared memory ({} per block) are estimated.",
        best.occupancy.registers, bytes_text(static_cast<double>(best.occupancy.shared_bytes))));
  }
  if (best.occupancy.spills)
    sentences.push_back(
        "A thread cannot have that many registers: spills are likely, and are not modelled.");
  if (best.occupancy.does_not_fit)
    sentences.push_back(
        "That is more shared memory than a block can have: the launch is likely to fail. Try fewer "
        "stages, smaller tiles or another config.");
  return sentences;
}

std::vector<const OrderAttempt*> ranked_attempts(const OptimizationReport& report) {
  std::vector<const OrderAttempt*> attempts;
  for (const OrderAttempt& attempt : report.attempts) {
    const bool has_speed = attempt.speedup && std::isfinite(*attempt.speedup);
    if (has_speed && attempt.predicted && !attempt.same_as) attempts.push_back(&attempt);
  }
  // Times of the answer's fidelity come first: those of samples do not compare with them.
  const std::string final = report.attempts.empty() ? "" : report.attempts[0].fidelity;
  std::ranges::stable_sort(attempts, [&](const OrderAttempt* a, const OrderAttempt* b) {
    const bool a_final = a->fidelity == final, b_final = b->fidelity == final;
    if (a_final != b_final) return a_final;
    return *a->speedup > *b->speedup;
  });
  return attempts;
}

}  // namespace heddle::report
