// Which numbers of a job make tiles, and which launches they give.
#include "config/other_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/testing.h"
#include "support/text.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

constexpr const char* kJob = R"toml(kernel = "image.py"
grid = ["cdiv(images * (height - 2) * (width - 2), 64)", "cdiv(filters, 32)"]

[scalars]
images = 4
height = 34
width = 34
filters = 128
channels = 16
)toml";

std::int64_t tiles(std::int64_t size, std::int64_t tile) {
  return (size + tile - 1) / tile;
}

/// The grid of such a job, as its expressions say.
std::optional<Grid> image_grid(const std::vector<std::string>& overrides) {
  std::map<std::string, std::int64_t> size = {
      {"images", 4}, {"height", 34}, {"width", 34}, {"filters", 128}};
  for (const std::string& one : overrides)
    size[one.substr(0, one.find('='))] = *parse_integer(one.substr(one.find('=') + 1));
  const std::int64_t pixels =
      size["images"] * std::max<std::int64_t>(0, size["height"] - 2) * (size["width"] - 2);
  if (pixels < 1 || size["filters"] < 1) return std::nullopt;
  return Grid({tiles(pixels, 64), tiles(size["filters"], 32)});
}

TEST(OtherSizes, the_sides_of_an_image_are_loose) {
  const auto varying = find_varying(write_file(".toml", kJob), {}, image_grid);
  ASSERT_EQ(varying.size(), 4U);
  EXPECT_EQ(varying[0].name, "images");
  EXPECT_EQ(varying[0].per_tile, 1);
  EXPECT_EQ(varying[0].axis, 0);
  EXPECT_EQ(varying[1].name, "height");
  EXPECT_EQ(varying[1].per_tile, 0);
  EXPECT_EQ(varying[3].name, "filters");
  EXPECT_EQ(varying[3].per_tile, 32);
  EXPECT_EQ(varying[3].axis, 1);
}

TEST(OtherSizes, loose_ones_vary_alone_and_give_grids_of_their_own) {
  const auto varying = find_varying(write_file(".toml", kJob), {}, image_grid);
  std::set<std::int64_t> rows;
  std::int64_t last = 0;
  std::int64_t of_height = 0;
  std::int64_t full = 0;
  for (const std::vector<std::string>& sizes : loose_sizes(varying, image_grid)) {
    ASSERT_EQ(sizes.size(), 3U);
    EXPECT_EQ(sizes[0], "images=1");
    EXPECT_EQ(sizes[1], "filters=31");
    const auto grid = image_grid(sizes);
    ASSERT_TRUE(grid);
    if (!sizes[2].starts_with("height=")) continue;
    EXPECT_GE(grid->count(), last);
    (grid->count() == last ? full : of_height) += 1;
    last = grid->count();
  }
  EXPECT_GT(of_height, 16);
  EXPECT_GT(full, 8);  // the first value of a grid and the last one
}

TEST(OtherSizes, a_size_of_two_axes_makes_tiles_along_both) {
  const auto square = [](const std::vector<std::string>& overrides) -> std::optional<Grid> {
    std::int64_t n = 256;
    for (const std::string& one : overrides) n = *parse_integer(one.substr(one.find('=') + 1));
    if (n < 1) return std::nullopt;
    return Grid({tiles(n, 32), tiles(n, 32)});
  };
  const auto varying = find_varying(
      write_file(".toml", "kernel = \"k.cu\"\ngrid = [8, 8]\n[scalars]\nn = 256\n"), {}, square);
  ASSERT_EQ(varying.size(), 1U);
  EXPECT_EQ(varying[0].per_tile, 32);
  EXPECT_EQ(varying[0].axis, -1);
}

TEST(OtherSizes, every_count_along_one_size) {
  const auto counts = counts_along_one(2, 3);
  const auto has = [&](std::int64_t a, std::int64_t b) {
    return std::ranges::find(counts, std::vector<std::int64_t>{a, b}) != counts.end();
  };
  for (std::int64_t tiles = 1; tiles <= 17; ++tiles) EXPECT_TRUE(has(tiles, 3) && has(3, tiles));
  for (const std::int64_t prime : {19, 23, 29, 31}) EXPECT_TRUE(has(prime, 3) && has(3, prime));
  EXPECT_EQ(counts.size(), 42U);
}

TEST(OtherSizes, eight_sizes_stay_few_launches) {
  for (std::size_t sizes = 1; sizes <= 8; ++sizes) {
    EXPECT_LE(tile_counts(sizes).size(), 256U) << sizes;
    EXPECT_EQ(tile_counts(sizes).front(), std::vector<std::int64_t>(sizes, 1));
  }
}

}  // namespace
}  // namespace heddle::testing
