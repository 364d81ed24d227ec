#include "support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

#include "support/error.h"
#include "support/killed_children.h"
#include "support/landlock.h"

namespace heddle {
namespace {

constexpr std::size_t kErrorLimit = std::size_t{64} << 10;
constexpr int kCannotStart = 127;
constexpr std::chrono::milliseconds kBetweenQuestions{100};

/// Both ends of a pipe; closes what is left open.
struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("no pipe could be made", "close programs");
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

void limit(__rlimit_resource what, std::size_t bytes) {
  const rlimit both{bytes, bytes};
  setrlimit(what, &both);
}

/// All that a child needs, made before it is there: it shares our memory until it becomes another
/// program.
struct Start {
  std::vector<char*> arguments;  ///< both end with a null
  std::vector<char*> environment;
  std::string temporary;  ///< "TMPDIR=/tmp/mine", which `environment` may point into

  Start(const std::vector<std::string>& command, const ChildLimits& limits) {
    for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
    arguments.push_back(nullptr);
    if (!limits.temporary.empty()) temporary = "TMPDIR=" + limits.temporary;
    for (char** one = environ; *one != nullptr; ++one)
      if (temporary.empty() || std::string_view(*one).substr(0, 7) != "TMPDIR=")
        environment.push_back(*one);
    if (!temporary.empty()) environment.push_back(temporary.data());
    environment.push_back(nullptr);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
};

/// In the child: calls of the system alone, nothing that takes memory or changes ours.
[[noreturn]] void become(const Start& start, const Pipe& input, const Pipe& output,
                         const Pipe& errors, const ChildLimits& limits, const FileRules* rules,
                         pid_t parent, const sigset_t& signals) {
  setpgid(0, 0);  // its own group: it ends with all that it has started
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotStart);  // the caller has ended already
  dup2(input.read_end, STDIN_FILENO);
  dup2(output.write_end, STDOUT_FILENO);
  dup2(errors.write_end, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  if (limits.file_bytes > 0) limit(RLIMIT_FSIZE, limits.file_bytes);
  if (limits.processor_seconds > 0) {
    const rlimit seconds{limits.processor_seconds, limits.processor_seconds + 1};
    setrlimit(RLIMIT_CPU, &seconds);  // at the first SIGXCPU
  }
  if (rules != nullptr) rules->apply();
  for (int number = 1; number < NSIG; ++number) {  // a handler of ours must not run in the child
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    if (action.sa_handler == SIG_DFL) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigaction(number, &action, nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  limit(RLIMIT_AS, limits.memory_bytes);
  execvpe(start.arguments[0], start.arguments.data(), start.environment.data());
  _exit(kCannotStart);
}

/// vfork, not fork: a copy of our page tables takes longer than most children do, and is dropped at
/// once. Until the child has become another program it runs in our memory, and this thread waits;
/// so no signal may come in between.
pid_t start_child(const Start& start, const Pipe& input, const Pipe& output, const Pipe& errors,
                  const ChildLimits& limits, const FileRules* rules) {
  const pid_t parent = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = vfork();
  if (child == 0) become(start, input, output, errors, limits, rules, parent, before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child;
}

/// Feeds input and drains both outputs until the child has closed them.
void exchange(const std::string& text, Pipe& input, Pipe& output, Pipe& errors,
              const ChildLimits& limits, ChildResult& result) {
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  std::size_t sent = 0;
  std::size_t received = 0;  // of standard output
  fcntl(input.write_end, F_SETFL, O_NONBLOCK);
  if (text.empty()) Pipe::close_end(input.write_end);
  std::array<char, 65536> buffer{};
  while (output.read_end >= 0 || errors.read_end >= 0) {
    std::array<pollfd, 3> waiting{pollfd{output.read_end, POLLIN, 0},
                                  pollfd{errors.read_end, POLLIN, 0},
                                  pollfd{input.write_end, POLLOUT, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      return;
    }
    if (limits.stop && limits.stop()) {
      result.stopped = true;
      return;
    }
    const auto wait = limits.stop ? std::min(left, kBetweenQuestions) : left;
    if (poll(waiting.data(), waiting.size(), static_cast<int>(wait.count())) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waiting[2].revents != 0) {
      const ssize_t wrote = write(input.write_end, text.data() + sent, text.size() - sent);
      if (wrote > 0) sent += static_cast<std::size_t>(wrote);
      if ((wrote < 0 && errno != EAGAIN) || sent == text.size()) Pipe::close_end(input.write_end);
    }
    for (std::size_t which = 0; which < 2; ++which) {
      if (waiting[which].revents == 0) continue;
      Pipe& from = which == 0 ? output : errors;
      const ssize_t got = read(from.read_end, buffer.data(), buffer.size());
      if (got <= 0) {
        Pipe::close_end(from.read_end);
        continue;
      }
      const std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
      const auto& taker = which == 0 ? limits.on_output : limits.on_errors;
      if (taker) taker(piece);
      if (which == 0 ? !taker : result.errors.size() < kErrorLimit)
        (which == 0 ? result.output : result.errors) += piece;
      if (which == 0) received += piece.size();
      if (received > limits.output_bytes) {
        result.too_much_output = true;
        return;
      }
    }
  }
}

/// Waits for the end of a child that has closed its outputs, which need not have ended. What it has
/// started ends with it, however it ended.
int wait_for(pid_t child, const std::chrono::steady_clock::time_point deadline,
             const ChildLimits& limits, ChildResult& result) {
  while (!result.timed_out && !result.stopped && !result.too_much_output) {
    siginfo_t ended{};
    // The child stays to be waited for, so that nobody else gets its number meanwhile.
    if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno != EINTR) break;
    } else if (ended.si_pid == child) {
      break;
    }
    result.timed_out = std::chrono::steady_clock::now() >= deadline;
    result.stopped = limits.stop && limits.stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);  // where its group is not made yet
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!result.timed_out && !result.stopped && !result.too_much_output) note_child_end(status);
  return status;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const std::string& input_text,
                      const ChildLimits& limits) {
  Pipe input;
  Pipe output;
  Pipe errors;
  std::optional<FileRules> rules;
  if (!limits.readable.empty() || !limits.writable.empty())
    rules.emplace(limits.readable, limits.writable);
  const Start start(command, limits);
  const pid_t child = start_child(start, input, output, errors, limits, rules ? &*rules : nullptr);
  if (child < 0) throw Error("no process could be started", "close programs");
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  Pipe::close_end(input.read_end);
  Pipe::close_end(output.write_end);
  Pipe::close_end(errors.write_end);
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;  // a child that ends early must not end us
  sigaction(SIGPIPE, &ignore, &before);
  ChildResult result;
  exchange(input_text, input, output, errors, limits, result);
  sigaction(SIGPIPE, &before, nullptr);
  const int status = wait_for(child, deadline, limits, result);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (limits.processor_seconds > 0 && result.exit_code == 128 + SIGXCPU) result.timed_out = true;
  if (result.exit_code == kCannotStart)
    throw Error("the program " + command[0] + " cannot be started",
                "install it, e.g. apt-get install " + command[0], ExitCode::missing);
  return result;
}

}  // namespace heddle
