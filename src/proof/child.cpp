#include "proof/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/text.h"

namespace heddle::proof {
namespace {

constexpr rlim_t kMemoryLimit = rlim_t{4} << 30;

/// "kind\nextents\ntile extents\nreason"
std::string packed(const SmtAnswer& answer) {
  return fmt::format("{}\n{}\n{}\n{}", static_cast<int>(answer.kind), fmt::join(answer.extents, ","),
                     fmt::join(answer.tile_extents, ","), answer.reason);
}

std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> result;
  for (const std::string_view part : split(text, ',')) {
    if (const auto value = parse_integer(part)) result.push_back(*value);
  }
  return result;
}

SmtAnswer unpacked(const std::string& text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  const auto kind = parse_integer(lines[0]);
  if (lines.size() < 4 || !kind) {
    return {SmtAnswer::Kind::unknown, "Z3 ended without an answer (out of memory, most likely)", {}, {}};
  }
  return {static_cast<SmtAnswer::Kind>(*kind), std::string(lines[3]), numbers(lines[1]), numbers(lines[2])};
}

[[noreturn]] void be_child(int pipe_end, const std::function<SmtAnswer()>& work) {
  const rlimit memory{kMemoryLimit, kMemoryLimit};
  setrlimit(RLIMIT_AS, &memory);
  std::string text;
  try {
    text = packed(work());
  } catch (...) {
    text = packed({SmtAnswer::Kind::unknown, "Z3 failed", {}, {}});
  }
  const ssize_t written = write(pipe_end, text.data(), text.size());
  _exit(written < 0 ? 1 : 0);  // no destructors, no flushing of the parent's buffers
}

/// Reads until the child closes the pipe or the time is over; false in the latter case.
bool read_until(int pipe_end, std::chrono::steady_clock::time_point deadline, std::string& text) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{pipe_end, POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) return false;
    char buffer[4096];
    const ssize_t got = read(pipe_end, buffer, sizeof buffer);
    if (got <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

SmtAnswer in_child(const std::function<SmtAnswer()>& work, std::chrono::milliseconds time_limit) {
  int ends[2];
  if (pipe(ends) != 0) return {SmtAnswer::Kind::unknown, "no pipe for Z3", {}, {}};
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {SmtAnswer::Kind::unknown, "no process for Z3", {}, {}};
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work);
  }
  close(ends[1]);
  std::string text;
  const bool finished = read_until(ends[0], std::chrono::steady_clock::now() + time_limit, text);
  close(ends[0]);
  if (!finished) kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (!finished) return {SmtAnswer::Kind::unknown, "Z3 did not answer in time", {}, {}};
  return unpacked(text);
}

}  // namespace heddle::proof
