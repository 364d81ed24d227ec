#include "trace/native/session.h"

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
#include <string>
#include <utility>

#include "kernel/cxx/assembly.h"
#include "kernel/native.h"
#include "runner/image.h"
#include "support/error.h"
#include "support/grid.h"
#include "trace/native/reasons.h"
#include "trace/source.h"

namespace heddle::trace::native {
namespace {

static_assert(runner::kWindow >> kernel::cxx::kWindowShift == kernel::cxx::kWindowNumber,
              "compiled kernels look for tensors where the runner has them");

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr int kFirstDescriptor = 10;    ///< of the runner's tensor files
constexpr std::size_t kMostAhead = 16;  ///< tiles
constexpr std::chrono::milliseconds kQuickTile{2};
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

/// The files behind the mappings; several may be of one.
std::vector<int> distinct_files(const std::vector<runner::Mapping>& mappings) {
  std::vector<int> files;
  for (const runner::Mapping& mapping : mappings)
    if (mapping.descriptor >= 0 &&
        std::find(files.begin(), files.end(), mapping.descriptor) == files.end())
      files.push_back(mapping.descriptor);
  return files;
}

Error cannot_start(int error) {
  return Error(
      fmt::format("the process that runs kernels cannot be started: {}", std::strerror(error)),
      "is there memory left, and are processes allowed?", ExitCode::missing);
}

}  // namespace

Session::Session(const kernel::KernelProgram& program, const config::Launch& launch,
                 const NativeMemory& memory, const SessionLimits& limits)
    : program_(program), launch_(launch), memory_(memory), limits_(limits), buffer_(kBufferBytes) {}

Session::~Session() {
  stop();
}

void Session::stop() {
  if (to_ >= 0) close(std::exchange(to_, -1));
  if (from_ >= 0) close(std::exchange(from_, -1));
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  process_ = -1;
  first_ = last_ = 0;
  ahead_.clear();
  most_ahead_ = 0;
}

/// Its ends of socket and pipe are closed here: its end is the end of what can be read.
void Session::spawn() {
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
  for (const int file : distinct_files(memory_.mappings())) {
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

void Session::start() {
  if (process_ > 0) return;
  spawn();
  send_setup();
  const runner::Record record = next_record(nullptr);
  if (record.record != runner::RecordKind::started) confused();
  if (watched_) send_watch();
}

void Session::send_watch() {
  std::vector<runner::Command> commands(1);
  commands[0].order = watched_ ? runner::Order::watch_none : runner::Order::watch_all;
  for (const Range& range : watched_.value_or(std::vector<Range>{})) {
    runner::Command& command = commands.emplace_back();
    command.order = runner::Order::watch;
    command.tile[0] = range.begin;
    command.tile[1] = range.end;
  }
  send(commands.data(), commands.size() * sizeof(runner::Command));
}

void Session::watch_reads(std::optional<std::vector<Range>> ranges) {
  drop_ahead();
  watched_ = std::move(ranges);
  if (process_ > 0) send_watch();
}

void Session::send_setup() {
  const kernel::NativeCode& native = kernel::native_of(program_)->code();
  std::vector<runner::Mapping> mappings = memory_.mappings();
  const std::vector<int> files = distinct_files(mappings);
  for (runner::Mapping& mapping : mappings) {
    const auto found = std::find(files.begin(), files.end(), mapping.descriptor);
    if (mapping.descriptor >= 0)
      mapping.descriptor = kFirstDescriptor + static_cast<int>(found - files.begin());
  }
  std::vector<runner::Slot> slots;
  for (const kernel::Parameter& parameter : program_.parameters)
    slots.push_back(slot_of(launch_, launch_.arguments[parameter.argument], memory_));
  std::vector<runner::Site> sites;
  for (std::size_t k = 0; k < program_.sites.size(); ++k)
    sites.push_back({static_cast<runner::SiteKind>(program_.sites[k].kind),
                     static_cast<std::uint8_t>(native.bytes[k])});
  std::vector<runner::Loop> loops;
  for (const kernel::SiteLoop& loop : native.loops) loops.push_back({loop.first, loop.last});
  runner::Setup setup;
  setup.mappings = static_cast<std::uint32_t>(mappings.size());
  setup.arguments = static_cast<std::uint32_t>(slots.size());
  setup.sites = static_cast<std::uint32_t>(sites.size());
  setup.loops = static_cast<std::uint32_t>(loops.size());
  setup.path_bytes = static_cast<std::uint32_t>(native.library.size());
  setup.counters = static_cast<std::uint32_t>(native.counters);
  setup.wave_lanes = static_cast<std::uint32_t>(native.wave_lanes);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    setup.threads[axis] = static_cast<std::uint32_t>(launch_.threads[axis]);
    const auto number = static_cast<int>(axis);
    setup.grid[axis] =
        number < launch_.grid.axes() ? static_cast<std::uint32_t>(launch_.grid.extent(number)) : 1;
  }
  setup.window_bytes = memory_.window_bytes();
  setup.memory_bytes = limits_.memory_bytes;
  setup.cpu_seconds = limits_.cpu_seconds;
  setup.parent = getpid();
  send(&setup, sizeof setup);
  send(mappings.data(), mappings.size() * sizeof mappings[0]);
  send(slots.data(), slots.size() * sizeof slots[0]);
  send(sites.data(), sites.size() * sizeof sites[0]);
  send(loops.data(), loops.size() * sizeof loops[0]);
  send(native.library.data(), native.library.size());
}

void Session::send(const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t some = ::send(to_, at, count, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return;  // it has ended: what it said last is still to be read
    at += some;
    count -= static_cast<std::size_t>(some);
  }
}

void Session::command(runner::Order order, std::array<std::uint64_t, 3> values) {
  start();
  runner::Command command;
  command.order = order;
  std::copy(values.begin(), values.end(), command.tile);
  send(&command, sizeof command);
}

/// At least one more byte.
void Session::fill() {
  if (first_ == last_) first_ = last_ = 0;
  if (last_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + first_, last_ - first_);
    last_ -= std::exchange(first_, 0);
  }
  pollfd waiting{from_, POLLIN, 0};
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(limits_.silence);
  int ready = 0;
  do {
    ready = poll(&waiting, 1, static_cast<int>(limit.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    is_silent_ = true;
    const std::string where = tile_text();
    stop();
    throw Error(fmt::format("{} runs for more than {} s without reading or writing a tensor", where,
                            limits_.silence.count()),
                "does it wait for another block, or for ever?", ExitCode::target_failed)
        .in(program_.source_path);
  }
  const ssize_t some = read(from_, buffer_.data() + last_, buffer_.size() - last_);
  if (some < 0 && errno == EINTR) return;
  if (some <= 0) lost();
  last_ += static_cast<std::size_t>(some);
}

void Session::receive(void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    if (first_ == last_) fill();
    const std::size_t some = std::min(count, last_ - first_);
    std::memcpy(at, buffer_.data() + first_, some);
    first_ += some;
    at += some;
    count -= some;
  }
}

/// Whether every address that a record can mean is one of the window: a sum of them cannot
/// overflow.
bool Session::is_inside(const runner::Access& access,
                        std::span<const std::uint64_t> addresses) const {
  const std::uint64_t bytes = memory_.window_bytes();
  const auto inside = [&](std::uint64_t address) { return address - runner::kWindow < bytes; };
  if (access.regular == 0) return std::all_of(addresses.begin(), addresses.end(), inside);
  // The base is that of thread 0, which need not be there: threads and strides are below 2^42.
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  return access.base > -kFar && access.base < kFar;
}

void Session::read_access(Listener& listener) {
  runner::Access access;
  receive(&access, sizeof access);
  const auto threads = static_cast<std::uint32_t>(launch_.thread_count());
  const std::uint32_t words = access.mask == runner::Mask::bits ? (threads + 63) / 64 : 0;
  const std::uint32_t addresses = access.regular != 0 ? 0 : access.active;
  const bool is_range = access.mask == runner::Mask::range;
  if (access.site >= program_.sites.size() || access.active == 0 || access.active > threads ||
      access.mask > runner::Mask::bits || access.bytes != 8 * (words + addresses) ||
      (access.mask == runner::Mask::all && access.active != threads) ||
      (is_range && (access.last > threads || access.first >= access.last ||
                    access.active != std::uint32_t{access.last} - access.first)))
    confused();
  words_.resize(words + addresses);
  receive(words_.data(), access.bytes);
  if (words > 0) {
    std::uint32_t set = 0;
    for (std::uint32_t k = 0; k < words; ++k)
      set += static_cast<std::uint32_t>(__builtin_popcountll(words_[k]));
    if (set != access.active || (threads % 64 != 0 && words_[words - 1] >> threads % 64 != 0))
      confused();
  }
  if (!is_inside(access, std::span(words_).subspan(words))) confused();
  if (++accesses_ > limits_.accesses) {
    const std::string where = tile_text();
    stop();
    throw Error(fmt::format("{} reads and writes more than {} times", where, limits_.accesses),
                "trace a smaller size with --set", ExitCode::inconclusive)
        .in(program_.source_path);
  }
  listener.access(access, std::span(words_).first(words), std::span(words_).subspan(words));
}

/// The next record that is no access. Without a listener accesses are not expected.
runner::Record Session::next_record(Listener* listener) {
  while (true) {
    if (first_ == last_) fill();
    const auto kind = static_cast<runner::RecordKind>(buffer_[first_]);
    if (kind == runner::RecordKind::access) {
      if (listener == nullptr) confused();
      read_access(*listener);
      continue;
    }
    runner::Record record;
    receive(&record, sizeof record);
    if (record.record == runner::RecordKind::fault) fail(record);
    return record;
  }
}

void Session::read_end(const runner::Record& record) {
  const auto counters = static_cast<std::size_t>(kernel::native_of(program_)->code().counters);
  if (record.record != runner::RecordKind::end ||
      record.bytes != sizeof end_ + counters * sizeof(std::uint64_t))
    confused();
  receive(&end_, sizeof end_);
  counters_.resize(counters);
  receive(counters_.data(), counters * sizeof(std::uint64_t));
}

void Session::send_tile(runner::Order order, std::array<std::int64_t, 3> tile) {
  command(order, {static_cast<std::uint64_t>(tile[0]), static_cast<std::uint64_t>(tile[1]),
                  static_cast<std::uint64_t>(tile[2])});
}

/// Asks for the tiles that come next if the distance stays the same, several at a time.
void Session::ask_ahead(std::int64_t id) {
  if (2 * ahead_.size() > most_ahead_) return;
  std::vector<runner::Command> commands;
  std::int64_t next = (ahead_.empty() ? id : ahead_.back()) + step_;
  while (ahead_.size() < most_ahead_ && next >= 0 && next < launch_.grid.count()) {
    const auto tile = block_of(launch_.grid, LaunchId{next});
    runner::Command& command = commands.emplace_back();
    command.order = runner::Order::trace;
    std::copy(tile.begin(), tile.end(), command.tile);
    ahead_.push_back(next);
    next += step_;
  }
  send(commands.data(), commands.size() * sizeof(runner::Command));
}

/// Reads what was asked for and is not wanted.
void Session::drop_ahead() {
  class Nobody final : public Listener {
    void access(const runner::Access&, std::span<const std::uint64_t>,
                std::span<const std::uint64_t>) override {}
  } nobody;
  if (ahead_.empty()) return;
  most_ahead_ = 0;
  try {
    for (; !ahead_.empty(); ahead_.pop_front()) {
      accesses_ = 0;
      read_end(next_record(&nobody));
    }
  } catch (const Error&) {
    stop();  // a tile that nobody wants: the next one gets a new process
  }
}

/// A process that ended may have done so in a later tile, and what this one said went with it. The
/// tile is run once more, with none behind it; what was handed on is not handed on again.
void Session::trace_alone(std::array<std::int64_t, 3> tile, Listener& listener) {
  class Rest final : public Listener {
   public:
    Rest(Listener& listener, std::int64_t known) : listener_(listener), known_(known) {}
    void access(const runner::Access& access, std::span<const std::uint64_t> mask,
                std::span<const std::uint64_t> addresses) override {
      if (known_-- <= 0) listener_.access(access, mask, addresses);
    }

   private:
    Listener& listener_;
    std::int64_t known_;
  } rest(listener, accesses_);
  accesses_ = 0;
  send_tile(runner::Order::trace, tile);
  try {
    read_end(next_record(&rest));
  } catch (...) {
    stop();
    throw;
  }
}

void Session::trace(std::array<std::int64_t, 3> tile, Listener& listener) {
  const Grid& grid = launch_.grid;
  const std::int64_t id = tile[0] + grid.extent(0) * (tile[1] + grid.extent(1) * tile[2]);
  const auto started = std::chrono::steady_clock::now();
  const bool is_expected = !ahead_.empty() && ahead_.front() == id;
  if (!is_expected) {
    drop_ahead();
    send_tile(runner::Order::trace, tile);
  } else {
    ahead_.pop_front();
  }
  const bool in_step = last_id_ >= 0 && id - last_id_ == step_ && step_ != 0;
  step_ = last_id_ >= 0 ? id - last_id_ : 0;
  last_id_ = id;
  if (in_step) ask_ahead(id);
  tile_ = tile;
  accesses_ = 0;
  const bool has_followers = !ahead_.empty();
  is_silent_ = false;
  try {
    read_end(next_record(&listener));
  } catch (...) {
    stop();  // in the middle of a tile
    if (!has_followers || !is_silent_) throw;
    trace_alone(tile, listener);
  }
  const bool is_quick = std::chrono::steady_clock::now() - started < kQuickTile;
  most_ahead_ = in_step && is_quick ? std::clamp<std::size_t>(2 * most_ahead_, 1, kMostAhead) : 0;
}

void Session::run(std::array<std::int64_t, 3> tile) {
  drop_ahead();
  tile_ = tile;
  send_tile(runner::Order::run, tile);
  read_end(next_record(nullptr));
}

std::vector<char> Session::memory(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 28;
  drop_ahead();
  std::vector<char> all(bytes);
  for (std::uint64_t done = 0; done < bytes; done += kPiece) {
    const std::uint64_t some = std::min(kPiece, bytes - done);
    command(runner::Order::memory, {address + done, some, 0});
    const runner::Record record = next_record(nullptr);
    if (record.record != runner::RecordKind::bytes || record.bytes != some) confused();
    receive(all.data() + done, some);
  }
  return all;
}

std::string Session::tile_text() const {
  return fmt::format("tile ({})", fmt::join(tile_index(launch_.grid, tile_), ", "));
}

void Session::fail(const runner::Record& record) {
  runner::Fault fault;
  if (record.bytes < sizeof fault || record.bytes > sizeof fault + runner::kMostReasonBytes)
    confused();
  receive(&fault, sizeof fault);
  std::string text(record.bytes - sizeof fault, '\0');
  receive(text.data(), text.size());
  const std::string where = tile_text();
  stop();
  throw fault_error(program_, launch_, fault, text, where);
}

void Session::lost() {
  is_silent_ = true;
  int status = 0;
  const std::string where = tile_text();
  if (process_ > 0) kill(process_, SIGKILL);  // it may have closed its end only
  const bool is_known = process_ > 0 && waitpid(process_, &status, 0) == process_;
  process_ = -1;
  stop();
  throw end_error(program_, is_known ? status : -1, where);
}

void Session::confused() {
  const std::string where = tile_text();
  stop();
  throw Error(fmt::format("{}: the process that runs the kernel says what makes no sense", where),
              "the kernel may have written over its memory: look for stores out of bounds",
              ExitCode::target_failed)
      .in(program_.source_path);
}

}  // namespace heddle::trace::native
