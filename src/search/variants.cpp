#include "search/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "search/ranking.h"
#include "support/error.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::search {
namespace {

constexpr std::string_view kConfigs = "configs";
constexpr double kSameShare = 0.0005;   ///< of a tensor, all of whose tiles were traced
constexpr double kSampledShare = 0.02;  ///< where they were not

TunedName read_name(std::string_view text) {
  const std::size_t equals = text.find('=');
  TunedName tuned;
  if (equals != std::string_view::npos) {
    tuned.name = trim(text.substr(0, equals));
    for (const std::string_view value : split_outside_brackets(text.substr(equals + 1), ','))
      tuned.values.emplace_back(trim(value));
  }
  const bool is_empty =
      std::ranges::any_of(tuned.values, [](const std::string& value) { return value.empty(); });
  if (tuned.name.empty() || tuned.values.empty() || is_empty)
    throw Error(fmt::format("--tune cannot read '{}'", text),
                "write --tune BLOCK_M=64,128 or --tune configs");
  return tuned;
}

/// What the job itself says of the name: it wins over a config.
bool job_gives(const config::Job& job, const std::string& name) {
  if (is_one_of(name, job.argument_names())) return true;
  if (name == "num_warps") return job.launch.contains("warps");
  if (name == "num_stages") return job.launch.contains("stages");
  return false;
}

Variant variant_of_config(const kernel::ConfigValues& values, std::size_t number,
                          const config::Job& job) {
  Variant variant{fmt::format("config {}", number), {fmt::format("config={}", number)}};
  std::vector<std::string> words;
  for (const config::NamedValue& entry : values) {
    words.push_back(fmt::format("{} = {}", entry.name, config::value_text(entry.value)));
    if (job_gives(job, entry.name))
      variant.overrides.push_back(
          fmt::format("{}={}", entry.name, config::value_text(entry.value)));
  }
  if (!words.empty()) variant.title += fmt::format(" ({})", fmt::join(words, ", "));
  return variant;
}

/// The share of a tensor that is touched; nothing where that is not known.
std::optional<double> share_of(const TraceReport& report, const TensorSummary& tensor) {
  if (!tensor.distinct_lines || tensor.bytes <= 0) return std::nullopt;
  const double lines = static_cast<double>(tensor.bytes) / report.line_bytes;
  const double traced =
      static_cast<double>(report.tiles_traced) / static_cast<double>(report.tiles);
  if (traced < 1) return std::nullopt;
  return static_cast<double>(*tensor.distinct_lines) / std::max(lines, 1.0);
}

/// Bytes of all tiles, from those that were traced.
double written_bytes(const TraceReport& report, const TensorSummary& tensor) {
  return static_cast<double>(tensor.written_bytes) * static_cast<double>(report.tiles) /
         static_cast<double>(std::max<std::int64_t>(report.tiles_traced, 1)) /
         static_cast<double>(std::max<std::int64_t>(tensor.bytes, 1));
}

template <class Time>
std::size_t fastest(const std::vector<TunedVariant>& variants, const Time& time) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < variants.size(); ++i) {
    const std::optional<double> taken = time(variants[i]);
    if (!taken) continue;
    const std::optional<double> least = time(variants[best]);
    const double needed = best == 0 ? 1 - kWorthwhile : 1;
    if (!least || *taken < *least * needed) best = i;
  }
  return best;
}

}  // namespace

Tuned read_tuned(const std::vector<std::string>& texts) {
  Tuned tuned;
  for (const std::string& text : texts) {
    if (trim(text) == kConfigs) {
      tuned.configs = true;
      continue;
    }
    TunedName name = read_name(text);
    if (std::ranges::any_of(tuned.names, [&](const auto& one) { return one.name == name.name; }))
      throw Error(fmt::format("--tune names '{}' twice", name.name),
                  fmt::format("write all values of it together: --tune {}=...", name.name));
    tuned.names.push_back(std::move(name));
  }
  return tuned;
}

std::vector<std::vector<std::string>> combinations(const std::vector<TunedName>& names) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const TunedName& name : names) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& before : all)
      for (const std::string& value : name.values) {
        longer.push_back(before);
        longer.back().push_back(fmt::format("{}={}", name.name, value));
      }
    all = std::move(longer);
  }
  return all;
}

std::string title_of(const std::vector<std::string>& overrides) {
  std::vector<std::string> words;
  for (const std::string& one : overrides) {
    const std::size_t equals = one.find('=');
    words.push_back(fmt::format("{} = {}", one.substr(0, equals), one.substr(equals + 1)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string override_of(std::string_view title) {
  const std::size_t equals = title.find('=');
  return fmt::format("{}={}", trim(title.substr(0, equals)), trim(title.substr(equals + 1)));
}

std::vector<Variant> variants_of(const Tuned& tuned,
                                 const std::vector<kernel::ConfigValues>& configs,
                                 const config::Job& job) {
  std::vector<Variant> starts = {{"", {}}};
  if (tuned.configs && configs.empty())
    throw Error("--tune configs: the kernel has no @triton.autotune whose configs are known here",
                "give values, such as --tune BLOCK_M=64,128");
  if (tuned.configs) {
    starts.clear();
    for (std::size_t i = 0; i < configs.size(); ++i)
      starts.push_back(variant_of_config(configs[i], i, job));
  }
  std::size_t count = starts.size();
  for (const TunedName& name : tuned.names) {
    count *= name.values.size();
    if (count > 1'000'000) break;
  }
  if (count > kMostVariants)
    throw Error(fmt::format("--tune asks for {} variants, more than {}",
                            with_separators(static_cast<std::int64_t>(count)), kMostVariants),
                "give fewer values");
  std::vector<Variant> all;
  for (const Variant& start : starts)
    for (const auto& values : combinations(tuned.names)) {
      Variant variant = start;
      // What is named wins over a config.
      std::erase_if(variant.overrides, [&](const std::string& one) {
        return std::ranges::any_of(values, [&](const std::string& other) {
          return one.substr(0, one.find('=')) == other.substr(0, other.find('='));
        });
      });
      append(variant.overrides, values);
      const std::string title = title_of(values);
      if (!variant.title.empty() && !title.empty()) variant.title += ", ";
      variant.title += title;
      all.push_back(std::move(variant));
    }
  return all;
}

std::string what_is_wrong(const TraceReport& job, const TraceReport& variant) {
  const bool is_whole = job.tiles_traced == job.tiles && variant.tiles_traced == variant.tiles;
  const double tolerance = is_whole ? kSameShare : kSampledShare;
  for (const FaultSummary& fault : variant.faults)
    if (!std::ranges::any_of(job.faults,
                             [&](const FaultSummary& known) { return known.kind == fault.kind; }))
      return fmt::format("{}{}, line {}", fault.kind,
                         fault.tensor.empty() ? "" : " of " + fault.tensor, fault.place.line);
  for (const TensorSummary& before : job.tensors) {
    const auto after = std::ranges::find(variant.tensors, before.name, &TensorSummary::name);
    if (after == variant.tensors.end()) return fmt::format("it does not touch {}", before.name);
    const auto share = share_of(job, before);
    const auto now = share_of(variant, *after);
    if (share && now && *now < *share * (1 - tolerance))
      return fmt::format("it touches {:.1f} % of {}, the job as it is {:.1f} %", 100 * *now,
                         before.name, 100 * *share);
    const double written = written_bytes(job, before);
    const double rewritten = written_bytes(variant, *after);
    // Beyond once, tiles write the same bytes again.
    if (written <= 1 + tolerance && rewritten < written * (1 - tolerance))
      return fmt::format("it writes {:.1f} % of {}, the job as it is {:.1f} %", 100 * rewritten,
                         before.name, 100 * written);
  }
  return {};
}

std::size_t fastest_predicted(const std::vector<TunedVariant>& variants) {
  return fastest(variants, [](const TunedVariant& variant) { return variant.best_us; });
}

std::size_t fastest_measured(const std::vector<TunedVariant>& variants) {
  return fastest(variants, [](const TunedVariant& variant) { return variant.measured_us; });
}

std::vector<std::size_t> variants_to_measure(const std::vector<TunedVariant>& variants) {
  std::vector<std::size_t> others;
  for (std::size_t i = 1; i < variants.size(); ++i)
    if (variants[i].best_us) others.push_back(i);
  std::ranges::stable_sort(others, [&](std::size_t a, std::size_t b) {
    return *variants[a].best_us < *variants[b].best_us;
  });
  others.resize(std::min(others.size(), kMeasuredVariants));
  others.insert(others.begin(), 0);
  return others;
}

}  // namespace heddle::search
