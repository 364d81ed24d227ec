#include "measure/agent_process.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "measure/judge.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAddressSpace = std::size_t{1} << 46;  ///< a GPU's driver reserves terabytes
constexpr int kOverhead_s = 300;                             ///< builds, imports, counters

std::vector<std::string> command_of(const AgentOptions& options) {
  std::vector<std::string> command;
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path() / "heddle-agent";
  if (!options.program.empty() && !fs::is_regular_file(options.program, error))
    throw Error(fmt::format("there is no agent '{}'", options.program),
                "name heddle-agent with --agent, or leave that out", ExitCode::missing);
  if (!options.program.empty())
    command = {options.program, options.folder};
  else if (!error && fs::exists(beside, error))
    command = {beside.string(), options.folder};
  else
    command = {"/bin/sh", (fs::path(options.folder) / "run.sh").string()};
  if (!options.python.empty()) command.insert(command.end(), {"--python", options.python});
  if (!options.counters) command.emplace_back("--no-counters");
  return command;
}

/// The last thing that the agent said, without its hint.
std::string last_words(const std::string& errors) {
  constexpr std::string_view kName = "heddle-agent: ";
  std::string_view last;
  for (const std::string_view line : split_lines(errors))
    if (!trim(line).empty() && !trim(line).starts_with("try:")) last = trim(line);
  if (last.starts_with(kName)) last.remove_prefix(kName.size());
  return std::string(last);
}

}  // namespace

MeasurementReport measure_here(const Bundle& bundle, const AgentOptions& options) {
  write_bundle(bundle, options.folder);
  ChildLimits limits;
  const auto runs = bundle.candidates.size() * bundle.launches.size() * bundle.seeds.size();
  limits.time = std::chrono::seconds(kOverhead_s + 2 * bundle.budget_s +
                                     static_cast<int>(runs) * bundle.limit_s);
  limits.memory_bytes = kAddressSpace;
  limits.stop = options.stop;
  const ChildResult result = run_child(command_of(options), "", limits);
  if (result.stopped)
    throw Error("the measurement was interrupted", "run it again", ExitCode::interrupted);
  if (result.timed_out)
    throw Error(fmt::format("the agent took more than {} s",
                            std::chrono::duration_cast<std::chrono::seconds>(limits.time).count()),
                fmt::format("look at {}/results", options.folder), ExitCode::missing);
  const auto code = static_cast<ExitCode>(result.exit_code);
  if (code == ExitCode::missing)
    throw Error(fmt::format("nothing can be measured here: {}", last_words(result.errors)),
                "write a bundle with heddle bundle, and run it where there is a GPU",
                ExitCode::missing);
  if (code != ExitCode::good && code != ExitCode::target_failed)
    throw Error(fmt::format("the agent ended with exit code {}: {}", result.exit_code,
                            last_words(result.errors)),
                fmt::format("run it by hand: heddle-agent {}", options.folder), ExitCode::missing);
  return read_measurement(options.folder);
}

}  // namespace heddle::measure
