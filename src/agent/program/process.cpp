#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "words.h"

namespace heddle::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptErrors = std::size_t{64} << 10;
constexpr int kTick_ms = 100;
constexpr int kNotStarted = 127;

/// What the child's process does between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* words, int output, int errors, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotStarted);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(words[0], words);
  const char* const text = std::strerror(errno);
  (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(kNotStarted);
}

class Child {
 public:
  Child(const std::vector<std::string>& words, const ChildLimits& limits, const Listener& listener)
      : limits_(limits), listener_(listener) {
    std::array<int, 2> output{-1, -1};
    std::array<int, 2> errors{-1, -1};
    if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0) return;
    std::vector<char*> list;
    for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) become(list.data(), output[1], errors[1], parent);
    if (process_ > 0) setpgid(process_, process_);
    close(output[1]);
    close(errors[1]);
    output_ = output[0];
    errors_ = errors[0];
    for (const int file : {output_, errors_}) fcntl(file, F_SETFL, O_NONBLOCK);
  }

  ~Child() {
    for (const int file : {output_, errors_})
      if (file >= 0) close(file);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ChildEnd run(const std::function<void()>& tick) {
    if (process_ <= 0) return {EndKind::not_started, 0, std::strerror(errno)};
    auto alive = Clock::now();
    while (!reaped_ && !end_) {
      std::array<pollfd, 2> files = {
          {{output_open_ ? output_ : -1, POLLIN, 0}, {errors_open_ ? errors_ : -1, POLLIN, 0}}};
      poll(files.data(), files.size(), kTick_ms);
      reap();
      if (listen()) alive = Clock::now();
      const std::chrono::duration<double> silent = Clock::now() - alive;
      if (!reaped_ && !end_ && silent.count() > limits_.silent_s) end_ = EndKind::silent;
      if (!reaped_ && !end_ && limits_.until && Clock::now() > *limits_.until) end_ = EndKind::late;
      tick();
    }
    kill(-process_, SIGKILL);
    if (!reaped_) {
      while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
      }
    }
    if (!end_) listen();
    return {kind(), code(), errors_text_};
  }

 private:
  void reap() {
    const pid_t found = waitpid(process_, &status_, WNOHANG);
    reaped_ = found == process_ || (found < 0 && errno == ECHILD);
  }

  EndKind kind() const {
    if (end_) return *end_;
    if (WIFSIGNALED(status_)) return EndKind::signalled;
    return WEXITSTATUS(status_) == kNotStarted ? EndKind::not_started : EndKind::exited;
  }
  int code() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_); }

  /// Reads what is there; true if a line was a sign of life.
  bool listen() {
    read_errors();
    bool life = false;
    std::array<char, 65'536> buffer;
    // Bounded, so that a child that never stops does not keep us here.
    for (int i = 0; i < 64 && output_open_ && !end_; ++i) {
      const ssize_t some = read(output_, buffer.data(), buffer.size());
      if (some < 0 && errno == EINTR) continue;
      if (some < 0 && errno == EAGAIN) break;
      if (some <= 0) {
        output_open_ = false;
        break;
      }
      heard_bytes_ += static_cast<std::uint64_t>(some);
      if (heard_bytes_ > limits_.output_bytes) end_ = EndKind::flooding;
      line_.append(buffer.data(), static_cast<std::size_t>(some));
      life = take_lines() || life;
      if (!end_ && line_.size() > limits_.line_bytes) end_ = EndKind::flooding;
    }
    return life;
  }

  bool take_lines() {
    bool life = false;
    std::size_t begin = 0;
    while (!end_) {
      const std::size_t end = line_.find('\n', begin);
      if (end == std::string::npos) break;
      const Heard heard = listener_(std::string_view(line_).substr(begin, end - begin));
      life = life || heard == Heard::life;
      if (heard == Heard::enough) end_ = EndKind::stopped;
      begin = end + 1;
    }
    line_.erase(0, begin);
    return life;
  }

  void read_errors() {
    std::array<char, 65'536> buffer;
    for (int i = 0; i < 64 && errors_open_; ++i) {
      const ssize_t some = read(errors_, buffer.data(), buffer.size());
      if (some < 0 && errno == EINTR) continue;
      if (some < 0 && errno == EAGAIN) break;
      if (some <= 0) {
        errors_open_ = false;
        break;
      }
      errors_text_.append(buffer.data(), static_cast<std::size_t>(some));
      if (errors_text_.size() > kKeptErrors)
        errors_text_.erase(0, errors_text_.size() - kKeptErrors);
    }
  }

  const ChildLimits& limits_;
  const Listener& listener_;
  pid_t process_ = -1;
  int output_ = -1;
  int errors_ = -1;
  bool output_open_ = true;
  bool errors_open_ = true;
  bool reaped_ = false;
  int status_ = 0;
  std::optional<EndKind> end_;
  std::uint64_t heard_bytes_ = 0;
  std::string line_;
  std::string errors_text_;
};

}  // namespace

ChildEnd run_child(const std::vector<std::string>& words, const ChildLimits& limits,
                   const Listener& listener, const std::function<void()>& tick) {
  return Child(words, limits, listener).run(tick);
}

std::string end_text(const ChildEnd& end) {
  // The last line that is not empty says most.
  std::string errors = end.errors;
  while (!errors.empty() && (errors.back() == '\n' || errors.back() == ' ')) errors.pop_back();
  const std::size_t line = errors.rfind('\n');
  if (line != std::string::npos) errors.erase(0, line + 1);
  const std::string said = errors.empty() ? "" : ": " + printable(errors, 300);
  switch (end.kind) {
    case EndKind::exited:
      return "its process ended with code " + std::to_string(end.code) + said;
    case EndKind::signalled:
      return "its process was ended by signal " + std::to_string(end.code) + " (" +
             strsignal(end.code) + ")" + said;
    case EndKind::silent:
      return "its process said nothing for too long";
    case EndKind::late:
      return "its process was ended with the time of --budget";
    case EndKind::flooding:
      return "its process wrote too much";
    case EndKind::stopped:
      return "its process was stopped";
    case EndKind::not_started:
      return "the process could not be started" + said;
  }
  return "";
}

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  const auto usable = [](const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return usable(name) ? name : "";
  const char* const path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& folder : folders) rest += ":" + folder;
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t end = std::min(rest.find(':', at), rest.size());
    const std::string file = rest.substr(at, end - at) + "/" + name;
    if (end > at && usable(file)) return file;
    at = end + 1;
  }
  return "";
}

}  // namespace heddle::agent
