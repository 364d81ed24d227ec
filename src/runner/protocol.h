// What heddle and its runner say to each other, as plain structs over a socket and a pipe.
//
//   heddle ──▶ socket:  Setup, then its lists; then one Command after the other
//   heddle ◀── stdout:  Started; then for each command Records, the last of which is `end`
//
// Rules
//   1. Both ends run on one machine and are built together: structs travel as they lie in memory.
//   2. A Record says how many bytes follow it. Whoever reads checks every number: the kernel runs
//   in
//      the runner's address space and may have written the records itself.
//   3. Addresses are the runner's own: tensors lie inside its window.
//   4. Commands come by a socket of their own. Standard input is empty, and a kernel that reads it
//      is refused.
#pragma once

#include <cstdint>

namespace heddle::runner {

inline constexpr std::uint32_t kMagic = 0x68656464;
inline constexpr int kCommandSocket = 3;                          ///< its descriptor in the runner
inline constexpr std::uint64_t kWindow = std::uint64_t{1} << 44;  ///< where tensors begin
inline constexpr std::uint64_t kMostWindowBytes =
    kWindow;  ///< its addresses have one number in front
inline constexpr int kMostThreads = 1024;
inline constexpr int kMostSites = 65'535;
inline constexpr int kMostAddressBits = 48;
inline constexpr std::uint32_t kMostReasonBytes = 4096;

/// Followed by: mappings, arguments, sites, loops, the library's path.
struct Setup {
  std::uint32_t magic = kMagic;
  std::uint32_t mappings = 0;
  std::uint32_t arguments = 0;
  std::uint32_t sites = 0;
  std::uint32_t loops = 0;
  std::uint32_t path_bytes = 0;
  std::uint32_t counters = 0;  ///< of basic blocks
  std::uint32_t wave_lanes = 64;
  std::uint32_t threads[3] = {1, 1, 1};
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint64_t window_bytes = 0;
  std::uint64_t memory_bytes = 0;  ///< that the process may have beside its tensors
  std::uint64_t cpu_seconds = 0;
  std::int64_t parent = 0;  ///< heddle's process; the runner ends with it
};

/// A piece of the window.
struct Mapping {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int64_t offset = 0;      ///< in the file
  std::int32_t descriptor = 0;  ///< of a file that holds its contents; -1: zeros
  std::int32_t unused = 0;
};

/// An argument in every form; the kernel takes the one that fits its parameter.
struct Slot {
  std::int64_t integer = 0;
  double real = 0;
  std::uint64_t pointer = 0;
};

enum class SiteKind : std::uint8_t { read, write, atomic };

struct Site {
  SiteKind kind = SiteKind::read;
  std::uint8_t bytes = 0;
};

/// Sites first..last are in a loop.
struct Loop {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

enum class Order : std::uint32_t {
  trace,       ///< run a tile, report its accesses, undo what it wrote
  run,         ///< run a tile, keep what it wrote
  watch,       ///< report reads between tile[0] and tile[1] as well
  watch_none,  ///< report no reads
  watch_all,   ///< report all reads, as at first
  memory,      ///< send bytes of the window: tile[0] is the address, tile[1] how many
  leave,
};

struct Command {
  Order order = Order::leave;
  std::uint32_t unused = 0;
  std::uint64_t tile[3] = {};
};

enum class RecordKind : std::uint8_t {
  started,  ///< the library is there and the sandbox closed
  access,
  bytes,  ///< of memory
  end,    ///< TileEnd and the counters
  fault,  ///< Fault and its text; the last thing that a runner says
};

enum class Mask : std::uint8_t { all, range, bits };

/// One site, once, of all threads of a block that are there. Followed by the mask's words, if it
/// has bits, and by one address for each active thread, if it is not regular.
struct Access {
  RecordKind record = RecordKind::access;
  Mask mask = Mask::all;
  std::uint8_t regular = 1;  ///< thread (x, y, z) at base + x * stride[0] + ...
  std::uint8_t unused = 0;
  std::uint16_t first = 0;  ///< of a range of threads
  std::uint16_t last = 0;   ///< behind it
  std::uint32_t site = 0;
  std::uint32_t bytes = 0;  ///< that follow
  std::int64_t base = 0;
  std::int32_t stride[3] = {};
  std::uint32_t active = 0;  ///< threads
};

/// Begins every other record.
struct Record {
  RecordKind record = RecordKind::end;
  std::uint8_t unused[3] = {};
  std::uint32_t bytes = 0;  ///< that follow
};

enum class SharedFaultKind : std::uint32_t {
  beyond,     ///< an index beyond a shared array
  unwritten,  ///< a read of what no lane has written
  race,       ///< two lanes, no barrier between them
};
inline constexpr int kSharedFaults = 3;

/// What lanes did to shared memory: the first of its kind.
struct SharedFault {
  std::uint64_t count = 0;
  std::uint64_t byte = 0;  ///< of the array
  std::uint64_t array_bytes = 0;
  std::uint32_t site = 0;
  std::uint32_t is_write = 0;
  std::uint32_t lane = 0;
  std::uint32_t other = 0;  ///< the other lane of a race
  char name[48] = {};       ///< of the array
};

struct TileEnd {
  std::uint64_t accesses = 0;         ///< of lanes, to tensors
  std::uint64_t other_accesses = 0;   ///< to shared memory and what is private
  std::uint64_t variable_writes = 0;  ///< to __device__ variables
  std::uint64_t barriers = 0;
  SharedFault shared[kSharedFaults];  ///< by SharedFaultKind
};

enum class FaultKind : std::uint32_t {
  setup,        ///< the runner could not get ready
  system_call,  ///< the sandbox refused one
  bad_address,  ///< outside everything
  arithmetic,   ///< a division by zero, on machines that trap it
  trap,         ///< an instruction that cannot be run
  stopped,      ///< heddle_stop
  stuck,        ///< lanes wait for one another
  too_much,     ///< more than there is room for
  cpu_time,
};

struct Fault {
  FaultKind kind = FaultKind::setup;
  std::uint32_t site = 0;  ///< kMostSites: not known
  std::uint64_t address = 0;
  std::uint32_t thread = 0;
  std::uint32_t text_bytes = 0;
};

}  // namespace heddle::runner
