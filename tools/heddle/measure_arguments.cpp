#include "measure_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/error.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kLargestSource = std::size_t{16} << 20;
constexpr std::size_t kMostSeeds = 64;  ///< as the agent has it

/// "1,2,3": different numbers from 0.
std::vector<std::int64_t> read_seeds(const std::string& text) {
  std::vector<std::int64_t> seeds;
  for (const std::string_view word : split(text, ',')) {
    const auto seed = parse_integer(trim(word));
    const bool is_new = seed && !is_one_of(*seed, seeds);
    if (!seed || *seed < 0 || !is_new || seeds.size() == kMostSeeds)
      throw Error(fmt::format("--seeds '{}': '{}' is not a different number", text, word),
                  "write different numbers from 0: --seeds 1,2,3");
    seeds.push_back(*seed);
  }
  return seeds;
}

}  // namespace

void MeasureArguments::add(Verb verb) {
  flags_.push_back(verb.add_option("--most", most, "measure at most this many orders")
                       .range(1, 100)
                       .capture_default_str());
  flags_.push_back(verb.add_option("--rounds", rounds, "timed runs of each candidate")
                       .range(7, 10'000)
                       .capture_default_str());
  flags_.push_back(
      verb.add_option("--measure-time", budget_s, "time limit of a timing phase, in seconds")
          .range(1, 86'400)
          .capture_default_str());
  flags_.push_back(verb.add_option("--limit", limit_s,
                                   "kill a kernel that does not respond after this many seconds")
                       .range(1, 86'400)
                       .capture_default_str());
  flags_.push_back(
      verb.add_option("--seeds", seeds, "seeds of the random inputs on which outputs are compared")
          .type_name("N,N")
          .capture_default_str());
}

void MeasureArguments::add_candidates(Verb verb) {
  verb.add_option("--candidate", candidates,
                  "also measure this replacement of the kernel's file; its output is compared, "
                  "nothing is proved")
      .type_name("FILE")
      .allow_extra_args(false);
}

bool MeasureArguments::is_given() const {
  return std::ranges::any_of(flags_, [](const Flag& flag) { return flag.is_given(); });
}

std::vector<search::GivenText> MeasureArguments::read_candidates() const {
  std::vector<search::GivenText> files;
  for (const std::string& file : candidates)
    files.push_back(
        {std::filesystem::path(file).filename().string(), read_text(file, kLargestSource)});
  return files;
}

MeasureOptions MeasureArguments::options() const {
  MeasureOptions options;
  options.limits.most = most;
  options.rounds = rounds;
  options.limit_s = limit_s;
  options.budget_s = budget_s;
  options.seeds = read_seeds(seeds);
  return options;
}

}  // namespace heddle::tool
