#include "proof/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdint>

#include "support/killed_children.h"
#include "support/text.h"

namespace heddle::proof {
namespace {

[[maybe_unused]] constexpr rlim_t kMemoryLimit = rlim_t{4} << 30;
/// By the clock, a busy machine takes many times as long; a child that hangs must end all the same.
constexpr int kMostTimes = 50;
constexpr std::chrono::minutes kMostWait{10};

/// "kind\nplain\nextents\ntile extents\nreason"
std::string packed(const SmtAnswer& answer) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", static_cast<int>(answer.kind), answer.plain ? 1 : 0,
                     fmt::join(answer.extents, ","), fmt::join(answer.tile_extents, ","),
                     answer.reason);
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
  if (lines.size() < 5 || !kind)
    return unknown("Z3 ended without an answer (out of memory, most likely)");
  SmtAnswer answer;
  answer.kind = static_cast<SmtAnswer::Kind>(*kind);
  answer.plain = lines[1] == "1";
  answer.extents = numbers(lines[2]);
  answer.tile_extents = numbers(lines[3]);
  answer.reason = lines[4];
  return answer;
}

[[noreturn]] void be_child(int pipe_end, const std::function<SmtAnswer()>& work,
                           std::chrono::milliseconds time_limit) {
#if !defined(__SANITIZE_ADDRESS__)  // whose shadow alone is larger than the limit
  const rlimit memory{kMemoryLimit, kMemoryLimit};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const auto seconds =
      static_cast<rlim_t>(std::chrono::ceil<std::chrono::seconds>(time_limit).count());
  const rlimit time{seconds, seconds + 1};
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(SIGXCPU, SIG_DFL);
  setrlimit(RLIMIT_CPU, &time);  // SIGXCPU ends it
  std::string text;
  try {
    text = packed(work());
  } catch (...) {
    text = packed(unknown("Z3 failed"));
  }
  const ssize_t written = write(pipe_end, text.data(), text.size());
  _exit(written < 0 ? 1 : 0);  // no destructors, no flushing of the parent's buffers
}

/// Reads until the child closes the pipe or the time is over; false in the latter case.
bool read_until(int pipe_end, std::chrono::steady_clock::time_point deadline, std::string& text) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting{pipe_end, POLLIN, 0};
    if (left.count() <= 0) return false;
    const auto wait = std::min<std::int64_t>(left.count(), INT_MAX);
    if (poll(&waiting, 1, static_cast<int>(wait)) == 0) continue;
    char buffer[4096];
    const ssize_t got = read(pipe_end, buffer, sizeof buffer);
    if (got <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

SmtAnswer in_child(const std::function<SmtAnswer()>& work, std::chrono::milliseconds time_limit) {
  int ends[2];
  if (pipe(ends) != 0) return unknown("no pipe for Z3");
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return unknown("no process for Z3");
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work, time_limit);
  }
  close(ends[1]);
  const auto most =
      std::min<std::chrono::milliseconds>(kMostTimes * time_limit, time_limit + kMostWait);
  std::string text;
  const bool finished = read_until(ends[0], std::chrono::steady_clock::now() + most, text);
  close(ends[0]);
  if (!finished) kill(child, SIGKILL);
  int status = 0;
  const bool ended = waitpid(child, &status, 0) == child;
  const bool out_of_time =
      !finished || (ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
  if (ended && !out_of_time) note_child_end(status);
  if (out_of_time)
    return unknown("Z3 did not answer in its time (half the limit for each of two encodings)");
  return unpacked(text);
}

}  // namespace heddle::proof
