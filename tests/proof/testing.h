// What the tests of proofs share: published remaps as texts, and an independent count.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "order/testing.h"
#include "proof/check.h"

namespace heddle::testing {

inline proof::CheckOptions within(int seconds, int dies = 8) {
  return proof::CheckOptions{dies, std::chrono::seconds(seconds)};
}

inline GridReport check(const Text& text, const Space& space, int dies = 8) {
  return proof::check_grid(text.order(), space, text.bindings(), within(60, dies));
}

inline RangeReport check_range(const Text& text, const std::string& grids,
                               const std::string& tiles = {}) {
  const Bindings bindings = text.bindings();
  return proof::check_range(text.order(), order::SpaceRange(grids, tiles, bindings), bindings,
                            within(600));
}

/// True if a formula is a permutation of 0..n-1. Counted here, without any of heddle's code.
inline bool is_permutation(std::int64_t n,
                           const std::function<std::int64_t(std::int64_t)>& formula) {
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (std::int64_t p = 0; p < n; ++p) {
    const std::int64_t tile = formula(p);
    if (tile < 0 || tile >= n || seen[static_cast<std::size_t>(tile)]) return false;
    seen[static_cast<std::size_t>(tile)] = true;
  }
  return true;
}

/// A counterexample must show what it says, on the map that it speaks of.
inline void expect_true_counterexample(const GridReport& report, const Map& map) {
  ASSERT_TRUE(report.counterexample);
  const Counterexample& example = *report.counterexample;
  EXPECT_EQ(example.grid, report.grid);
  EXPECT_FALSE(example.message.empty());
  const auto tile_of = [&](std::optional<LaunchId> id) {
    return map.at(static_cast<std::size_t>(id.value().value));
  };
  switch (example.kind) {
    case Counterexample::Kind::collision:
      ASSERT_TRUE(example.first && example.second && example.tile);
      EXPECT_LT(*example.first, *example.second);
      EXPECT_EQ(tile_of(example.first), example.tile->value);
      EXPECT_EQ(tile_of(example.second), example.tile->value);
      break;
    case Counterexample::Kind::outside:
      ASSERT_TRUE(example.first);
      EXPECT_EQ(tile_of(example.first), order::kOutside);
      EXPECT_FALSE(example.index.empty());
      break;
    case Counterexample::Kind::missing:
      ASSERT_TRUE(example.tile);
      EXPECT_GE(example.tile->value, 0);
      EXPECT_LT(example.tile->value, report.tiles);
      for (const std::int64_t tile : map) EXPECT_NE(tile, example.tile->value);
      break;
    case Counterexample::Kind::arithmetic:
      ASSERT_TRUE(example.first);
      EXPECT_EQ(tile_of(example.first), order::kFailed);
      break;
  }
}

}  // namespace heddle::testing
