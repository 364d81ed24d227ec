// What a tile asks the first cache for, small enough to keep for every tile of a launch.
//
//   gemm, one tile:   64 x ( load a: 128 lines from 0x1200, +1 a step
//                            load b: 256 lines from 0x8000, +2048 a step )
//                     store c
//
// Rules
//   1. The requests of a memory instruction are a Shape, lines relative to a base. Instructions
//      that differ in their base alone share one shape.
//   2. Instructions that repeat with bases that move by the same step each time are stored once: a
//      Segment is a group of steps and how often it runs. Reading it gives every instruction in
//      program order.
//   3. Lines are compact line numbers (pages.h), counted in lines of the first cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "kernel/program.h"

namespace heddle::sim {

inline constexpr std::int64_t kTicks = 1024;  ///< of a cycle: a sector at 8192 B a cycle is 4

struct ShapeRequest {
  std::int32_t line = 0;      ///< relative to the base
  std::uint32_t sectors = 0;  ///< of 32 B, of the line
};

struct Shape {
  kernel::MemoryKind kind = kernel::MemoryKind::read;
  bool uniform = false;  ///< one address for the whole wave: the scalar cache's, where there is one
  bool awaited = false;  ///< later addresses depend on what this loads
  bool shared = false;   ///< kept for the whole replay; others go with their tile
  bool enters = false;   ///< the first load of a loop that begins again: it waits for those before
  bool alone = false;    ///< loads that are not made a round ahead
  std::int32_t site = 0;
  std::int32_t waves = 0;    ///< of a C++ kernel: that have an active lane
  std::int32_t repeats = 0;  ///< requests of lines that were asked for just before
  std::int32_t repeat_sectors = 0;
  std::int64_t ticks_before = 0;  ///< that a compute unit works before it (work.h)
  std::int64_t ticks_after = 0;   ///< and after it, before anything else of the tile
  std::int64_t wait_before = 0;   ///< in ticks, that the block waits for its own results
  std::int64_t wait_after = 0;
  std::vector<ShapeRequest> requests;  ///< wave instruction by wave instruction
};

/// One memory instruction, or one in each round of a loop.
struct Step {
  const Shape* shape = nullptr;
  std::uint32_t base = 0;
  std::uint32_t stride = 0;  ///< added to the base in each round; may wrap
};

struct Segment {
  std::uint32_t first_step = 0;
  std::uint32_t steps = 0;
  std::uint32_t rounds = 1;
};

/// The instructions of many tiles.
struct TraceChunk {
  std::vector<Step> steps;
  std::vector<Segment> segments;
  std::deque<Shape> own_shapes;  ///< that no other instruction shares
  std::int64_t bytes() const;
  void clear();
};

/// Of one tile; the chunk holds its steps.
struct TileTrace {
  const TraceChunk* chunk = nullptr;
  std::uint32_t first_segment = 0;
  std::uint32_t segments = 0;
  std::int64_t instructions = 0;
  std::int64_t requests = 0;
  double arithmetic_cycles = 0;  ///< of a compute unit, beside what its shapes say
  /// What it computes; tiles that compute the same share it.
  std::shared_ptr<const std::vector<kernel::ArithmeticCount>> arithmetic;
};

/// Walks through the instructions of a tile. With a share below 1, loops end after that share of
/// their rounds, but not before kLeastRounds.
class TraceCursor {
 public:
  static constexpr std::uint32_t kLeastRounds = 4;

  TraceCursor() = default;
  explicit TraceCursor(const TileTrace& tile, double share_of_rounds = 1)
      : chunk_(tile.chunk),
        share_(share_of_rounds),
        segment_(tile.first_segment),
        last_(tile.first_segment + tile.segments) {
    enter();
  }

  bool at_end() const { return segment_ == last_; }
  const Shape& shape() const { return *step().shape; }
  std::uint32_t base() const { return step().base + round_ * step().stride; }
  void advance() {
    if (++step_ < steps_) return;
    step_ = 0;
    if (++round_ < rounds_) return;
    round_ = 0;
    ++segment_;
    enter();
  }

  /// The rounds that a loop runs.
  static std::uint32_t shortened(std::uint32_t rounds, double share) {
    if (share >= 1 || rounds <= kLeastRounds) return rounds;
    return std::max(kLeastRounds, static_cast<std::uint32_t>(rounds * share));
  }

 private:
  const Step& step() const { return chunk_->steps[first_ + step_]; }
  void enter() {
    if (at_end()) return;
    const Segment& segment = chunk_->segments[segment_];
    first_ = segment.first_step;
    steps_ = segment.steps;
    rounds_ = shortened(segment.rounds, share_);
  }

  const TraceChunk* chunk_ = nullptr;
  double share_ = 1;
  std::uint32_t segment_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t steps_ = 0;
  std::uint32_t rounds_ = 0;
  std::uint32_t round_ = 0;
  std::uint32_t step_ = 0;
};

/// The requests that a cursor with this share goes through.
std::int64_t requests_of(const TileTrace& tile, double share_of_rounds);

/// Adds instructions to a chunk, folding those that repeat.
class TraceWriter {
 public:
  explicit TraceWriter(TraceChunk& chunk) : chunk_(chunk) {}
  void begin();
  void add(const Shape* shape, std::uint32_t base);
  /// Ends the tile: its place in the chunk.
  TileTrace finish();

 private:
  bool goes_on(const Shape* shape, std::uint32_t base);
  void fold();
  void leave_loop();
  void close_plain(std::size_t last);

  TraceChunk& chunk_;
  std::size_t first_segment_ = 0;
  std::size_t plain_ = 0;      ///< the first step that is in no segment yet
  bool in_loop_ = false;       ///< the last segment is a loop that may go on
  std::uint32_t matched_ = 0;  ///< steps of its next round that came already
  std::int64_t instructions_ = 0;
  std::int64_t requests_ = 0;
};

}  // namespace heddle::sim
