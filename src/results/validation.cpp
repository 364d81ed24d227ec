#include "results/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace heddle {
namespace {

constexpr std::string_view kEnding = ".toml";

/// "a/my.toml" -> "my".
std::string stem_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string text = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (text.ends_with(kEnding)) text.resize(text.size() - kEnding.size());
  return text;
}

}  // namespace

std::string MeasuredPoint::place() const {
  return fmt::format("{}:{}", table, line);
}

std::optional<double> ComparedPoint::l2_error() const {
  if (!measured.l2_hit_pct) return std::nullopt;
  return predicted.l2_hit_pct - *measured.l2_hit_pct;
}

std::optional<double> ComparedPoint::last_level_error() const {
  if (!measured.last_level_hit_pct || !predicted.last_level_hit_pct) return std::nullopt;
  return *predicted.last_level_hit_pct - *measured.last_level_hit_pct;
}

std::optional<double> ComparedPoint::dram_read_error_pct() const {
  if (!measured.dram_read_mb || *measured.dram_read_mb < kLeastDramReadMb) return std::nullopt;
  return 100 * (predicted.dram_read_mb / *measured.dram_read_mb - 1);
}

std::optional<double> ComparedPoint::small_dram_read_error_mb() const {
  if (!measured.dram_read_mb || *measured.dram_read_mb >= kLeastDramReadMb) return std::nullopt;
  return predicted.dram_read_mb - *measured.dram_read_mb;
}

std::optional<double> ComparedPoint::speedup_error_pct() const {
  if (!measured_speedup) return std::nullopt;
  return 100 * (predicted.speedup / *measured_speedup - 1);
}

std::optional<double> ComparedPoint::time_error_pct() const {
  if (!measured.time_us) return std::nullopt;
  return 100 * (predicted.time_us / *measured.time_us - 1);
}

bool ComparedPoint::clear_effect() const {
  return measured_speedup && std::abs(*measured_speedup - 1) > kClearEffect;
}

bool ComparedPoint::wrong_sign() const {
  if (!clear_effect()) return false;
  return *measured_speedup > 1 ? predicted.speedup <= 1 : predicted.speedup >= 1;
}

bool ComparedPoint::harmful() const {
  return permutation && measured_speedup && predicted.speedup > 1 + kHarm &&
         *measured_speedup * (1 + kHarm) < 1;
}

std::string ComparedGroup::family() const {
  const bool is_given = !points.empty() && !points.front().measured.family.empty();
  return is_given ? points.front().measured.family : stem_of(job);
}

std::string ComparedGroup::label() const {
  std::string text = name.empty() ? stem_of(job) : name;
  for (const std::string& entry : overrides) text += " " + entry;
  return text;
}

std::vector<std::string> distinct_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const std::string stem = stem_of(path);
    const bool collides = std::ranges::any_of(
        paths, [&](const std::string& other) { return other != path && stem_of(other) == stem; });
    names.push_back(collides ? path : stem);
  }
  return names;
}

void name_groups(std::vector<ComparedGroup>& groups) {
  std::vector<std::string> jobs;
  for (const ComparedGroup& group : groups) jobs.push_back(group.job);
  const std::vector<std::string> names = distinct_names(jobs);
  std::vector<std::string> gpus;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].name = names[i];
    const ComparedGroup& group = groups[i];
    const bool collides = std::ranges::any_of(groups, [&](const ComparedGroup& other) {
      return other.gpu == group.gpu && other.gpu_path != group.gpu_path;
    });
    const std::string mode = group.gpu.substr(std::min(group.gpu.find(':'), group.gpu.size()));
    gpus.push_back(collides ? group.gpu_path + mode : group.gpu);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].gpu = gpus[i];
}

DecisionSums::DecisionSums(const std::vector<GroupDecision>& decisions) {
  for (const GroupDecision& one : decisions) {
    faster += one.answer == GroupDecision::Answer::faster ? 1 : 0;
    right += one.answer == GroupDecision::Answer::faster && one.taken >= 1 ? 1 : 0;
    measure += one.answer == GroupDecision::Answer::measure ? 1 : 0;
    leave += one.answer == GroupDecision::Answer::leave ? 1 : 0;
    const auto count = static_cast<double>(decisions.size());
    regret_pct += one.regret_pct() / count;
    measured_regret_pct += one.measured_regret_pct() / count;
    baseline_regret_pct += 100 * (one.best - 1) / count;
  }
}

}  // namespace heddle
