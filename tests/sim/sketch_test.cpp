#include "sim/sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "config/gpu_testing.h"

namespace heddle::sim {
namespace {

/// Tiles that read lines of the L2, one request each; a small launch is sketched line by line.
class Tiles {
 public:
  explicit Tiles(const config::Gpu& gpu)
      : gpu_(gpu),
        lines_of_line_(
            static_cast<std::uint32_t>(gpu.l2.shape.line_bytes / gpu.l1.shape.line_bytes)) {}

  void add(const std::vector<std::uint32_t>& lines) {
    TraceChunk& chunk = chunks_.emplace_back();
    TraceWriter writer(chunk);
    writer.begin();
    for (const std::uint32_t line : lines) writer.add(&shape_, line * lines_of_line_);
    tiles_.push_back(writer.finish());
  }

  Sketch sketch() {
    SketchBuilder builder(gpu_, 0, 1);
    for (const TileTrace& tile : tiles_) builder.add(tile);
    return builder.finish(1);
  }

 private:
  static Shape one_line() {
    Shape shape;
    shape.requests = {{0, 1}};
    return shape;
  }

  const config::Gpu& gpu_;
  std::uint32_t lines_of_line_;
  Shape shape_ = one_line();
  std::deque<TraceChunk> chunks_;
  std::vector<TileTrace> tiles_;
};

config::Gpu small_gpu() {
  return heddle::testing::gpu_of(heddle::testing::gpu_file({}));
}

order::Map in_order(std::int64_t tiles) {
  order::Map map(static_cast<std::size_t>(tiles));
  std::iota(map.begin(), map.end(), 0);
  return map;
}

/// Lines that are read again before as many others came in stay; the oracle is a plain list.
std::int64_t misses_of(const std::vector<std::uint32_t>& lines, std::size_t held) {
  std::vector<std::uint32_t> in;
  std::int64_t misses = 0;
  for (const std::uint32_t line : lines) {
    const auto found = std::ranges::find(in, line);
    if (found == in.end()) ++misses;
    // A hit makes the line young, and what has come in since the youngest decides: as the header
    // says, only lines that come in push others out.
    if (found != in.end()) in.erase(found);
    in.push_back(line);
    if (in.size() > held) in.erase(in.begin());
  }
  return misses;
}

TEST(Sketch, a_line_that_all_tiles_read_is_fetched_once_by_each_die) {
  const config::Gpu gpu = small_gpu();
  Tiles tiles(gpu);
  for (std::uint32_t tile = 0; tile < 64; ++tile) tiles.add({7, 100 + tile});
  const SketchFigures figures = tiles.sketch().run(in_order(64), 0);
  EXPECT_EQ(figures.touches, 128);
  EXPECT_EQ(figures.misses, 64 + gpu.compute.dies);
}

TEST(Sketch, what_a_tile_asks_for_again_at_once_counts_once) {
  const config::Gpu gpu = small_gpu();
  Tiles tiles(gpu);
  tiles.add({7, 7, 8, 7, 8, 8});
  EXPECT_EQ(tiles.sketch().run(in_order(1), 0).touches, 2);
}

TEST(Sketch, streams_that_fit_are_fetched_once_and_others_each_time) {
  const config::Gpu gpu = small_gpu();
  const auto held = static_cast<std::uint32_t>(gpu.l2.shape.lines());
  for (const std::uint32_t lines : {held / 2, 4 * held}) {
    // One block after the other on one die: places and dies of the GPU are as many tiles apart.
    Tiles tiles(gpu);
    std::vector<std::uint32_t> stream(lines);
    std::iota(stream.begin(), stream.end(), 0U);
    tiles.add(stream);
    tiles.add(stream);
    order::Map map = in_order(2);
    // A persistent block does both.
    const SketchFigures figures = tiles.sketch().run(map, 1);
    std::vector<std::uint32_t> twice = stream;
    twice.insert(twice.end(), stream.begin(), stream.end());
    EXPECT_EQ(figures.misses, misses_of(twice, held)) << lines;
  }
}

TEST(Sketch, the_longest_tiles_last_take_longest) {
  const config::Gpu gpu = small_gpu();
  Tiles tiles(gpu);
  const std::int64_t places = std::int64_t{gpu.compute.compute_units} * gpu.compute.dies;
  for (std::int64_t tile = 0; tile < 4 * places; ++tile)
    tiles.add(std::vector<std::uint32_t>(static_cast<std::size_t>(2 * tile < places ? 90 : 10),
                                         static_cast<std::uint32_t>(tile)));
  const Sketch sketch = tiles.sketch();
  order::Map map = in_order(4 * places);
  const double heavy_first = sketch.run(map, 0).span;
  std::ranges::reverse(map);
  EXPECT_GT(sketch.run(map, 0).span, heavy_first);
}

TEST(Sketch, times_follow_what_the_known_replay_waited_for) {
  SimResult known;
  known.time_us = 100;
  known.utilization = {{"compute", 20}, {"memory", 90}};
  known.hbm_read_bytes = 1000;
  const SketchFigures launch{1000, 500, 500, 64};
  const SketchTime clock(known, launch, 0.5);
  EXPECT_DOUBLE_EQ(clock.time_us(launch, 0), 100);
  EXPECT_LT(clock.time_us({1000, 250, 250, 64}, 0), 85) << "half of what memory did";
  EXPECT_GT(clock.time_us({1000, 1000, 1000, 64}, 0), 150);
  EXPECT_GT(clock.time_us(launch, 100), 100) << "operations take time";
  EXPECT_DOUBLE_EQ(clock.time_us({1000, 500, 500, 128}, 0), 200);
}

}  // namespace
}  // namespace heddle::sim
