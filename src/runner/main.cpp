// The program that runs a traced kernel: it gets ready, closes the sandbox, loads the kernel and
// does what heddle asks for. See protocol.h.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "heddle/abi.h"
#include "runner/lanes.h"
#include "runner/observer.h"
#include "runner/output.h"
#include "runner/protocol.h"
#include "runner/sandbox.h"
#include "runner/shared.h"

namespace heddle::runner {
namespace {

std::uint32_t block_index[3] = {};
std::uint32_t grid_extent[3] = {1, 1, 1};

/// False at the end of the input.
bool read_all(void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t some = recv(kCommandSocket, at, count, 0);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    at += some;
    count -= static_cast<std::size_t>(some);
  }
  return true;
}

template <class T>
std::vector<T> read_list(std::size_t count) {
  std::vector<T> list(count);
  if (!read_all(list.data(), count * sizeof(T))) _exit(1);
  return list;
}

void map_tensors(const Setup& setup, const std::vector<Mapping>& mappings) {
  const auto map = [](std::uint64_t address, std::uint64_t bytes, int protection, int flags,
                      const Mapping& from) {
    void* const wanted = reinterpret_cast<void*>(address);
    void* const got = mmap(wanted, bytes, protection, MAP_PRIVATE | MAP_NORESERVE | flags,
                           from.descriptor, from.offset);
    if (got != wanted)
      fail(FaultKind::setup, std::string("the tensors do not fit into memory: ") +
                                 std::strerror(got == MAP_FAILED ? errno : EEXIST));
  };
  // The whole window first: what lies between tensors is there, and cannot be touched.
  map(kWindow, setup.window_bytes, PROT_NONE, MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
      {0, 0, 0, -1, 0});
  for (const Mapping& mapping : mappings)
    map(mapping.address, mapping.bytes, PROT_READ | PROT_WRITE,
        MAP_FIXED | (mapping.descriptor < 0 ? MAP_ANONYMOUS : 0), mapping);
}

/// The tensors' files, and what heddle itself was started with: only the socket and the pipe stay
/// open.
void close_files() {
  if (syscall(__NR_close_range, kCommandSocket + 1, ~0U, 0) == 0) return;
  for (int file = kCommandSocket + 1; file < sysconf(_SC_OPEN_MAX); ++file) close(file);
}

/// The compiled kernel; what kernel/cxx/compile.cpp appends to it defines these.
struct Library {
  Entry entry = nullptr;
  std::uint64_t* counters = nullptr;
};

Library load(const std::string& path, std::uint32_t wave_lanes) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail(FaultKind::setup, dlerror());
  Library library;
  library.entry = reinterpret_cast<Entry>(dlsym(handle, "heddle_entry"));
  library.counters = static_cast<std::uint64_t*>(dlsym(handle, "heddle_counters"));
  using Sections = void (*)(std::uint64_t*);
  const auto sections = reinterpret_cast<Sections>(dlsym(handle, "heddle_sections"));
  if (library.entry == nullptr || library.counters == nullptr || sections == nullptr)
    fail(FaultKind::setup, "the compiled kernel has no entry");
  std::uint64_t bounds[4] = {};
  sections(bounds);
  set_up_sections(bounds[0], bounds[1], bounds[2], bounds[3]);
  set_up_shared(bounds[0], bounds[1],
                static_cast<const SharedArray*>(dlsym(handle, "heddle_shared_arrays")),
                static_cast<char*>(dlsym(handle, "heddle_shared_watched")), wave_lanes);
  set_up_places(static_cast<const std::uint64_t*>(dlsym(handle, "heddle_places")));
  return library;
}

void put_record(RecordKind kind, std::size_t bytes) {
  Record record;
  record.record = kind;
  record.bytes = static_cast<std::uint32_t>(bytes);
  put(&record, sizeof record);
}

/// Shared memory is looked at in some tiles, which the launch decides and nothing else.
bool watches_shared() {
  constexpr std::uint64_t kFewTiles = 16;
  constexpr std::uint64_t kOneOf = 61;
  const std::uint64_t id =
      block_index[0] + std::uint64_t{grid_extent[0]} *
                           (block_index[1] + std::uint64_t{grid_extent[1]} * block_index[2]);
  const std::uint64_t all = std::uint64_t{grid_extent[0]} * grid_extent[1] * grid_extent[2];
  return all <= kFewTiles || id % kOneOf == 0 || id + 1 == all;
}

void run_tile(const Command& command, const Library& library, std::uint32_t counters) {
  for (int axis = 0; axis < 3; ++axis)
    block_index[axis] = static_cast<std::uint32_t>(command.tile[axis]);
  std::memset(library.counters, 0, counters * sizeof library.counters[0]);
  const bool is_traced = command.order == Order::trace;
  begin_tile(is_traced, is_traced && watches_shared());
  run_lanes();
  const TileEnd end = end_tile();
  put_record(RecordKind::end, sizeof end + counters * sizeof library.counters[0]);
  put(&end, sizeof end);
  put(library.counters, counters * sizeof library.counters[0]);
}

void send_memory(const Command& command) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const std::uint64_t bytes = command.tile[1] < kMost ? command.tile[1] : kMost;
  put_record(RecordKind::bytes, bytes);
  put(reinterpret_cast<const void*>(command.tile[0]), bytes);
}

/// Commands, several at a time if they are there; what they give is sent when there are no more.
class Commands {
 public:
  bool next(Command& command) {
    while (last_ - first_ < sizeof command) {
      flush_output();
      std::memmove(buffer_, buffer_ + first_, last_ - first_);
      last_ -= first_;
      first_ = 0;
      const ssize_t some = recv(kCommandSocket, buffer_ + last_, sizeof buffer_ - last_, 0);
      if (some < 0 && errno == EINTR) continue;
      if (some <= 0) return false;
      last_ += static_cast<std::size_t>(some);
    }
    std::memcpy(&command, buffer_ + first_, sizeof command);
    first_ += sizeof command;
    return true;
  }

 private:
  char buffer_[64 * sizeof(Command)];
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

int run() {
  Setup setup;
  if (!read_all(&setup, sizeof setup) || setup.magic != kMagic) return 1;
  const auto mappings = read_list<Mapping>(setup.mappings);
  const auto slots = read_list<Slot>(setup.arguments);
  const auto sites = read_list<Site>(setup.sites);
  const auto loops = read_list<Loop>(setup.loops);
  const auto path = read_list<char>(setup.path_bytes);
  for (int axis = 0; axis < 3; ++axis) grid_extent[axis] = setup.grid[axis];
  map_tensors(setup, mappings);
  close_files();
  limit_resources(setup.window_bytes + setup.memory_bytes, setup.cpu_seconds);
  catch_faults();
  end_with_parent(setup.parent);
  close_sandbox_for_loading();
  const Library library = load(std::string(path.begin(), path.end()), setup.wave_lanes);
  close_sandbox();
  set_up_lanes(setup.threads, setup.wave_lanes, library.entry, slots.data());
  set_up_observer(
      {sites, loops, setup.window_bytes, {setup.threads[0], setup.threads[1], setup.threads[2]}});
  put_record(RecordKind::started, 0);
  Commands commands;
  Command command;
  while (commands.next(command)) {
    switch (command.order) {
      case Order::trace:
      case Order::run:
        run_tile(command, library, setup.counters);
        break;
      case Order::watch:
        watch_reads(command.tile[0], command.tile[1]);
        break;
      case Order::watch_none:
        watch_no_reads();
        break;
      case Order::watch_all:
        watch_all_reads();
        break;
      case Order::memory:
        send_memory(command);
        break;
      case Order::leave:
        return 0;
    }
  }
  return 0;
}

}  // namespace
}  // namespace heddle::runner

unsigned heddle_block_index(int axis) {
  return heddle::runner::block_index[axis];
}
unsigned heddle_grid_extent(int axis) {
  return heddle::runner::grid_extent[axis];
}
extern "C" void __sanitizer_cov_trace_pc_guard_init(void*, void*) {}

int main() {
  // Only a kernel gets there: before what it uses is taken down.
  std::atexit(
      [] { heddle::runner::fail(heddle::runner::FaultKind::stopped, "the kernel calls exit()"); });
  _exit(heddle::runner::run());
}
