// What a simulated GPU counted, as plain data: hits, bytes, time, and what limits it.
//
// Sample (a 1 GiB copy on an MI300X):
//   L2   25,165,824 requests, 8,388,608 hits, 33.3 %     fabric reads 8,388,608 of 128 B
//   HBM  1.00 GiB read, 1.00 GiB written                 547 us, limited by memory
//
// Rules
//   1. Counters have the hardware's names and meanings. On AMD a request is what TCC_REQ counts: a
//      read of a line, a write of 64 B, an atomic. On NVIDIA it is a 32 B sector of a request.
//   2. Counts of a sampled run are scaled to the whole launch; `sample` says so and how sure it is.
//   3. Absent is std::optional, never a zero: a GPU without a last-level cache has no figures of
//      it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/fields.h"
#include "results/intervals.h"
#include "results/tile_run.h"
#include "results/tile_space.h"
#include "results/trace.h"

namespace heddle {

/// Requests of one cache.
struct CacheCounts {
  std::int64_t requests = 0;
  std::int64_t hits = 0;
  std::int64_t misses = 0;
  double hit_rate_pct() const {
    return requests > 0 ? 100.0 * static_cast<double>(hits) / static_cast<double>(requests) : 0.0;
  }
  CacheCounts& operator+=(const CacheCounts& other) { return add_fields(*this, other); }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("requests", all.requests...);
    visit("hits", all.hits...);
    visit("misses", all.misses...);
  }
};

/// Why L2 requests missed. They add up to the misses.
struct MissCauses {
  std::int64_t first_touch = 0;  ///< no die asked for the line before
  std::int64_t capacity = 0;     ///< a fully associative cache of that size would miss as well
  std::int64_t conflict = 0;     ///< it would hit
  std::int64_t other_die = 0;    ///< another die's L2 holds the line at that moment
  MissCauses& operator+=(const MissCauses& other) { return add_fields(*this, other); }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("first_touch", all.first_touch...);
    visit("capacity", all.capacity...);
    visit("conflict", all.conflict...);
    visit("other_die", all.other_die...);
  }
};

/// One channel of an L2, or the sum over channels.
struct L2Counts {
  CacheCounts cache;                  ///< TCC_REQ, TCC_HIT, TCC_MISS; sectors on NVIDIA
  std::int64_t reads = 0;             ///< TCC_READ
  std::int64_t writes = 0;            ///< TCC_WRITE
  std::int64_t atomics = 0;           ///< TCC_ATOMIC
  std::int64_t fabric_reads_128 = 0;  ///< TCC_BUBBLE
  std::int64_t fabric_reads_64 = 0;
  std::int64_t fabric_reads_32 = 0;   ///< TCC_EA0_RDREQ_32B
  std::int64_t fabric_writes_64 = 0;  ///< TCC_EA0_WRREQ_64B
  std::int64_t fabric_writes_32 = 0;
  std::int64_t writebacks = 0;  ///< dirty lines that were evicted or flushed at the end
  std::int64_t evictions = 0;   ///< TCC_NORMAL_EVICT: lines that made room for others
  std::int64_t fabric_reads() const { return fabric_reads_128 + fabric_reads_64 + fabric_reads_32; }
  std::int64_t fabric_writes() const { return fabric_writes_64 + fabric_writes_32; }
  std::int64_t read_bytes() const {
    return 128 * fabric_reads_128 + 64 * fabric_reads_64 + 32 * fabric_reads_32;
  }
  std::int64_t write_bytes() const { return 64 * fabric_writes_64 + 32 * fabric_writes_32; }
  L2Counts& operator+=(const L2Counts& other) { return add_fields(*this, other); }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    CacheCounts::fields(visit, all.cache...);
    visit("reads", all.reads...);
    visit("writes", all.writes...);
    visit("atomics", all.atomics...);
    visit({"fabric_reads_128", Field::not_in_json}, all.fabric_reads_128...);
    visit({"fabric_reads_64", Field::not_in_json}, all.fabric_reads_64...);
    visit({"fabric_reads_32", Field::not_in_json}, all.fabric_reads_32...);
    visit({"fabric_writes_64", Field::not_in_json}, all.fabric_writes_64...);
    visit({"fabric_writes_32", Field::not_in_json}, all.fabric_writes_32...);
    visit("writebacks", all.writebacks...);
    visit({"evictions", Field::not_in_json | Field::not_in_history}, all.evictions...);
  }
};

struct L1Counts {
  CacheCounts cache;  ///< loads: lines of wave instructions, or lookups (AMD); sectors (NVIDIA)
  std::int64_t writes = 0;  ///< requests that go through
  std::int64_t atomics = 0;
  std::int64_t written_sectors = 0;  ///< of 32 B, by those writes
  std::int64_t atomic_sectors = 0;
  std::int64_t repeats = 0;        ///< lookups of writes and atomics beyond one for each request
  std::int64_t reads_to_l2 = 0;    ///< TCP_TCC_READ_REQ: lines of the L1
  std::int64_t writes_to_l2 = 0;   ///< TCP_TCC_WRITE_REQ
  std::int64_t atomics_to_l2 = 0;  ///< TCP_TCC_ATOMIC_*_REQ
  // Of C++ kernels: what memory instructions of waves ask for, on AMD once for each lane, whatever
  // its mask, on NVIDIA once for the wave. Of Triton kernels they are not counted.
  std::int64_t read_requests = 0;   ///< TCP_TOTAL_READ
  std::int64_t write_requests = 0;  ///< TCP_TOTAL_WRITE
  std::int64_t atomic_requests = 0;
  std::int64_t lane_requests() const { return read_requests + write_requests + atomic_requests; }

  /// Lookups: TCP_TOTAL_CACHE_ACCESSES.
  std::int64_t accesses() const { return cache.requests + writes + atomics + repeats; }
  /// Of all lookups those that asked the L2 for nothing, as AMD's profiler has it.
  double hit_rate_of_accesses_pct() const {
    const std::int64_t asked = reads_to_l2 + writes_to_l2 + atomics_to_l2;
    if (accesses() == 0) return 0.0;
    return 100.0 * static_cast<double>(accesses() - asked) / static_cast<double>(accesses());
  }
  L1Counts& operator+=(const L1Counts& other) { return add_fields(*this, other); }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    CacheCounts::fields(visit, all.cache...);
    visit("writes", all.writes...);
    visit("atomics", all.atomics...);
    visit({"written_sectors", Field::not_in_json}, all.written_sectors...);
    visit({"atomic_sectors", Field::not_in_json}, all.atomic_sectors...);
    visit({"repeats", Field::not_in_json | Field::not_in_history}, all.repeats...);
    visit("reads_to_l2", all.reads_to_l2...);
    visit("writes_to_l2", all.writes_to_l2...);
    visit("atomics_to_l2", all.atomics_to_l2...);
    constexpr unsigned kLanes = Field::by_instruction | Field::not_in_json | Field::not_in_history;
    visit({"read_requests", kLanes}, all.read_requests...);
    visit({"write_requests", kLanes}, all.write_requests...);
    visit({"atomic_requests", kLanes}, all.atomic_requests...);
  }
};

struct ScalarCounts {
  CacheCounts cache;                  ///< hits and misses; duplicates are neither
  std::int64_t duplicate_misses = 0;  ///< to lines whose fill was on its way
  ScalarCounts& operator+=(const ScalarCounts& other) { return add_fields(*this, other); }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    CacheCounts::fields(visit, all.cache...);
    visit("duplicate_misses", all.duplicate_misses...);
  }
};

struct DieResult {
  std::int64_t blocks = 0;
  L1Counts l1;
  std::optional<ScalarCounts> scalar;
  L2Counts l2;
  std::vector<L2Counts> channels;
  std::optional<MissCauses> causes;
  double time_us = 0;   ///< when its last block ended
  double busy_pct = 0;  ///< of its compute units' block slots, over the whole run
};

/// How busy a resource was over the run, 0..100.
struct Utilization {
  std::string resource;  ///< "compute", "L1", "L2", "fabric", "last level", "memory", "latency"
  double percent = 0;
};

/// Mean latencies, in cycles, as counters of the hardware see them.
struct Latencies {
  double l1 = 0;           ///< from a lookup of the L1 to its data
  double l1_to_l2 = 0;     ///< of a read that the L1 asks the L2 for
  double fabric_read = 0;  ///< of a read that the L2 asks for; 0 where it asked for none

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("l1", all.l1...);
    visit("l1_to_l2", all.l1_to_l2...);
    visit("fabric_read", all.fabric_read...);
  }
};

struct SampleReport {
  bool sampled = false;
  double share_of_sets = 1;       ///< of the caches
  double share_of_blocks = 1;     ///< of the launch
  std::int64_t requests = 0;      ///< really replayed, to the first cache
  double hit_rate_error_pct = 0;  ///< points: two standard errors of the L2 hit rate

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("share_of_sets", all.share_of_sets...);
    visit("share_of_blocks", all.share_of_blocks...);
    visit("requests", all.requests...);
    visit("hit_rate_error_pct", all.hit_rate_error_pct...);
  }
};

struct Occupancy {
  int blocks = 1;                 ///< at a time on a compute unit
  std::string limited_by;         ///< "waves", "registers", "shared memory", "blocks"
  int registers = 0;              ///< of a thread, as used
  std::int64_t shared_bytes = 0;  ///< of a block, as used
  bool estimated = false;         ///< registers or shared memory are not from the job
  bool shared_estimated = false;  ///< shared memory as well; else a compiler says it
  bool spills = false;            ///< the estimated registers are more than a thread can have
  bool does_not_fit = false;      ///< the estimated shared memory is more than a block can have
};

/// Whose names the counters have: AMD's before and from gfx942 on, and NVIDIA's.
enum class CounterNames { gfx90a, gfx942, nvidia };

struct SimResult {
  std::string gpu;  ///< "mi300x"
  std::string gpu_title;
  std::string mode;  ///< "SPX" or empty
  CounterNames counter_names = CounterNames::gfx942;
  bool gpu_calibrated = true;
  std::string order;  ///< "identity", "xcd(8)", the file
  bool permutation = true;
  std::string kernel;
  std::vector<std::int64_t> grid;
  std::optional<TileSpace> space;             ///< of the kernel; nothing: nobody looked for it
  std::int64_t blocks = 0;                    ///< that had a tile
  std::int64_t blocks_idle = 0;               ///< launch ids without one
  std::int64_t waves = 0;                     ///< of those blocks that had one
  std::int64_t threads = 0;                   ///< of a block
  std::vector<ArithmeticSummary> arithmetic;  ///< of all tiles
  bool lanes_counted = false;                 ///< requests of single lanes are in l1
  Occupancy occupancy;

  L1Counts l1;
  std::optional<ScalarCounts> scalar;
  L2Counts l2;
  std::optional<MissCauses> causes;  ///< with --why
  std::optional<CacheCounts> last_level;
  std::int64_t hbm_read_bytes = 0;
  std::int64_t hbm_write_bytes = 0;
  std::optional<std::int64_t> far_sectors;  ///< that crossed between partitions

  std::optional<Latencies> latencies;  ///< none where nothing was read through the L1
  double time_us = 0;
  double tile_spread = 1;  ///< requests of the largest of some tiles over their mean
  std::string limited_by;  ///< the busiest resource, or "latency" or "imbalance"
  std::vector<Utilization> utilization;

  double bound_hit_rate_pct = 0;  ///< 1 - first touches / requests of this run
  std::int64_t bound_bytes = 0;   ///< every distinct line (sector on NVIDIA) once

  SampleReport sample;
  PredictionIntervals intervals;  ///< what a measurement may differ by
  std::vector<DieResult> dies;
  std::shared_ptr<const TileRun> tiles;  ///< null: it was not recorded
  std::vector<std::string> notes;

  bool amd() const { return counter_names != CounterNames::nvidia; }
};

}  // namespace heddle
