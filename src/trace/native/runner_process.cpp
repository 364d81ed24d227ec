#include "trace/native/runner_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "runner/image.h"
#include "runner/protocol.h"
#include "support/error.h"

namespace heddle::trace::native {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr int kAboveAll = 512;  ///< where this process holds descriptors meanwhile

/// The runner's program as a file that can be started.
int runner_file() {
  static const int file = [] {
    const int made = memfd_create("heddle-runner", MFD_CLOEXEC);
    const std::span<const char> image = runner::image();
    std::size_t done = 0;
    while (made >= 0 && done < image.size()) {
      const ssize_t some = write(made, image.data() + done, image.size() - done);
      if (some <= 0) break;
      done += static_cast<std::size_t>(some);
    }
    // Far from the numbers that a runner's own files get.
    const int above = done == image.size() ? fcntl(made, F_DUPFD_CLOEXEC, kAboveAll) : -1;
    if (made >= 0) close(made);
    return above;
  }();
  if (file < 0)
    throw Error("the program that runs kernels cannot be put into memory",
                "is there memory left, and does this system have memfd_create?", ExitCode::missing);
  return file;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Error cannot_start(int error) {
  return Error(
      fmt::format("the process that runs kernels cannot be started: {}", std::strerror(error)),
      "is there memory left, and are processes allowed?", ExitCode::missing);
}

}  // namespace

RunnerProcess::RunnerProcess() : buffer_(kBufferBytes) {}

void RunnerProcess::stop() {
  if (to_ >= 0) close(std::exchange(to_, -1));
  if (from_ >= 0) close(std::exchange(from_, -1));
  kill_and_wait();
  first_ = last_ = 0;
}

int RunnerProcess::kill_and_wait() {
  if (process_ <= 0) return -1;
  kill(process_, SIGKILL);  // it may have closed its end only
  int status = 0;
  const pid_t process = std::exchange(process_, -1);
  return waitpid(process, &status, 0) == process ? status : -1;
}

/// Its ends of socket and pipe are closed here: its end is the end of what can be read.
void RunnerProcess::start(std::span<const int> descriptors) {
  int sockets[2];
  int pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw cannot_start(errno);
  Descriptor own_to(sockets[0]);
  const Descriptor its_from(sockets[1]);
  if (pipe2(pipes, O_CLOEXEC) != 0) throw cannot_start(errno);
  Descriptor own_from(pipes[0]);
  const Descriptor its_to(pipes[1]);
  fcntl(own_from.get(), F_SETPIPE_SZ, static_cast<int>(kBufferBytes));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Above all numbers that the runner gets, so that none is overwritten before it is copied.
  const Descriptor above_from(fcntl(its_from.get(), F_DUPFD_CLOEXEC, kAboveAll));
  const Descriptor above_to(fcntl(its_to.get(), F_DUPFD_CLOEXEC, kAboveAll));
  if (above_from.get() < 0 || above_to.get() < 0) throw cannot_start(errno);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, above_to.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, above_from.get(), runner::kCommandSocket);
  std::vector<std::unique_ptr<Descriptor>> files;
  for (const int file : descriptors) {
    const int above = fcntl(file, F_DUPFD_CLOEXEC, kAboveAll);
    if (above < 0) throw cannot_start(errno);
    posix_spawn_file_actions_adddup2(&actions, above,
                                     kFirstDescriptor + static_cast<int>(files.size()));
    files.push_back(std::make_unique<Descriptor>(above));
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string path = fmt::format("/proc/self/fd/{}", runner_file());
  std::string name = "heddle-runner";
  char* const arguments[] = {name.data(), nullptr};
  const char* const libraries = std::getenv("LD_LIBRARY_PATH");
  std::string environment =
      fmt::format("LD_LIBRARY_PATH={}", libraries != nullptr ? libraries : "");
  char* const variables[] = {environment.data(), nullptr};
  pid_t process = -1;
  const int error =
      posix_spawn(&process, path.c_str(), &actions, &attributes, arguments, variables);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw cannot_start(error);
  process_ = process;
  to_ = own_to.release();
  from_ = own_from.release();
}

void RunnerProcess::send(const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t some = ::send(to_, at, count, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return;  // it has ended: what it said last is still to be read
    at += some;
    count -= static_cast<std::size_t>(some);
  }
}

RunnerProcess::Wait RunnerProcess::wait(std::chrono::milliseconds limit) {
  if (first_ == last_) first_ = last_ = 0;
  if (last_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + first_, last_ - first_);
    last_ -= std::exchange(first_, 0);
  }
  pollfd waiting{from_, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, static_cast<int>(limit.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return Wait::silent;
  const ssize_t some = read(from_, buffer_.data() + last_, buffer_.size() - last_);
  if (some < 0 && errno == EINTR) return Wait::ready;
  if (some <= 0) return Wait::ended;
  last_ += static_cast<std::size_t>(some);
  return Wait::ready;
}

std::size_t RunnerProcess::take(char* bytes, std::size_t count) {
  const std::size_t some = std::min(count, last_ - first_);
  std::memcpy(bytes, buffer_.data() + first_, some);
  first_ += some;
  return some;
}

}  // namespace heddle::trace::native
