// A GPU as the simulator sees it: read from gpus/*.toml, checked, immutable.
//
//   mi300x   8 dies x 38 compute units at 2100 MHz
//            L1          32 KiB, 64 ways x 4 sets, lines of 128 B
//            L2          4 MiB a die, 16 channels x 16 ways
//            last level  256 MiB, memory side
//            memory      192 GiB, 5.3 TB/s
//
// Rules
//   1. Every number of a file has a source: a key of its [sources], or "estimated". `facts` lists
//      them as they were read, so that a user can ask where a number comes from.
//   2. A geometry that cannot be is refused with the reason: sizes that do not divide, index bits
//      that send two lines to one place, more than 64 ways.
//   3. A mode (SPX, CPX, ...) changes the numbers it names; the rest is the file's.
//   4. Address bits are those of physical byte addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/target.h"

namespace heddle::config {

enum class Replacement { lru, tree_plru, random, sampled_lru };
enum class Placement { shuffled, contiguous };
/// What a partition of an L2 keeps of lines whose home is the other one.
enum class Replication {
  none,           ///< nothing: every far request crosses
  opportunistic,  ///< copies that take only free places and places of other copies
  full,           ///< copies like any other line
  probation,      ///< copies that come in as the oldest line, and stay where they are used again
};

/// A number of the file: "compute.dies", "8", "AMD CDNA 3 white paper, ...".
struct GpuFact {
  std::string key;
  std::string value;
  std::string source;  ///< the citation, or "estimated"
  std::string note;    ///< why this number, where the file says so
};

/// An index into channels or sets: bit i of it is the exclusive or of the address bits in bits[i].
using IndexBits = std::vector<std::vector<int>>;

struct CacheShape {
  std::int64_t bytes = 0;
  int ways = 1;
  int line_bytes = 128;
  Replacement replacement = Replacement::lru;
  std::int64_t lines() const { return bytes / line_bytes; }
  std::int64_t sets() const { return lines() / ways; }
};

struct GpuCompute {
  int dies = 1;            ///< that get blocks in rotation, each with its own L2
  int compute_units = 1;   ///< of a die
  int shader_engines = 1;  ///< of a die
  int wave_lanes = 64;
  double clock_mhz = 1000;
  double product_clock_mhz = 0;        ///< of kernels with matrix products; 0: the same
  int waves = 32;                      ///< of a compute unit, at most
  int blocks = 32;                     ///< of a compute unit, at most
  std::int64_t registers = 131'072;    ///< of 32 bits, of a compute unit, all lanes
  int register_granule = 8;            ///< registers of a thread are rounded up to this
  std::int64_t shared_bytes = 65'536;  ///< of a compute unit
  int dispatch_cycles = 8;             ///< between two blocks that a die starts
  double launch_us = 0;                ///< that a kernel takes beyond its blocks
};

/// The L1 of a compute unit: write-through, never dirty.
struct GpuL1 {
  CacheShape shape;
  /// The shared memory of the blocks on a compute unit is taken from `shape.bytes` (NVIDIA).
  bool holds_shared_memory = false;
  bool sectored = false;     ///< a miss brings the 32 B sectors asked for, not the line
  bool hashed_sets = false;  ///< else sets are the address bits above the line
  double bytes_per_clock = 64;
  int latency_cycles = 100;
  bool allocates_writes = false;  ///< a store takes a place, though its data go through
  int counted_cycles = 0;         ///< of a hit's latency, what counters see; 0: all of it
  bool serves_in_order = false;   ///< waves as they come; else those of the oldest block first
  int pending = 0;                ///< requests in flight at most, hits included; 0: not a limit
  /// Lanes of a C++ kernel's wave that a lookup takes; 0: all of them.
  int lanes_at_once = 0;
  int wide_lanes_at_once = 0;  ///< the same where a lane moves 8 B or more
};

/// For loads that are the same for a whole wave (AMD).
struct GpuScalarCache {
  CacheShape shape;
  int compute_units = 2;  ///< that share one
  int count = 0;          ///< of a die; 0: as many as it takes
  int latency_cycles = 100;

  int caches_of(int units) const {
    return count > 0 ? count : (units + compute_units - 1) / compute_units;
  }
  /// The cache of a compute unit. Where there are more caches than it takes, some have fewer units.
  int cache_of(int unit, int units) const {
    return count > 0 ? static_cast<int>(std::int64_t{unit} * count / units) : unit / compute_units;
  }
};

struct GpuL2 {
  CacheShape shape;   ///< of a die; `bytes` over all channels
  int channels = 16;  ///< of a die
  int interleave_bytes = 256;
  IndexBits channel_bits;  ///< empty: chunks of interleave_bytes go round the channels, rotated
  IndexBits set_bits;      ///< empty exactly if channel_bits is
  int write_bytes = 64;    ///< a store reaches the L2 in requests of this size
  int fill_bytes = 128;    ///< the least that a read miss fetches
  bool counts_sectors = false;        ///< hits and misses are counted per 32 B sector (NVIDIA)
  double read_bytes_per_clock = 128;  ///< of a channel
  double write_bytes_per_clock = 64;  ///< of a channel
  int latency_cycles = 200;
  /// More latency from one end of a die to a channel at the other than to the nearest channel.
  int distance_cycles = 0;
  int fill_cycles = 0;  ///< of a miss's latency, what the L2 itself adds to that of a hit
  int coalescers = 0;   ///< that merge reads of neighbouring units on their way to it (NVIDIA)
  std::int64_t kept_bytes = 0;  ///< of what a kernel wrote, what may stay here when it ends
};

/// An L2 in two halves that each serve half of the compute units (NVIDIA).
struct GpuPartitions {
  int count = 2;
  Replication replication = Replication::opportunistic;
  int far_latency_cycles = 200;    ///< added to the L2's
  double far_bytes_per_clock = 0;  ///< of each direction; 0: not a limit
};

/// A cache in front of the memory, shared by all dies (AMD's Infinity Cache).
struct GpuLastLevel {
  CacheShape shape;
  int slices = 128;
  int interleave_bytes = 256;
  bool allocates_writes = true;
  double bytes_per_second = 0;
  int latency_cycles = 450;
};

struct GpuMemory {
  std::int64_t bytes = 0;
  double peak_bytes_per_second = 0;
  double read_bytes_per_second = 0;   ///< achieved by a kernel that only reads
  double write_bytes_per_second = 0;  ///< by one that only writes
  double copy_bytes_per_second = 0;   ///< read and written together, by a copy
  int latency_cycles = 800;
  double unhidden = 0;  ///< of the time of compute or memory, the shorter: beside the other
};

/// Banks of the memory, where each channel of the L2 has a part of it to itself: a bank has one row
/// open, and takes some time to open another.
struct GpuRows {
  int banks = 8;        ///< of a channel of the L2
  int miss_cycles = 0;  ///< between two rows of a bank
};

/// What one die can move to and from everything behind its L2.
struct GpuLink {
  double read_bytes_per_clock = 1024;
  double write_bytes_per_clock = 512;
};

/// Multiply-adds count as two.
struct GpuArithmetic {
  double vector_fp64 = 0;  ///< operations a clock of a compute unit
  double vector_fp32 = 0;
  double vector_fp16 = 0;
  double integer = 0;           ///< simple operations on 32-bit integers
  double integer_multiply = 0;  ///< products of them
  double transcendental = 0;
  double matrix_fp64 = 0;
  double matrix_fp32 = 0;   ///< on NVIDIA: tf32
  double matrix_fp16 = 0;   ///< bf16 as well
  double matrix_fp8 = 0;    ///< int8 as well
  double matrix_share = 1;  ///< of the matrix peak that good kernels reach
  double vector_share = 1;
  bool matrix_beside_vector = false;  ///< matrix units work while the others do
  double issue = 0;          ///< instructions of lanes a clock; units work side by side. 0: in turn
  double shared_bytes = 0;   ///< a clock, that products read from shared memory; 0: no limit
  int dependent_cycles = 0;  ///< until an operation on an index can use the last one's result
  double index_share = 1;    ///< of an order's operations: what they take beside all else
  int exchange_cycles = 0;   ///< until lanes have what others of their wave computed
  double exchange = 0;       ///< lanes a clock that exchange a value; 0: no limit
  double register_products = 1;  ///< of the matrix rate, where operands come from registers
};

struct GpuPages {
  std::int64_t frame_bytes = 2 << 20;
  Placement placement = Placement::shuffled;
  std::uint64_t seed = 1;
};

struct Gpu {
  std::string name;    ///< "mi300x"
  std::string title;   ///< "AMD Instinct MI300X"
  std::string target;  ///< "gfx942"
  std::string mode;    ///< "SPX"; empty where the GPU has no modes
  Vendor vendor = Vendor::amd;
  bool calibrated = false;
  std::string remarks;  ///< what is known to be unsure, in words
  GpuCompute compute;
  GpuL1 l1;
  std::optional<GpuScalarCache> scalar_cache;
  GpuL2 l2;
  std::optional<GpuPartitions> partitions;
  std::optional<GpuLastLevel> last_level;
  std::optional<GpuRows> rows;
  GpuLink link;
  GpuMemory memory;
  GpuArithmetic arithmetic;
  GpuPages pages;
  std::vector<std::string> modes;  ///< that the file knows; the first is the usual one
  std::vector<GpuFact> facts;      ///< in the order of the file, after the mode
  std::string path;                ///< where it was read

  std::int64_t sets_of_channel() const { return l2.shape.sets() / l2.channels; }
};

/// Reads a GPU: a name from the known ones ("mi300x", "mi300x:cpx") or from the folder that
/// HEDDLE_GPUS names, or a path ("my.toml", "my.toml:CPX"; anything with a '/'). Throws Error with
/// a place and the reason.
Gpu read_gpu(const std::string& name_or_path);

/// What host code that runs on the GPU is told.
Target target_of(const Gpu& gpu);

/// Whether read_gpu takes it for a path, and not for a name.
bool is_gpu_path(const std::string& name_or_path);

/// The names of the GPUs that come with heddle, sorted.
std::vector<std::string> known_gpus();

/// Throws Error if the machine cannot be built: called by read_gpu, and for GPUs made in code.
void check_gpu(const Gpu& gpu);

std::string replacement_text(Replacement replacement);
std::string replication_text(Replication replication);

}  // namespace heddle::config
