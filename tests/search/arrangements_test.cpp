// Arrangements against plain counting: all of a small grid, recognised from their maps, varied.
#include "search/arrangements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "order/compact.h"
#include "search/testing.h"

namespace heddle::search {
namespace {

using order::Map;

const std::vector<std::vector<std::int64_t>> kSmall = {
    {1}, {2}, {7}, {12}, {16}, {30}, {4, 4}, {8, 4}, {6, 4}, {1, 6}, {5, 1}, {2, 3, 4}, {3, 1, 6},
};

/// Every way to write `number` as a product of factors of at least 2, slowest first.
std::vector<std::vector<std::int64_t>> factorizations(std::int64_t number) {
  if (number == 1) return {{}};
  std::vector<std::vector<std::int64_t>> found;
  for (std::int64_t factor = 2; factor <= number; ++factor) {
    if (number % factor != 0) continue;
    for (std::vector<std::int64_t> rest : factorizations(number / factor)) {
      rest.insert(rest.begin(), factor);
      found.push_back(std::move(rest));
    }
  }
  return found;
}

TEST(Arrangements, AllOfASmallGridAreThere) {
  for (const auto& extents : kSmall) {
    const Grid grid(extents);
    const std::set<Map> expected = all_digit_maps(grid);
    const auto all = all_arrangements(grid, 1'000'000);
    ASSERT_TRUE(all) << grid.text();
    std::set<Map> found;
    for (const Arrangement& arrangement : *all) {
      const Map map = map_of(arrangement, grid);
      EXPECT_TRUE(found.insert(map).second) << grid.text() << ": one map twice";
    }
    EXPECT_EQ(found, expected) << grid.text();
  }
}

TEST(Arrangements, TooManyAreRefused) {
  EXPECT_FALSE(all_arrangements(Grid({8, 4}), 119));
  EXPECT_TRUE(all_arrangements(Grid({8, 4}), 120));
  EXPECT_FALSE(all_arrangements(Grid({1024, 1024}), 1'000'000'000));
}

TEST(Arrangements, DigitOrdersHaveTheMapOfTheirArrangement) {
  for (const auto& extents : kSmall) {
    const Grid grid(extents);
    for (const int dies : {1, 2, 3, 8}) {
      const auto all = all_arrangements(grid, 1'000'000);
      for (const Arrangement& arrangement : *all) {
        const order::DigitOrder digits = digit_order(arrangement, dies);
        ASSERT_EQ(map_of(digits, grid), map_of(arrangement, grid)) << digits.text();
        ASSERT_EQ(order::read_digits(digits.text()).text(), digits.text());
        const Arrangement back = arrangement_of(digits, grid);
        ASSERT_EQ(map_of(back, grid), map_of(arrangement, grid)) << digits.text();
      }
    }
  }
}

TEST(Arrangements, TheDieKeepsItsRadixWhereAnotherDigitCanBeOpen) {
  const auto all = all_arrangements(Grid({16, 4}), 1'000'000);
  for (const Arrangement& arrangement : *all) {
    const order::DigitOrder digits = digit_order(arrangement, 8);
    for (const auto& axis : digits.axes) {
      const bool has_plain = std::any_of(axis.begin(), axis.end(), [&](std::size_t digit) {
        return !digits.launch[digit].name.starts_with("die");
      });
      for (const std::size_t digit : axis)
        EXPECT_TRUE(digits.launch[digit].radix || !has_plain ||
                    !digits.launch[digit].name.starts_with("die"))
            << digits.text();
    }
  }
}

TEST(Arrangements, RandomDigitPermutationsAreRecognized) {
  std::mt19937_64 random(21);
  const std::vector<std::vector<std::int64_t>> grids = {
      {64}, {360}, {97}, {12, 18}, {32, 32}, {5, 24}, {8, 9, 10}, {16, 1, 6}, {256, 256}};
  for (int i = 0; i < 400; ++i) {
    const Grid grid(grids[random() % grids.size()]);
    Arrangement arrangement;
    std::vector<Part> parts;
    std::vector<std::vector<std::size_t>> places;
    for (int axis = 0; axis < grid.axes(); ++axis) {
      const auto choices = factorizations(grid.extent(axis));
      places.emplace_back();
      for (const std::int64_t radix : choices[random() % choices.size()]) {
        places.back().push_back(parts.size());
        parts.push_back({axis, radix});
      }
    }
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::size_t> where(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
      where[order[at]] = at;
      arrangement.launch.push_back(parts[order[at]]);
    }
    for (auto& axis : places) {
      for (std::size_t& digit : axis) digit = where[digit];
      std::shuffle(axis.begin(), axis.end(), random);
      arrangement.axes.push_back(axis);
    }
    const Map map = map_of(arrangement, grid);
    const auto found = recognize(map, grid);
    ASSERT_TRUE(found) << grid.text() << " case " << i;
    EXPECT_EQ(map_of(*found, grid), map);
    EXPECT_EQ(map_of(simplified(arrangement), grid), map);
    // What is recognised is as short as can be: simplifying it again changes nothing.
    EXPECT_EQ(simplified(*found).launch.size(), found->launch.size());
    EXPECT_LE(found->launch.size(), std::max(arrangement.launch.size(), places.size()) + 2);
    if (found->launch.size() > order::kMostDigits) continue;
    EXPECT_EQ(map_of(digit_order(*found, 8), grid), map);
  }
}

TEST(Arrangements, EveryMapOfASmallGridIsRecognizedIfAndOnlyIfItIsOne) {
  // All 720 permutations of six tiles, and all 5040 of seven.
  for (const auto& extents :
       std::vector<std::vector<std::int64_t>>{{6}, {2, 3}, {3, 2}, {1, 6}, {7}, {4}, {2, 2}}) {
    const Grid grid(extents);
    const std::set<Map> expected = all_digit_maps(grid);
    Map map(static_cast<std::size_t>(grid.count()));
    std::iota(map.begin(), map.end(), 0);
    std::size_t recognized = 0;
    do {
      const bool is_one = expected.contains(map);
      ASSERT_EQ(recognize(map, grid).has_value(), is_one) << grid.text();
      recognized += is_one ? 1 : 0;
    } while (std::next_permutation(map.begin(), map.end()));
    EXPECT_EQ(recognized, expected.size());
  }
}

TEST(Arrangements, OtherMapsAreNotRecognized) {
  std::mt19937_64 random(22);
  for (const auto& extents :
       std::vector<std::vector<std::int64_t>>{{64}, {8, 8}, {12, 6}, {4, 4, 4}, {256, 16}}) {
    const Grid grid(extents);
    Map map(static_cast<std::size_t>(grid.count()));
    std::iota(map.begin(), map.end(), 0);
    for (int i = 0; i < 50; ++i) {
      std::shuffle(map.begin(), map.end(), random);
      EXPECT_FALSE(recognize(map, grid));
    }
    // A digit permutation with two tiles swapped, one doubled, one out of the grid.
    const Map good = map_of(placed_dies(grid, 2, Splits(extents.size())).back(), grid);
    ASSERT_TRUE(recognize(good, grid));
    for (int i = 0; i < 200; ++i) {
      Map bad = good;
      const std::size_t a = random() % bad.size();
      const std::size_t b = (a + 1 + random() % (bad.size() - 1)) % bad.size();
      if (i % 3 == 0)
        std::swap(bad[a], bad[b]);
      else
        bad[a] = i % 3 == 1 ? bad[b] : static_cast<std::int64_t>(bad.size()) + i;
      EXPECT_FALSE(recognize(bad, grid)) << grid.text() << " " << a << " " << b;
    }
    Map negative = good;
    negative.back() = -1;
    EXPECT_FALSE(recognize(negative, grid));
  }
  for (const std::string text : {"snake", "hilbert", "xcd(3)", "reverse", "group_snake(4)"}) {
    order::Space space;
    space.launch = Grid({8, 8});
    const Map map = order::materialize(order::read_compact(text), space, {});
    EXPECT_FALSE(recognize(map, space.launch)) << text;
  }
  EXPECT_FALSE(recognize({}, Grid({1})));
  EXPECT_TRUE(recognize({0}, Grid({1})));
  for (const std::string text : {"morton", "columns", "group(4)", "xcd(8)", "identity"}) {
    order::Space space;
    space.launch = Grid({16, 16});
    const Map map = order::materialize(order::read_compact(text), space, {});
    ASSERT_TRUE(recognize(map, space.launch)) << text;
    EXPECT_EQ(map_of(*recognize(map, space.launch), space.launch), map) << text;
  }
}

const std::vector<std::vector<std::int64_t>> kGrids = {{1},      {7},      {64},       {1000},
                                                       {1, 1},   {3, 5},   {16, 8},    {19, 21},
                                                       {1, 100}, {100, 1}, {13, 1, 7}, {4, 6, 8}};

/// As an order: a permutation of the grid, whatever it leaves over.
void expect_permutation(const Arrangement& arrangement, const Grid& grid, int dies) {
  std::vector<std::int64_t> covered(static_cast<std::size_t>(grid.axes()), 1);
  for (const Part& part : arrangement.launch) {
    ASSERT_GE(part.radix, 1);
    covered[static_cast<std::size_t>(part.axis)] *= part.radix;
  }
  for (int axis = 0; axis < grid.axes(); ++axis)
    ASSERT_LE(covered[static_cast<std::size_t>(axis)], grid.extent(axis));
  const order::DigitOrder digits = digit_order(arrangement, dies);
  ASSERT_TRUE(order::invert(map_of(digits, grid))) << digits.text() << " on " << grid.text();
}

TEST(Arrangements, PlacedDiesArePermutations) {
  for (const auto& extents : kGrids) {
    const Grid grid(extents);
    for (const int dies : {1, 2, 6, 8})
      for (const int count : {0, 1, dies == 6 ? 2 : 0})
        for (const Splits& splits : splits_of(grid, {3, 4, 10, 1000}, count))
          for (const Arrangement& each : placed_dies(grid, dies, splits))
            ASSERT_NO_FATAL_FAILURE(expect_permutation(each, grid, dies));
  }
}

TEST(Arrangements, EverySplitIsMadeOnce) {
  const Grid grid({32, 6});
  EXPECT_EQ(splits_of(grid, {}, 0), std::vector<Splits>{Splits(2)});
  const std::vector<Splits> one = splits_of(grid, {3}, 1);
  EXPECT_EQ(one.size(), 7U);  // 3, 8, 4, 16 and 2 of 32; 3 and 2 of 6
  const std::vector<Splits> two = splits_of(grid, {3}, 2);
  EXPECT_EQ(std::set<Splits>(two.begin(), two.end()).size(), two.size());
  EXPECT_EQ(two.front(), (Splits{{3}, {3}}));  // different axes first
  EXPECT_TRUE(std::ranges::count(two, Splits{{2, 8}, {}}));
  EXPECT_FALSE(std::ranges::count(two, Splits{{4, 8}, {}}));  // would leave 1
}

TEST(Arrangements, NeighboursArePermutations) {
  std::mt19937_64 random(23);
  for (const auto& extents : kGrids) {
    const Grid grid(extents);
    std::vector<Arrangement> placed = placed_dies(grid, 8, Splits(extents.size()));
    for (const Splits& splits : splits_of(grid, {}, 1))
      for (const Arrangement& more : placed_dies(grid, 2, splits)) placed.push_back(more);
    if (placed.empty()) continue;
    for (int i = 0; i < 4; ++i) {
      // A walk of a few steps, each to some neighbour.
      Arrangement at = placed[random() % placed.size()];
      for (int step = 0; step < 3; ++step) {
        const std::vector<Arrangement> around = neighbours(at, grid);
        for (const Arrangement& each : around)
          ASSERT_NO_FATAL_FAILURE(expect_permutation(each, grid, 8));
        if (around.empty()) break;
        at = around[random() % around.size()];
      }
    }
  }
}

TEST(Arrangements, NeighboursLeadEverywhere) {
  // From the launch order every digit permutation of 4x4 is some steps away.
  const Grid grid({4, 4});
  std::set<Map> reached;
  std::vector<Arrangement> open = {*recognize(map_of(read_order("identity"), grid), grid)};
  reached.insert(map_of(open[0], grid));
  while (!open.empty()) {
    const Arrangement at = open.back();
    open.pop_back();
    for (const Arrangement& each : neighbours(at, grid))
      if (reached.insert(map_of(each, grid)).second) open.push_back(each);
  }
  EXPECT_EQ(reached, all_digit_maps(grid));
}

}  // namespace
}  // namespace heddle::search
