// Rules 1 to 3 of order/family.h: permutations with their inverses, no overflow, no negative
// division; on every small grid, and on large ones by sample.
#include "order/family.h"

#include <algorithm>
#include <random>

#include "order/testing.h"

namespace heddle::testing {
namespace {

using order::Family;
using order::FamilyKind;

/// The family with parameters that are small, awkward, usual and larger than any small grid.
std::vector<std::string> instances(const Family& family) {
  const std::string name(family.name);
  if (family.parameters.empty()) return {name};
  std::vector<std::string> result;
  if (family.parameters.size() == 1) {
    for (const char* value : {"1", "2", "3", "5", "8", "1000"})
      result.push_back(name + "(" + value + ")");
  } else {
    for (const char* value :
         {"1, 1", "2, 3", "3, 2", "8, 1", "8, 4", "5, 7", "8, 12", "1, 1000", "1000, 1"}) {
      result.push_back(name + "(" + value + ")");
    }
  }
  return result;
}

Map map_by(const Order& remap, const Space& space) {
  const order::Program program = remap.program(order::Shape::of(space), {});
  order::Evaluator evaluator(program, space, {});
  Map map(static_cast<std::size_t>(space.block_count()));
  for (std::size_t first = 0; first < map.size(); first += order::kLanes) {
    evaluator.run(
        LaunchId{static_cast<std::int64_t>(first)},
        std::span(map).subspan(first, std::min<std::size_t>(order::kLanes, map.size() - first)));
  }
  EXPECT_FALSE(evaluator.first_fault()) << remap.title() << " on " << space.launch.text();
  EXPECT_FALSE(evaluator.saw_negative_division()) << remap.title() << " on " << space.launch.text();
  EXPECT_FALSE(evaluator.went_beyond_int32()) << remap.title() << " on " << space.launch.text();
  return map;
}

/// Forward is a permutation, the inverse undoes it, and is itself within the rules.
void expect_permutation(const std::string& text, const Space& space) {
  const Order remap = order::read_compact(text);
  const Map map = map_by(remap, space);
  const auto undone = order::invert(map);
  ASSERT_TRUE(undone) << text << " on " << space.launch.text() << " is no permutation";
  ASSERT_EQ(map_by(order::inverse(remap), space), *undone) << text << " on " << space.launch.text();
}

TEST(Family, EveryOneIsAPermutationOfALine) {
  for (const Family& family : order::families()) {
    if (family.kind != FamilyKind::line) continue;
    for (const std::string& text : instances(family)) {
      for (std::int64_t n = 1; n <= 200; ++n) expect_permutation(text, launch({n}));
    }
  }
}

TEST(Family, EveryOneIsAPermutationOfAPlane) {
  for (const Family& family : order::families()) {
    for (const std::string& text : instances(family)) {
      for (std::int64_t a = 1; a <= 12; ++a) {
        for (std::int64_t b = 1; b <= 12; ++b) {
          expect_permutation(text, launch({a, b}));
          if (a <= 7 && b <= 7) expect_permutation(text, tiled({a, b}));
        }
      }
    }
  }
}

TEST(Family, EveryOneIsAPermutationOfABox) {
  for (const Family& family : order::families()) {
    for (const std::string& text : instances(family)) {
      for (std::int64_t id = 0; id < 75; ++id) {
        expect_permutation(text, launch({1 + id % 5, 1 + id / 5 % 5, 1 + id / 25}));
        if (id % 3 == 0) expect_permutation(text, tiled({1 + id / 25, 1 + id / 5 % 5, 1 + id % 5}));
      }
    }
  }
}

TEST(Family, WalksLeaveThePlanesOfABoxAlone) {
  for (const Family& family : order::families()) {
    if (family.kind != FamilyKind::walk) continue;
    const std::string text = instances(family).back();
    const Map map = map_by(order::read_compact(text), launch({5, 4, 3}));
    const Map plane = map_by(order::read_compact(text), launch({5, 4}));
    for (std::size_t id = 0; id < map.size(); ++id) {
      EXPECT_EQ(map[id], plane[id % 20] + static_cast<std::int64_t>(id / 20 * 20)) << text;
    }
  }
}

TEST(Family, TilesAreRowMajorAndLaunchesXFastest) {
  const Map rows = map_by(order::read_compact("columns"), tiled({2, 3}));  // 2 rows of 3
  EXPECT_EQ(rows, (Map{0, 3, 1, 4, 2, 5}));
  const Map launched = map_by(order::read_compact("columns"), launch({3, 2}));  // the same plane
  EXPECT_EQ(launched, rows);
  const Map box =
      map_by(order::read_compact("columns"), tiled({2, 2, 3}));  // the first axis is slowest
  EXPECT_EQ(box, (Map{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
  EXPECT_EQ(values_at(triton("r, c = p0 // 3, p0 % 3"), 4, tiled({2, 3})),
            (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(triton("r, c = p0 // 3, p0 % 3").on(tiled({2, 3})), counting(6));
  EXPECT_EQ(triton("p0, p1").on(launch({3, 2})), counting(6));
}

// ---- large grids ------------------------------------------------------------------------------

std::vector<Space> large_spaces(bool lines) {
  std::vector<Space> result;
  std::mt19937_64 random(4711);
  if (lines) {
    for (const std::int64_t n : {2147483647LL, 2147483646LL, 2147483640LL, 1073741824LL, 65537LL})
      result.push_back(launch({n}));
    for (int i = 0; i < 8; ++i)
      result.push_back(launch({static_cast<std::int64_t>(random() % 2147483647U) + 1}));
    return result;
  }
  for (const auto& sides : std::vector<std::vector<std::int64_t>>{{46340, 46341},
                                                                  {1, 2147483647},
                                                                  {2147483647, 1},
                                                                  {3, 715827882},
                                                                  {65536, 32767},
                                                                  {32767, 65536}}) {
    result.push_back(launch(sides));
    result.push_back(tiled(sides));
  }
  result.push_back(launch({1290, 1290, 1290}));
  result.push_back(launch({1, 2, 1073741823}));
  result.push_back(launch({1073741823, 1, 2}));
  for (int i = 0; i < 8; ++i) {
    const std::int64_t a = static_cast<std::int64_t>(random() % (i % 2 == 0 ? 60000U : 900U)) + 1;
    const std::int64_t most = 2147483647 / a;
    const std::int64_t b =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) + 1;
    result.push_back(i % 4 < 2 ? launch({a, b}) : tiled({a, b}));
  }
  return result;
}

/// Sampled launch ids: no fault, inside, undone by the inverse; different ids give different tiles.
void expect_sound_on(const std::string& text, const Space& space) {
  const Order remap = order::read_compact(text);
  const Order there_and_back = order::compose(remap, order::inverse(remap));
  const order::Shape shape = order::Shape::of(space);
  const order::Program forward = remap.program(shape, {});
  const order::Program round_trip = there_and_back.program(shape, {});
  order::Evaluator evaluator(forward, space, {});
  order::Evaluator checker(round_trip, space, {});
  const std::int64_t count = space.block_count();
  std::mt19937_64 random(99);
  std::vector<std::int64_t> starts = {0, count / 2, std::max<std::int64_t>(count - 16, 0)};
  for (int i = 0; i < 5; ++i)
    starts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
  for (const std::int64_t start : starts) {
    std::vector<std::int64_t> tiles(
        static_cast<std::size_t>(std::min<std::int64_t>(16, count - start)));
    std::vector<std::int64_t> back = tiles;
    evaluator.run(LaunchId{start}, tiles);
    checker.run(LaunchId{start}, back);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      ASSERT_GE(tiles[i], 0) << text << " on " << space.launch.text() << " at " << start;
      ASSERT_EQ(back[i], start + static_cast<std::int64_t>(i))
          << text << " on " << space.launch.text();
    }
    std::sort(tiles.begin(), tiles.end());
    ASSERT_EQ(std::adjacent_find(tiles.begin(), tiles.end()), tiles.end())
        << text << " on " << space.launch.text();
  }
  for (const order::Evaluator* each : {&evaluator, &checker}) {
    EXPECT_FALSE(each->first_fault()) << text << " on " << space.launch.text();
    EXPECT_FALSE(each->saw_negative_division()) << text << " on " << space.launch.text();
    EXPECT_FALSE(each->went_beyond_int32()) << text << " on " << space.launch.text();
  }
}

std::vector<std::string> large_instances(const Family& family) {
  std::vector<std::string> result = instances(family);
  const std::string name(family.name);
  if (family.parameters.size() == 1) {
    for (const char* value : {"(2147483647)", "(65536)", "(1073741825)"})
      result.push_back(name + value);
  }
  if (family.parameters.size() == 2) {
    for (const char* value :
         {"(8, 268435455)", "(46340, 46340)", "(2147483647, 1)", "(1, 2147483647)"})
      result.push_back(name + value);
  }
  return result;
}

TEST(Family, LargeLines) {
  for (const Family& family : order::families()) {
    if (family.kind != FamilyKind::line) continue;
    for (const std::string& text : large_instances(family)) {
      for (const Space& space : large_spaces(true)) expect_sound_on(text, space);
    }
  }
}

TEST(Family, LargePlanesAndBoxes) {
  for (const Family& family : order::families()) {
    for (const std::string& text : large_instances(family)) {
      for (const Space& space : large_spaces(false)) expect_sound_on(text, space);
    }
  }
}

TEST(Family, EveryOneIsDescribed) {
  for (const Family& family : order::families()) {
    EXPECT_EQ(order::find_family(family.name), &family);
    EXPECT_FALSE(family.summary.empty()) << family.name;
    EXPECT_FALSE(family.argument.empty()) << family.name;
    EXPECT_TRUE(family.needs.empty() || order::find_family(family.needs) != nullptr) << family.name;
  }
  EXPECT_EQ(order::find_family("spiral"), nullptr);
}

}  // namespace
}  // namespace heddle::testing
