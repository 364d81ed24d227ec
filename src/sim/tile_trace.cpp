#include "sim/tile_trace.h"

#include <algorithm>

namespace heddle::sim {
namespace {

constexpr std::size_t kLongestRound = 64;  ///< steps of a loop that folding looks for

}  // namespace

std::int64_t TraceChunk::bytes() const {
  std::size_t total = steps.capacity() * sizeof(Step) + segments.capacity() * sizeof(Segment);
  for (const Shape& shape : own_shapes)
    total += sizeof(Shape) + shape.requests.capacity() * sizeof(ShapeRequest);
  return static_cast<std::int64_t>(total);
}

void TraceChunk::clear() {
  steps.clear();
  segments.clear();
  own_shapes.clear();
}

std::int64_t requests_of(const TileTrace& tile, double share_of_rounds) {
  if (share_of_rounds >= 1) return tile.requests;
  std::int64_t total = 0;
  for (std::uint32_t k = 0; k < tile.segments; ++k) {
    const Segment& segment = tile.chunk->segments[tile.first_segment + k];
    std::int64_t round = 0;
    for (std::uint32_t step = 0; step < segment.steps; ++step)
      round += static_cast<std::int64_t>(
          tile.chunk->steps[segment.first_step + step].shape->requests.size());
    total += round * TraceCursor::shortened(segment.rounds, share_of_rounds);
  }
  return total;
}

void TraceWriter::begin() {
  first_segment_ = chunk_.segments.size();
  plain_ = chunk_.steps.size();
  in_loop_ = false;
  matched_ = 0;
  instructions_ = 0;
  requests_ = 0;
}

void TraceWriter::add(const Shape* shape, std::uint32_t base) {
  ++instructions_;
  requests_ += static_cast<std::int64_t>(shape->requests.size());
  if (in_loop_) {
    if (goes_on(shape, base)) return;
    leave_loop();
  }
  chunk_.steps.push_back({shape, base, 0});
  fold();
}

/// Whether an instruction is the next one of the loop that the last segment is.
bool TraceWriter::goes_on(const Shape* shape, std::uint32_t base) {
  Segment& loop = chunk_.segments.back();
  const Step& step = chunk_.steps[loop.first_step + matched_];
  if (step.shape != shape || step.base + loop.rounds * step.stride != base) return false;
  if (++matched_ == loop.steps) {
    ++loop.rounds;
    matched_ = 0;
  }
  return true;
}

/// What came of a round that did not end becomes plain steps.
void TraceWriter::leave_loop() {
  const Segment loop = chunk_.segments.back();
  for (std::uint32_t k = 0; k < matched_; ++k) {
    const Step step = chunk_.steps[loop.first_step + k];
    chunk_.steps.push_back({step.shape, step.base + loop.rounds * step.stride, 0});
  }
  in_loop_ = false;
  matched_ = 0;
}

/// Where the last steps are two rounds of the same shapes, they become a loop.
void TraceWriter::fold() {
  const std::size_t end = chunk_.steps.size();
  const Shape* last = chunk_.steps.back().shape;
  const std::size_t most = std::min(kLongestRound, (end - plain_) / 2);
  for (std::size_t period = 1; period <= most; ++period) {
    if (chunk_.steps[end - 1 - period].shape != last) continue;
    const Step* now = &chunk_.steps[end - period];
    const Step* before = now - period;
    if (!std::equal(now, now + period, before,
                    [](const Step& a, const Step& b) { return a.shape == b.shape; }))
      continue;
    for (std::size_t k = 0; k < period; ++k) {
      Step& step = chunk_.steps[end - 2 * period + k];
      step.stride = chunk_.steps[end - period + k].base - step.base;
    }
    chunk_.steps.resize(end - period);
    close_plain(end - 2 * period);
    chunk_.segments.push_back(
        {static_cast<std::uint32_t>(end - 2 * period), static_cast<std::uint32_t>(period), 2});
    plain_ = chunk_.steps.size();
    in_loop_ = true;
    return;
  }
}

/// Steps from plain_ to before `last` become a segment that runs once.
void TraceWriter::close_plain(std::size_t last) {
  if (last > plain_)
    chunk_.segments.push_back(
        {static_cast<std::uint32_t>(plain_), static_cast<std::uint32_t>(last - plain_), 1});
}

TileTrace TraceWriter::finish() {
  if (in_loop_) leave_loop();
  close_plain(chunk_.steps.size());
  TileTrace tile;
  tile.chunk = &chunk_;
  tile.first_segment = static_cast<std::uint32_t>(first_segment_);
  tile.segments = static_cast<std::uint32_t>(chunk_.segments.size() - first_segment_);
  tile.instructions = instructions_;
  tile.requests = requests_;
  return tile;
}

}  // namespace heddle::sim
