// One die: its compute units, its L2, and the blocks that run on it, advanced in order of time.
//
//   the block that is next in time ─▶ its next memory instruction ─▶ L1 ─▶ L2 ─▶ fabric events
//        ▲                                                                │
//        └── when its data, the queues and its arithmetic let it go on ◀──┘
//
// Rules
//   1. Time is counted in ticks of 1/1024 cycle, in integers: the same on every machine.
//   2. Every resource is a queue that serves in order: the L1 and the arithmetic of a compute unit,
//      each channel of the L2, the link of the die to what lies behind it.
//   3. The oldest block that waits for the L1 of a unit goes first; where a GPU's L1 serves in
//      order, the one that has waited for it longest. So for the arithmetic: on NVIDIA blocks take
//      turns and get on alike; on AMD the oldest wave issues first, and never waits for its own
//      vector results, only for products. The L1 has a limited number of requests in flight, and data come back in order.
//   4. A block issues loads one after the other without waiting, except that an instruction in a
//      loop waits for its own earlier rounds (`depth` of them may be under way), that stores and
//      atomics wait for all loads, and that nothing passes a load whose value later addresses need.
//      Products wait for the operands that are not copied a round ahead.
//   5. What a block works comes where work.h says; what that does not know is spread evenly over
//      its memory instructions. Blocks work in turns.
//   6. Within an epoch a die sees nothing of the others: memory answers as fast as the epoch before
//      left it. So dies may run on different threads, and the result is the same.
//
// Does not model: waves of one block that drift apart, barriers, TLB misses, and that a hit of the
// L2 on a line that is on its way has to wait for it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/gpu.h"
#include "results/simulation.h"
#include "sim/cache/widest.h"
#include "sim/event_queue.h"
#include "sim/sample.h"
#include "sim/sampled_parts.h"
#include "sim/tile_trace.h"
#include "sim/units/coalescer.h"
#include "sim/units/dispatcher.h"
#include "sim/units/distances.h"
#include "sim/units/l1.h"
#include "sim/units/l2.h"
#include "sim/units/line_map.h"
#include "sim/units/memory_rows.h"
#include "sim/units/scalar_cache.h"

namespace heddle::sim {

/// What memory costs in an epoch.
struct MemoryDelay {
  std::int64_t miss_ticks = 0;     ///< from the link to the data, with what is waiting before it
  std::int64_t backlog_ticks = 0;  ///< what is waiting: stores find no room that long
};

/// Hands out the trace of a tile. `slot` is where the block will run: what was handed out for the
/// same slot before is no longer needed.
using TraceSource = std::function<TileTrace(std::int64_t tile, int slot)>;

/// What a block does before it knows its tile, in ticks.
struct BlockStart {
  std::int64_t work = 0;  ///< of its compute unit
  std::int64_t wait = 0;  ///< beyond that, while others work
};

/// What a turn of the launch did; dies write their own.
struct TurnRecord {
  std::int64_t start = 0;  ///< ticks
  std::int64_t end = 0;
  std::int64_t l2_misses = 0;
};

/// What all dies have in common.
struct DieSetup {
  const config::Gpu& gpu;
  const LineMap& map;
  const Sample& sample;
  config::CacheShape l1;       ///< what is left of it beside shared memory
  int places = 1;              ///< blocks that a compute unit holds at a time
  int sites = 0;               ///< of the kernel
  int depth = 1;               ///< rounds of a loop's loads that may be under way
  double share_of_rounds = 1;  ///< that loops run (tile_trace.h)
  BlockStart start = {};
  bool in_turn = true;                    ///< blocks work in turn; else the oldest first
  std::span<TurnRecord> turns = {};       ///< of all dies; empty: nothing is recorded
  SampledParts* sampled_parts = nullptr;  ///< of this sample; nullptr: none are kept
};

class Die {
 public:
  Die(const DieSetup& setup, int index, Dispatcher dispatcher, TraceSource traces);

  /// Runs everything that starts before `end`, in ticks.
  void run_until(std::int64_t end, MemoryDelay memory);
  bool finished() const { return queue_.empty(); }
  /// When the next thing happens; finished() must be false.
  std::int64_t next_time() const { return queue_.top_time(); }

  /// The kernel has ended: what is dirty is written back.
  void flush();

  L2& l2() { return l2_; }
  const L2& l2() const { return l2_; }
  /// Which turn each of the L2's events is of, where that is watched.
  std::vector<std::uint32_t>& event_turns() { return event_turns_; }
  void watch_event_turns() { watches_event_turns_ = true; }
  std::int64_t time() const { return last_time_; }
  std::int64_t replayed() const { return replayed_; }
  DieResult result() const;

  /// How long each of its resources was busy, in ticks summed over units or channels.
  struct Busy {
    std::int64_t arithmetic = 0;
    std::int64_t l1 = 0;
    std::int64_t l2 = 0;
    std::int64_t link = 0;
    std::int64_t link_write = 0;
    std::int64_t places = 0;  ///< blocks times how long they ran
  };
  const Busy& busy() const { return busy_; }
  /// How long reads waited, summed up in ticks, and how many did.
  struct Waits {
    std::int64_t l1_ticks = 0;  ///< of lookups, until their data were there
    std::int64_t l1_lookups = 0;
    std::int64_t l2_ticks = 0;  ///< of reads that the L1s sent to the L2
    std::int64_t l2_reads = 0;
    std::int64_t fabric_ticks = 0;  ///< of what the L2 fetched
    std::int64_t fabric_reads = 0;
  };
  const Waits& waits() const { return waits_; }
  /// What the tiles that were started compute.
  using Arithmetic = std::map<std::pair<kernel::ArithmeticKind, config::DType>, std::int64_t>;
  const Arithmetic& arithmetic() const { return arithmetic_; }
  std::int64_t far_sectors() const { return far_sectors_; }
  /// Scalar caches, and instruction caches beside them, of units that a block ran on.
  int scalar_caches_used() const;
  /// Requests and hits of the L2 per group of sampled sets.
  const std::vector<CacheCounts>& groups() const { return groups_; }

 private:
  struct Unit {
    explicit Unit(L1 its_l1) : l1(std::move(its_l1)) {}
    L1 l1;
    bool used = false;  ///< a block ran on it
    std::int64_t l1_free = 0;
    std::int64_t arithmetic_free = 0;
    std::int64_t in_order = 0;  ///< when the last of its loads is done: data come back in order
    std::int64_t pending = 0;   ///< requests under way
    std::deque<std::pair<std::int64_t, std::int64_t>> under_way;  ///< when done, how many
    std::vector<int> waiting;  ///< slots whose next instruction waits for the L1
    std::vector<int> working;  ///< slots that wait for the arithmetic
  };
  struct Block {
    TraceCursor cursor;
    int unit = 0;
    std::int64_t turn = 0;  ///< of the map
    std::int64_t started = 0;
    std::int64_t number = 0;      ///< of the blocks that the die started: lower is older
    std::int64_t free_since = 0;  ///< it has waited for nothing since
    std::int64_t loads_done = 0;
    std::int64_t alone_done = 0;        ///< of loads that are not made a round ahead
    std::size_t requests_done = 0;      ///< of an instruction that the L1 had no room for at once
    std::int64_t instruction_done = 0;  ///< when those are done
    std::int64_t owed_ticks = 0;        ///< work to do before the next instruction
    std::int64_t owed_wait = 0;         ///< after that work, while others do theirs
    std::int64_t arithmetic_ticks = 0;  ///< after each instruction
    std::vector<std::int64_t> rounds;   ///< per site and round under way: when it is done
    std::vector<std::uint32_t> counts;  ///< per site: rounds so far
  };
  struct Rates {  ///< in ticks
    std::int64_t l1_request = 0;
    std::int64_t l1_latency = 0;
    std::int64_t scalar_latency = 0;
    std::int64_t l2_read_sector = 0;
    std::int64_t l2_write_sector = 0;
    std::int64_t l2_stands_for = 1;  ///< in a sample: requests in the L2's queues for each
    std::int64_t l2_latency = 0;
    std::int64_t l2_miss = 0;       ///< of a miss's latency, what lies before the fabric
    std::int64_t l1_uncounted = 0;  ///< of a lookup's latency, what counters do not see
    std::int64_t link_read_sector = 0;
    std::int64_t link_write_sector = 0;
    std::int64_t far_latency = 0;
    std::int64_t far_sector = 0;
    std::int64_t dispatch = 0;
  };

  struct Flow;
  struct Reads;
  static constexpr std::size_t kBatch = 32;
  struct Lookup {
    LinePlace place;
    std::uint32_t line = 0;  ///< of the L1
    SectorMask sectors = 0;
  };
  struct Times {
    std::int64_t issued = 0;  ///< the block can go on with something else
    std::int64_t done = 0;    ///< the data are there, the stores accepted
    bool whole = true;        ///< else the L1 has no room for the rest of it before `issued`
  };

  void start_blocks(std::int64_t time);
  void begin_tile(const Dispatcher::Start& start, int slot, std::int64_t time);
  std::int64_t step(Block& block, std::int64_t time);
  void record_misses(const Block& block, std::size_t first_event);
  std::int64_t work(Block& block, std::int64_t time);
  bool needs_l1(const Block& block) const;
  int take_next(std::vector<int>& waiting, bool in_order);
  void serve(int event);
  std::int64_t earliest_next(const Block& block) const;
  /// Where a block notes when that round of a load is done.
  std::size_t round_of(const Shape& shape, std::uint32_t count) const {
    return static_cast<std::size_t>(shape.site) * depth_ + (shape.alone ? 0 : count % depth_);
  }
  /// Runs a memory instruction, or as much of it as the L1 has room for; compiled for each width.
  Times run(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time);
  Times run_any(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time);
  Times run_avx2(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time);
  Times run_avx512(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time);
  Times run_scalar(int unit, const Shape& shape, std::uint32_t base, std::int64_t time);
  std::size_t batch_of(std::int64_t most, std::int64_t lookups, std::int64_t requests) const;
  std::int64_t room_for(Unit& unit, std::int64_t requests, std::int64_t time) const;
  void look_up(std::span<const ShapeRequest> requests, std::uint32_t base,
               const Coalescer* coalescer);
  std::span<const ShapeRequest> sampled_part(const Shape& shape, std::uint32_t base);
  std::span<const ShapeRequest> find_sampled_part(const Shape& shape, std::uint32_t base);
  std::int64_t usual_end(const Shape& shape, std::int64_t at, std::int64_t done, bool is_known);
  Times run_reads(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time);
  Times run_writes(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time);
  void count_in_group(std::uint32_t set, const L2::Reply& reply);
  Coalescer* coalescer_of(int unit) {
    if (coalescers_.empty()) return nullptr;
    return &coalescers_[static_cast<std::size_t>(unit) * coalescers_.size() / units_.size()];
  }
  /// Which half of the L2 a compute unit is beside.
  int side_of(int unit) const { return unit & 1; }

  const config::Gpu& gpu_;
  const LineMap& map_;
  const Sample& sample_;
  Dispatcher dispatcher_;
  TraceSource traces_;
  Rates rates_;
  bool amd_;
  bool half_lines_;                ///< lines of the L1 are half of the L2's
  std::int64_t lanes_of_request_;  ///< that a wave instruction counts for
  int sites_;
  std::uint32_t depth_;
  double share_of_rounds_;
  BlockStart start_;
  bool in_turn_;
  std::span<TurnRecord> turns_;
  std::vector<std::uint32_t> event_turns_;
  bool watches_event_turns_ = false;
  Width width_ = widest();

  std::vector<Unit> units_;
  std::vector<ScalarCache> scalar_caches_;
  std::vector<Coalescer> coalescers_;  ///< per group of neighbours; empty: requests are not merged
  L2 l2_;
  Distances distances_;
  std::vector<std::int64_t> channel_free_;
  std::int64_t all_channels_free_ = 0;  ///< of a sample
  std::int64_t link_free_ = 0;
  std::int64_t link_write_free_ = 0;
  std::int64_t far_free_ = 0;
  MemoryRows rows_;
  std::int64_t dispatch_free_ = 0;
  MemoryDelay memory_;

  std::array<Lookup, kBatch> batch_;
  SampledParts* sampled_parts_;
  std::vector<ShapeRequest> scratch_;
  std::vector<std::int64_t> usual_ticks_;  ///< of a sampled load, per site: from issue to data
  std::vector<Block> blocks_;
  std::vector<std::vector<int>> free_slots_;  ///< per unit
  EventQueue queue_;

  std::int64_t last_time_ = 0;
  std::int64_t numbers_ = 0;
  std::int64_t replayed_ = 0;
  L1Counts l1_counts_;
  ScalarCounts scalar_counts_;
  // Counted for whole instructions, in a sample as well.
  std::int64_t read_repeats_ = 0;  ///< lookups (sectors on NVIDIA) that hit as they come again
  std::int64_t write_repeats_ = 0;
  std::int64_t far_sectors_ = 0;
  Busy busy_;
  Waits waits_;
  Arithmetic arithmetic_;
  std::vector<CacheCounts> groups_;
};

}  // namespace heddle::sim
