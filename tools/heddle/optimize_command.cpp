#include "optimize_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "output.h"
#include "report/optimization_json.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

constexpr std::size_t kMostOutput = std::size_t{16} << 20;
constexpr std::size_t kMemory = std::size_t{1} << 40;  ///< programs that ask models reserve much
constexpr int kMostRepeats = 2;
constexpr std::size_t kQuoted = 200;

/// The last line that a program wrote to standard error.
std::string last_line(const std::string& errors) {
  std::string_view last;
  for (const std::string_view line : split_lines(errors))
    if (!trim(line).empty()) last = trim(line);
  std::string quoted;
  for (const char c : last.substr(0, kQuoted))
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return quoted;
}

}  // namespace

std::optional<search::GivenText> ProposeCommand::give_up(const std::string& why) {
  notes_.push_back(fmt::format("--propose-cmd {}; it was not asked again", why));
  return std::nullopt;
}

std::optional<search::GivenText> ProposeCommand::ask(const OptimizationReport& so_far, int round,
                                                     std::chrono::milliseconds most,
                                                     const std::function<bool()>& stop) {
  ChildLimits limits;
  limits.time = std::min(time_, most);
  limits.output_bytes = kMostOutput;
  limits.memory_bytes = kMemory;
  limits.stop = stop;
  ChildResult result;
  try {
    result = run_child({"/bin/sh", "-c", command_}, json_text(report::feedback_json(so_far, round)),
                       limits);
  } catch (const Error&) {
    return give_up("could not be started");
  }
  if (result.stopped) return std::nullopt;
  if (result.timed_out)
    return give_up(fmt::format("took more than {:.3g} s in round {}",
                               static_cast<double>(limits.time.count()) / 1000, round));
  if (result.too_much_output)
    return give_up(fmt::format("wrote more than {} MiB in round {}", kMostOutput >> 20, round));
  if (result.exit_code != 0) {
    const std::string said = last_line(result.errors);
    return give_up(fmt::format("ended with exit code {} in round {}{}", result.exit_code, round,
                               said.empty() ? "" : ": " + said));
  }
  if (trim(result.output).empty()) return std::nullopt;  // it has no more to say
  repeated_ = answers_.insert(result.output).second ? 0 : repeated_ + 1;
  if (repeated_ >= kMostRepeats)
    return give_up(fmt::format("gave the same answer as before in round {}", round));
  return search::GivenText{"command", std::move(result.output)};
}

}  // namespace heddle::tool
