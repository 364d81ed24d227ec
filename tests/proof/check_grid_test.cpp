#include "proof/check.h"

#include "proof/testing.h"

namespace heddle::testing {
namespace {

/// Every count of a report, taken again from the map.
void expect_counts(const Text& text, const Space& space) {
  const GridReport report = check(text, space);
  const Map map = text.on(space);
  std::set<std::int64_t> tiles;
  std::int64_t idle = 0, outside = 0, failed = 0;
  std::vector<std::int64_t> dies(8, 0);
  bool identity = space.block_count() == space.tile_count();
  for (std::size_t id = 0; id < map.size(); ++id) {
    if (map[id] >= 0) tiles.insert(map[id]);
    idle += map[id] == order::kIdle;
    outside += map[id] == order::kOutside;
    failed += map[id] == order::kFailed;
    dies[id % 8] += map[id] != order::kIdle;
    identity = identity && map[id] == static_cast<std::int64_t>(id);
  }
  EXPECT_EQ(report.launched, space.block_count());
  EXPECT_EQ(report.tiles, space.tile_count());
  EXPECT_EQ(report.distinct_tiles, static_cast<std::int64_t>(tiles.size()));
  EXPECT_EQ(report.idle, idle);
  EXPECT_EQ(report.out_of_grid, outside);
  EXPECT_EQ(report.failed, failed);
  EXPECT_EQ(report.identity, identity);
  EXPECT_EQ(report.blocks_per_die, dies);
  EXPECT_EQ(report.grid, space.launch.extents());
  EXPECT_EQ(report.tile_space, space.tile_grid().extents());
  const bool good = static_cast<std::int64_t>(tiles.size()) == space.tile_count() &&
                    space.block_count() - idle == space.tile_count() && outside == 0 && failed == 0;
  EXPECT_EQ(report.verdict, good ? Verdict::proved : Verdict::refuted) << text.text;
  EXPECT_EQ(report.counterexample.has_value(), !good);
  if (!good) expect_true_counterexample(report, map);
}

TEST(CheckGrid, CountsExactly) {
  for (const std::string text :
       {"p0", "g0 - 1 - p0", "p0 // 2", "p0 + 1", "p0 * 2", "p0 - 1", "8 // (p0 - 3)",
        "p0 * 300000000 // 300000000", "p0 % 3", "p0 if p0 != 7 else 1000", "min(p0, 5)",
        "p0 * p0 % g0", "tile = p0\nif p0 > 5:\n    return\ntile = p0",
        "tile = p0\nif p0 > 5:\n    return\ntile = 5 - p0",
        "tile = p0 // 2\nif p0 % 2 == 1:\n    return\ntile = p0 // 2"}) {
    for (const std::int64_t n : {1, 2, 6, 9, 300, 1000}) expect_counts(triton(text), launch({n}));
  }
  for (const std::string text :
       {"p0, p1", "p1, p0", "p0, p0", "g0 - 1 - p0, p1", "p0 + 1, p1", "p0 + p1 * g0"}) {
    for (const Space& space : {launch({5, 5}), launch({3, 7}), launch({40, 30})})
      expect_counts(triton(text), space);
  }
  for (const std::string text :
       {"p0 // t1, p0 % t1", "p0 % t0, p0 // t0", "p0 % t1, p0 // t1", "p0"}) {
    for (const Space& space : {tiled({4, 4}), tiled({3, 7}), tiled({40, 30})})
      expect_counts(triton(text), space);
  }
}

TEST(CheckGrid, SaysWhatHappened) {
  const GridReport collision = check(triton("p0 % 8 * (g0 // 8) + p0 // 8"), launch({9}));
  EXPECT_EQ(collision.counterexample->kind, Counterexample::Kind::collision);
  EXPECT_EQ(collision.counterexample->message, "launch ids 1 and 8 both compute tile 1");
  EXPECT_EQ(collision.distinct_tiles, 8);
  const GridReport plane = check(triton("p0 // 2, p1"), launch({4, 4}));
  EXPECT_EQ(plane.counterexample->message, "launch ids 0 and 1 both compute tile 0 at (0, 0)");
  const GridReport outside = check(triton("p0 + 1"), launch({4}));
  EXPECT_EQ(outside.counterexample->message, "launch id 3 computes tile 4, outside 0..3");
  EXPECT_EQ(outside.counterexample->index, (std::vector<std::int64_t>{4}));
  const GridReport away = check(triton("p0 - 1, p1"), launch({4, 2}));
  EXPECT_EQ(away.counterexample->message, "launch id 0 computes index -1, 0, outside 4x2");
  const GridReport fault = check(triton("x = 1\ntile = p0 // (p0 - 3)"), launch({8}));
  EXPECT_EQ(fault.counterexample->message, "division by zero at launch id 3 (line 2, column 11)");
  const GridReport missing =
      check(triton("tile = p0\nif p0 == 2:\n    return\ntile = p0"), launch({4}));
  EXPECT_EQ(missing.counterexample->message, "no block computes tile 2");
}

TEST(CheckGrid, IdleBlocksAreAllowed) {
  Text text = triton(
      "pid = tl.program_id(0)\nif pid >= 12:\n    return\npid_m = pid // 4\npid_n = pid % 4");
  text.results = {"pid_m", "pid_n"};
  Space space = tiled({3, 4});
  space.launch = Grid({16});
  const GridReport report = check(text, space);
  EXPECT_EQ(report.verdict, Verdict::proved);
  EXPECT_EQ(report.idle, 4);
  EXPECT_FALSE(report.identity);
  EXPECT_EQ(report.blocks_per_die, (std::vector<std::int64_t>{2, 2, 2, 2, 1, 1, 1, 1}));
}

TEST(CheckGrid, MoreBlocksThanTilesCollide) {
  Space space = tiled({3, 4});
  space.launch = Grid({16});
  EXPECT_EQ(check(triton("r, c = p0 % 12 // 4, p0 % 4"), space).verdict, Verdict::refuted);
  space.launch = Grid({11});
  const GridReport fewer = check(triton("r, c = p0 // 4, p0 % 4"), space);
  EXPECT_EQ(fewer.counterexample->kind, Counterexample::Kind::missing);
  EXPECT_EQ(fewer.counterexample->tile, TileId{11});
}

TEST(CheckGrid, Tables) {
  const auto table = [](Map tiles, const Space& space) {
    return proof::check_grid(Order::from_table(std::move(tiles), "t"), space, {}, within(60));
  };
  EXPECT_EQ(table({2, 0, 1}, launch({3})).verdict, Verdict::proved);
  EXPECT_TRUE(table({0, 1, 2}, launch({3})).identity);
  EXPECT_EQ(table({2, 0, 2}, launch({3})).counterexample->kind, Counterexample::Kind::collision);
  EXPECT_EQ(table({2, 0, 3}, launch({3})).counterexample->kind, Counterexample::Kind::outside);
  EXPECT_EQ(table({2, 0, 3}, launch({3})).counterexample->index, (std::vector<std::int64_t>{3}));
  Space padded = tiled({3});
  padded.launch = Grid({5});
  const GridReport idle = table({-1, 2, 0, -1, 1}, padded);
  EXPECT_EQ(idle.verdict, Verdict::proved);
  EXPECT_EQ(idle.idle, 2);
  EXPECT_EQ(table({-1, 0, 1}, launch({3})).counterexample->kind, Counterexample::Kind::missing);
  EXPECT_TRUE(contains(thrown_by([&] {
                         table({0, 1}, launch({3}));
                       }).message(),
                       "lists 2 launch ids, the grid has 3"));
}

TEST(CheckGrid, DiesAndImbalance) {
  EXPECT_EQ(check(triton("p0"), launch({10}), 4).blocks_per_die,
            (std::vector<std::int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(check(triton("p0"), launch({2}), 4).blocks_per_die,
            (std::vector<std::int64_t>{1, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(imbalance({3, 3, 2, 2}), 1.2);
  EXPECT_DOUBLE_EQ(imbalance({5, 5}), 1.0);
  EXPECT_DOUBLE_EQ(imbalance({4, 0}), 2.0);
  EXPECT_DOUBLE_EQ(imbalance({0, 0}), 1.0);
}

TEST(CheckGrid, NotesWhatEmissionNeeds) {
  EXPECT_FALSE(check(triton("p0 // 3 * 0 + p0"), launch({8})).negative_division);
  EXPECT_TRUE(check(triton("(p0 - 3) // 3 * 0 + p0"), launch({8})).negative_division);
  EXPECT_TRUE(
      check(c_like("unsigned x = blockIdx.x - 1; int tile = x + 1;"), launch({8})).wraps_unsigned);
  EXPECT_FALSE(check(c_like("unsigned x = blockIdx.x; int tile = x;"), launch({8})).wraps_unsigned);
  EXPECT_TRUE(
      check(triton("p0.to(tl.int64) * 5000000000 // 5000000000"), launch({8})).beyond_int32);
}

TEST(CheckGrid, AnEndlessLoopIsUnknown) {
  const GridReport report =
      check(triton("x = p0\nwhile x >= 0:\n    x = x + 0\ntile = x"), launch({8}));
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_TRUE(contains(report.reason, "loop at line 2"));
  EXPECT_FALSE(report.counterexample);
}

TEST(CheckGrid, RefusesMismatchedResults) {
  Text three = triton("a = p0\nb = p1\nc = p2");
  three.results = {"a", "b", "c"};
  const Error axes = thrown_by([&] { check(three, launch({4, 4})); });
  EXPECT_TRUE(contains(axes.message(), "3") && contains(axes.message(), "2 axes"));
  Space space = tiled({3, 4});
  space.launch = Grid({16});
  const Error family =
      thrown_by([&] { proof::check_grid(order::read_compact("xcd(8)"), space, {}, within(60)); });
  EXPECT_TRUE(contains(family.message(), "as many blocks as tiles"));
  EXPECT_TRUE(contains(thrown_by([] { check(triton("p0 + N"), launch({4})); }).message(),
                       "N without a value"));
}

TEST(CheckGrid, TwoResultsOnABoxLeaveTheThirdAxis) {
  Text text = triton("x = g0 - 1 - p0\ny = p1");
  text.results = {"x", "y"};
  const GridReport planes = check(text, launch({3, 3, 4}));
  EXPECT_EQ(planes.verdict, Verdict::proved);
  EXPECT_EQ(planes.distinct_tiles, 36);
}

// A tuple on its own is the index, neither less nor more of it.
TEST(CheckGrid, ALoneTupleIsTheWholeIndex) {
  EXPECT_THROW(check(triton("p0, p1, p2"), launch({4, 4})), Error);
  EXPECT_THROW(check(triton("p0 // 4, p0 % 4"), launch({16})), Error);
  EXPECT_EQ(check(triton("x = g0 - 1 - p0\ny = p1\nx, y"), launch({3, 3, 4})).verdict,
            Verdict::proved);
}

TEST(Compare, FindsTheFirstDifference) {
  const Space space = launch({8});
  EXPECT_FALSE(proof::compare(order::read_compact("reverse"), triton("7 - p0").order(), space, {}));
  const auto difference =
      proof::compare(triton("p0").order(), triton("p0 if p0 < 5 else 12 - p0").order(), space, {});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->launch, LaunchId{5});
  EXPECT_EQ(difference->first, 5);
  EXPECT_EQ(difference->second, 7);
  EXPECT_EQ(
      proof::compare(triton("p0").order(), triton("p0 * 0 + p0 // p0").order(), space, {})->second,
      order::kFailed);
  const auto table =
      proof::compare(Order::from_table({0, 9}, "t"), triton("p0").order(), launch({2}), {});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->first, order::kOutside);
}

}  // namespace
}  // namespace heddle::testing
