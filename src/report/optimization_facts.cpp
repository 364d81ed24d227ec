#include "report/optimization_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.h"
#include "report/simulation_counters.h"
#include "results/decision.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr double kNoChange = 0.0005;      ///< of a speedup: closer to 1 reads as the same
constexpr double kNoticed = 0.01;         ///< a change of an imbalance or a share below is not told
constexpr double kNoticedMisses = 0.002;  ///< likewise of a cause, as a share of the misses

using Sentences = std::vector<std::string>;

std::string bytes_of(std::int64_t count) {
  return bytes_text(static_cast<double>(count));
}

void add(Sentences& sentences, std::string sentence) {
  if (!sentence.empty()) sentences.push_back(std::move(sentence));
}

// ---- one replay ---------------------------------------------------------------------------------

std::string hits_sentence(const SimResult& result) {
  const CacheCounts& cache = result.l2.cache;
  if (cache.requests <= 0) return "0 requests reached the L2.";
  std::string text =
      fmt::format("Of {} requests to the L2, {} hit: {}", with_separators(cache.requests),
                  with_separators(cache.hits), percent_text(cache.hit_rate_pct()));
  if (result.bound_hit_rate_pct > 0)
    text += fmt::format(" of at most {}", percent_text(result.bound_hit_rate_pct));
  return text + ".";
}

std::string causes_sentence(const SimResult& result) {
  std::vector<std::string> parts;
  for (const CauseCount& cause : causes_of(result)) {
    if (cause.count > 0)
      parts.push_back(
          fmt::format("{} {}", part_text(cause.count, result.l2.cache.misses), cause.phrase));
  }
  if (parts.empty()) return {};
  return fmt::format("{} missed: {}.", with_separators(result.l2.cache.misses),
                     fmt::join(parts, ", "));
}

std::string bytes_sentence(const SimResult& result) {
  const std::string moved = bytes_of(moved_bytes(result));
  const std::optional<double> ratio = bytes_ratio(result);
  if (!ratio) return fmt::format("{} moved past the L2.", moved);
  return fmt::format("{} moved past the L2, of at least {}: {:.2f} times.", moved,
                     bytes_of(result.bound_bytes), *ratio);
}

std::string memory_sentence(const SimResult& result) {
  const std::string moved = bytes_of(hbm_bytes(result));
  if (!result.last_level) return fmt::format("HBM moved {}.", moved);
  return fmt::format("The last-level cache served {} of {} requests ({}), and HBM moved {}.",
                     with_separators(result.last_level->hits),
                     with_separators(result.last_level->requests),
                     hit_rate_text(*result.last_level), moved);
}

double mean_die_time_us(const SimResult& result) {
  double sum_us = 0;
  for (const DieResult& die : result.dies) sum_us += die.time_us;
  return result.dies.empty() ? 0 : sum_us / static_cast<double>(result.dies.size());
}

std::string balance_sentence(const SimResult& result) {
  const double mean_us = mean_die_time_us(result);
  if (result.dies.size() < 2 || !(mean_us > 0)) return {};
  return fmt::format("The {} dies ended after {} on average, the last after {:.2f} times that.",
                     result.dies.size(), time_text(mean_us), die_time_imbalance(result));
}

const Utilization* busiest(const SimResult& result) {
  const auto found = std::ranges::max_element(result.utilization, {}, &Utilization::percent);
  return found == result.utilization.end() ? nullptr : &*found;
}

std::string time_sentence(const SimResult& result) {
  const std::string limit = limit_text(result);
  return fmt::format("The predicted time is {}{}{}.", time_text(result.time_us),
                     limit.empty() ? "" : ", ", limit);
}

// ---- two replays --------------------------------------------------------------------------------

/// "falls from A to B", "rises from A to B", "stays at A".
std::string moves_text(double before, double after, const std::string& before_text,
                       const std::string& after_text, bool plural) {
  if (before_text == after_text)
    return fmt::format("{} at {}", plural ? "stay" : "stays", after_text);
  const std::string_view verb = after < before ? "fall" : "rise";
  return fmt::format("{}{} from {} to {}", verb, plural ? "" : "s", before_text, after_text);
}

std::string count_moves(std::int64_t before, std::int64_t after) {
  return moves_text(static_cast<double>(before), static_cast<double>(after),
                    with_separators(before), with_separators(after), true);
}

std::string hits_change(const SimResult& before, const SimResult& after) {
  const CacheCounts& old_cache = before.l2.cache;
  const CacheCounts& new_cache = after.l2.cache;
  if (old_cache.requests <= 0 || new_cache.requests <= 0) return {};
  std::string text = fmt::format("The L2 hit rate {}",
                                 moves_text(old_cache.hit_rate_pct(), new_cache.hit_rate_pct(),
                                            percent_text(old_cache.hit_rate_pct()),
                                            percent_text(new_cache.hit_rate_pct()), false));
  if (after.bound_hit_rate_pct > 0)
    text += fmt::format(", of at most {}", percent_text(after.bound_hit_rate_pct));
  return text + ".";
}

/// The cause that changed most, and the one that changed most the other way.
std::string causes_change(const SimResult& before, const SimResult& after) {
  const std::vector<CauseCount> old_causes = causes_of(before);
  const std::vector<CauseCount> new_causes = causes_of(after);
  if (old_causes.empty() || new_causes.empty()) return {};
  std::vector<std::size_t> by_change = {0, 1, 2, 3};
  const auto change = [&](std::size_t i) { return new_causes[i].count - old_causes[i].count; };
  std::ranges::stable_sort(by_change, [&](std::size_t a, std::size_t b) {
    return std::abs(change(a)) > std::abs(change(b));
  });
  const double noticed =
      kNoticedMisses * static_cast<double>(std::max(before.l2.cache.misses, after.l2.cache.misses));
  std::vector<std::string> parts;
  for (const std::size_t i : by_change) {
    if (change(i) == 0 || static_cast<double>(std::abs(change(i))) < noticed) continue;
    parts.push_back(fmt::format("{} {}", new_causes[i].phrase,
                                count_moves(old_causes[i].count, new_causes[i].count)));
  }
  if (parts.size() > 2) parts.resize(2);
  return parts.empty() ? std::string()
                       : fmt::format("Misses {}.", fmt::join(parts, ", and those "));
}

std::string bytes_change(const SimResult& before, const SimResult& after) {
  const std::int64_t old_bytes = moved_bytes(before);
  const std::int64_t new_bytes = moved_bytes(after);
  std::string text =
      fmt::format("The bytes past the L2 {}",
                  moves_text(static_cast<double>(old_bytes), static_cast<double>(new_bytes),
                             bytes_of(old_bytes), bytes_of(new_bytes), true));
  if (const auto ratio = bytes_ratio(after)) {
    text += fmt::format(", {:.2f} times the {} that any order must move", *ratio,
                        bytes_of(after.bound_bytes));
  }
  return text + ".";
}

std::string memory_change(const SimResult& before, const SimResult& after) {
  if (bytes_of(hbm_bytes(before)) == bytes_of(hbm_bytes(after))) return {};
  return fmt::format(
      "HBM bytes {}.",
      moves_text(static_cast<double>(hbm_bytes(before)), static_cast<double>(hbm_bytes(after)),
                 bytes_of(hbm_bytes(before)), bytes_of(hbm_bytes(after)), true));
}

std::string balance_change(const SimResult& before, const SimResult& after) {
  if (before.dies.size() < 2 || after.dies.size() < 2) return {};
  const double old_balance = die_time_imbalance(before);
  const double new_balance = die_time_imbalance(after);
  if (std::abs(new_balance - old_balance) < kNoticed) return {};
  return fmt::format(
      "The last die ends after {:.2f} times the mean of the dies, before after {:.2f}.",
      new_balance, old_balance);
}

std::string limit_change(const SimResult& before, const SimResult& after) {
  const std::string limit = limit_text(after);
  if (limit.empty() || before.limited_by.empty()) return {};
  return before.limited_by == after.limited_by
             ? fmt::format("The time of {} is still {}.", time_text(after.time_us), limit)
             : fmt::format("The time of {} is {}; before, it was {}, limited by {}.",
                           time_text(after.time_us), limit, time_text(before.time_us),
                           before.limited_by);
}

}  // namespace

std::int64_t moved_bytes(const SimResult& result) {
  return result.l2.read_bytes() + result.l2.write_bytes();
}

std::optional<double> bytes_ratio(const SimResult& result) {
  if (result.bound_bytes <= 0) return std::nullopt;
  return static_cast<double>(moved_bytes(result)) / static_cast<double>(result.bound_bytes);
}

std::int64_t hbm_bytes(const SimResult& result) {
  return result.hbm_read_bytes + result.hbm_write_bytes;
}

std::string hit_rate_text(const CacheCounts& counts) {
  return counts.requests > 0 ? percent_text(counts.hit_rate_pct()) : "-";
}

std::vector<CauseCount> causes_of(const SimResult& result) {
  if (!result.causes) return {};
  const bool halves = result.dies.size() == 1 && !result.amd();
  const std::string other =
      halves ? "on lines that the other half of the L2 held" : "on lines that another die held";
  return {{"first touch", "on the first touch of a line", "", result.causes->first_touch},
          {"conflict", "due to conflicts in a set",
           "an order that spreads what a die reads over more sets", result.causes->conflict},
          {"other die", other, "an order that runs tiles which share lines on one die",
           result.causes->other_die},
          {"capacity", "for lack of capacity",
           "an order that brings tiles which share lines closer together in time",
           result.causes->capacity}};
}

std::optional<std::int64_t> avoidable_misses(const SimResult& result) {
  if (!result.causes) return std::nullopt;
  return result.causes->conflict + result.causes->other_die + result.causes->capacity;
}

Sentences result_sentences(const SimResult& result) {
  Sentences sentences;
  add(sentences, hits_sentence(result));
  add(sentences, causes_sentence(result));
  add(sentences, bytes_sentence(result));
  add(sentences, memory_sentence(result));
  add(sentences, balance_sentence(result));
  add(sentences, time_sentence(result));
  add(sentences, sample_sentence(result));
  return sentences;
}

Sentences change_sentences(const SimResult& before, const SimResult& after) {
  Sentences sentences;
  add(sentences, hits_change(before, after));
  add(sentences, causes_change(before, after));
  add(sentences, bytes_change(before, after));
  add(sentences, memory_change(before, after));
  add(sentences, balance_change(before, after));
  add(sentences, limit_change(before, after));
  return sentences;
}

std::string sample_sentence(const SimResult& result) {
  if (!result.sample.sampled) return {};
  if (const std::optional<Interval>& hit_pct = result.intervals.l2_hit_pct)
    return fmt::format(
        "The figures are sampled: {} were replayed, and the L2 hit rate lies between {:.1f} and {} "
        "in 4 of 5 kernels like it.",
        count_of(result.sample.requests, "request"), hit_pct->low, percent_text(hit_pct->high));
  return fmt::format(
      "The figures are sampled: {} were replayed, and the L2 hit rate is accurate to within {:.2g} "
      "points.",
      count_of(result.sample.requests, "request"), result.sample.hit_rate_error_pct);
}

std::string limit_text(const SimResult& result) {
  if (result.limited_by.empty()) return {};
  const std::string text = "limited by " + result.limited_by;
  for (const Utilization& entry : result.utilization) {
    if (entry.resource == result.limited_by)
      return fmt::format("{}, which is busy for {} of it", text, share_text(entry.percent / 100));
  }
  if (result.limited_by == "imbalance" && result.dies.size() > 1) {
    return fmt::format("{}: the last die ends after {:.2f} times the mean", text,
                       die_time_imbalance(result));
  }
  const Utilization* most = busiest(result);
  if (most == nullptr) return text;
  return fmt::format("{}: the busiest resource, {}, is busy for {} of it", text, most->resource,
                     share_text(most->percent / 100));
}

std::string speed_text(double speedup, std::string_view than) {
  if (!std::isfinite(speedup) || speedup <= 0) return fmt::format("not comparable with {}", than);
  if (std::abs(speedup - 1) < kNoChange) return fmt::format("as fast as {} to 0.1 %", than);
  return speedup > 1 ? fmt::format("{:.1f} % faster than {}", (speedup - 1) * 100, than)
                     : fmt::format("{:.1f} % slower than {}", (1 / speedup - 1) * 100, than);
}

std::string paragraph(const Sentences& sentences) {
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string_view interval_share(double speedup, bool finalist) {
  return finalist && speedup >= 1 + kWorthMeasuring ? "9 of 10" : "4 of 5";
}

std::optional<Interval> speedup_interval(double speedup, const SimResult& predicted) {
  const std::optional<Interval>& factors = predicted.intervals.speedup;
  if (!factors || !std::isfinite(speedup)) return std::nullopt;
  return Interval{speedup * factors->low, speedup * factors->high};
}

std::string in_brackets(const std::optional<Interval>& interval) {
  return interval ? fmt::format(" ({:.2f} to {:.2f})", interval->low, interval->high)
                  : std::string();
}

}  // namespace heddle::report
