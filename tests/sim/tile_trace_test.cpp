#include "sim/tile_trace.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::sim {
namespace {

struct Told {
  const Shape* shape = nullptr;
  std::uint32_t base = 0;
  friend bool operator==(const Told&, const Told&) = default;
};
using Sequence = std::vector<Told>;

/// Shapes of 1, 2, 3, ... requests.
std::deque<Shape> make_shapes(std::size_t count) {
  std::deque<Shape> shapes;
  for (std::size_t k = 0; k < count; ++k) shapes.emplace_back().requests.resize(k + 1);
  return shapes;
}

TileTrace written(TraceWriter& writer, const Sequence& sequence) {
  writer.begin();
  for (const Told& told : sequence) writer.add(told.shape, told.base);
  return writer.finish();
}

Sequence told_by(const TileTrace& tile, double share = 1) {
  Sequence sequence;
  for (TraceCursor cursor(tile, share); !cursor.at_end(); cursor.advance())
    sequence.push_back({&cursor.shape(), cursor.base()});
  return sequence;
}

std::int64_t requests_in(const Sequence& sequence) {
  std::int64_t count = 0;
  for (const Told& told : sequence) count += static_cast<std::int64_t>(told.shape->requests.size());
  return count;
}

class SequenceMaker {
 public:
  SequenceMaker(std::uint64_t seed, const std::deque<Shape>& shapes)
      : random_(seed), shapes_(shapes) {}

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  Sequence make() {
    Sequence sequence;
    for (std::uint32_t parts = 1 + below(5); parts > 0; --parts) add_part(sequence, 0);
    return sequence;
  }

 private:
  Told any() {
    const std::uint32_t bases[] = {0, 1, below(50), 0xffff'fff0U + below(16)};
    return {&shapes_[below(static_cast<std::uint32_t>(shapes_.size()))], bases[below(4)]};
  }

  void add_part(Sequence& sequence, int level) {
    if (below(3) == 0 || level == 3) {
      for (std::uint32_t k = below(6); k > 0; --k) sequence.push_back(any());
      return;
    }
    // A loop: a body that repeats, each step with a stride of its own, and sometimes a fault.
    Sequence body;
    for (std::uint32_t k = 1 + below(3); k > 0; --k) {
      if (below(3) == 0)
        add_part(body, level + 1);
      else
        body.push_back(any());
    }
    std::vector<std::uint32_t> strides;
    for (std::size_t k = 0; k < body.size(); ++k)
      strides.push_back(below(2) == 0 ? below(9) - 4 : 0);
    const std::uint32_t rounds = below(12);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < body.size(); ++k) {
        if (below(60) == 0) continue;  // a step is missing
        Told told = body[k];
        told.base += round * strides[k];
        if (below(60) == 0) ++told.base;  // or elsewhere
        sequence.push_back(told);
        if (sequence.size() > 3000) return;
      }
    }
  }

  std::mt19937_64 random_;
  const std::deque<Shape>& shapes_;
};

TEST(TileTrace, random_sequences_come_back_exactly) {
  const std::deque<Shape> shapes = make_shapes(4);
  std::size_t loops = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SequenceMaker maker(seed, shapes);
    TraceChunk chunk;
    TraceWriter writer(chunk);
    std::vector<Sequence> sequences;
    std::vector<TileTrace> tiles;
    for (int tile = 0; tile < 3; ++tile) {
      sequences.push_back(maker.make());
      tiles.push_back(written(writer, sequences.back()));
    }
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      ASSERT_EQ(told_by(tiles[k]), sequences[k]) << "seed " << seed << ", tile " << k;
      ASSERT_EQ(tiles[k].instructions, static_cast<std::int64_t>(sequences[k].size()));
      ASSERT_EQ(tiles[k].requests, requests_in(sequences[k]));
    }
    for (const Segment& segment : chunk.segments) loops += segment.rounds > 2 ? 1 : 0;
  }
  EXPECT_GT(loops, 1000U);  // there was something to fold
}

TEST(TileTrace, an_empty_tile_is_at_its_end) {
  TraceChunk chunk;
  TraceWriter writer(chunk);
  writer.begin();
  const TileTrace tile = writer.finish();
  EXPECT_TRUE(TraceCursor(tile).at_end());
  EXPECT_EQ(tile.requests, 0);
}

Sequence loop_of(const std::vector<Told>& body, const std::vector<std::uint32_t>& strides,
                 std::uint32_t rounds) {
  Sequence sequence;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < body.size(); ++k)
      sequence.push_back({body[k].shape, body[k].base + round * strides[k]});
  return sequence;
}

TEST(TileTrace, a_loop_takes_the_room_of_one_round) {
  const std::deque<Shape> shapes = make_shapes(3);
  const Sequence loop = loop_of({{&shapes[0], 5}, {&shapes[1], 900}}, {1, 2048}, 100'000);
  TraceChunk chunk;
  TraceWriter writer(chunk);
  const TileTrace tile = written(writer, loop);
  EXPECT_EQ(tile.segments, 1U);
  EXPECT_EQ(chunk.segments[0].rounds, 100'000U);
  EXPECT_EQ(chunk.steps.size(), 2U);
  EXPECT_EQ(told_by(tile), loop);
}

TEST(TileTrace, strides_may_go_down_and_wrap) {
  const std::deque<Shape> shapes = make_shapes(1);
  const Sequence loop = loop_of({{&shapes[0], 3}}, {0xffff'ffffU}, 10);
  TraceChunk chunk;
  TraceWriter writer(chunk);
  const TileTrace tile = written(writer, loop);
  EXPECT_EQ(tile.segments, 1U);
  EXPECT_EQ(told_by(tile), loop);
}

TEST(TileTrace, gemm_is_a_loop_and_a_store) {
  const std::deque<Shape> shapes = make_shapes(3);
  Sequence gemm = loop_of({{&shapes[0], 0x1200}, {&shapes[1], 0x8000}}, {1, 2048}, 64);
  gemm.push_back({&shapes[2], 77});
  TraceChunk chunk;
  TraceWriter writer(chunk);
  const TileTrace tile = written(writer, gemm);
  EXPECT_EQ(tile.segments, 2U);
  EXPECT_EQ(chunk.steps.size(), 3U);
  EXPECT_EQ(told_by(tile), gemm);
}

TEST(TileTrace, a_share_of_the_rounds_is_the_beginning_of_every_loop) {
  const std::deque<Shape> shapes = make_shapes(3);
  Sequence sequence = loop_of({{&shapes[0], 5}, {&shapes[1], 900}}, {1, 2048}, 1000);
  sequence.push_back({&shapes[2], 1});
  const Sequence short_loop = loop_of({{&shapes[1], 70}}, {3}, TraceCursor::kLeastRounds);
  sequence.insert(sequence.end(), short_loop.begin(), short_loop.end());
  TraceChunk chunk;
  TraceWriter writer(chunk);
  const TileTrace tile = written(writer, sequence);

  Sequence expected = loop_of({{&shapes[0], 5}, {&shapes[1], 900}}, {1, 2048}, 250);
  expected.push_back({&shapes[2], 1});
  expected.insert(expected.end(), short_loop.begin(), short_loop.end());
  EXPECT_EQ(told_by(tile, 0.25), expected);
  EXPECT_EQ(requests_of(tile, 0.25), requests_in(expected));
  EXPECT_EQ(requests_of(tile, 1), requests_in(sequence));
  // Never fewer than kLeastRounds.
  Sequence least =
      loop_of({{&shapes[0], 5}, {&shapes[1], 900}}, {1, 2048}, TraceCursor::kLeastRounds);
  least.push_back({&shapes[2], 1});
  least.insert(least.end(), short_loop.begin(), short_loop.end());
  EXPECT_EQ(told_by(tile, 1e-6), least);
}

TEST(TileTrace, shares_of_random_traces_are_counted_as_they_run) {
  const std::deque<Shape> shapes = make_shapes(4);
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SequenceMaker maker(seed, shapes);
    TraceChunk chunk;
    TraceWriter writer(chunk);
    const TileTrace tile = written(writer, maker.make());
    for (const double share : {0.01, 0.3, 0.99})
      ASSERT_EQ(requests_of(tile, share), requests_in(told_by(tile, share))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle::sim
