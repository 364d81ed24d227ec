#include "measure_arguments.h"

#include <filesystem>

#include "support/file.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kLargestSource = std::size_t{16} << 20;

}  // namespace

void MeasureArguments::add(Verb verb) {
  verb.add_option("--most", most, "orders to measure at most").range(1, 100).capture_default_str();
  verb.add_option("--candidate", candidates,
                  "also measure this file in place of the kernel's; it is compared, not proved")
      .type_name("FILE")
      .allow_extra_args(false);
  verb.add_option("--rounds", rounds, "times of each candidate")
      .range(5, 100'000)
      .capture_default_str();
  verb.add_option("--measure-time", budget_s, "seconds for a phase of timing")
      .range(1, 86'400)
      .capture_default_str();
  verb.add_option("--limit", limit_s, "seconds after which a silent kernel is killed")
      .range(1, 86'400)
      .capture_default_str();
  verb.add_option("--seeds", seeds, "of random contents, on each of which outputs are compared")
      .type_name("N...");
}

MeasureOptions MeasureArguments::options() const {
  MeasureOptions options;
  options.most = most;
  options.rounds = rounds;
  options.limit_s = limit_s;
  options.budget_s = budget_s;
  options.seeds = seeds;
  for (const std::string& file : candidates)
    options.candidates.push_back(
        {std::filesystem::path(file).filename().string(), read_text(file, kLargestSource)});
  return options;
}

}  // namespace heddle::tool
