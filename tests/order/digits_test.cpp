// Digit orders against a twin that only counts: walk the launch ids digit by digit, put each tile
// where its digits say, then the tiles left over, row by row.
#include "order/digits.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "order/testing.h"

namespace heddle::testing {
namespace {

using order::Digit;
using order::DigitOrder;
using order::read_digits;

// ---- the twin -----------------------------------------------------------------------------

/// The tiles of a box of up to three axes, slowest axis first, in the order of the digits.
class Twin {
 public:
  Twin(const DigitOrder& digits, std::vector<std::int64_t> extents)
      : digits_(digits), extents_(std::move(extents)), radices_(digits.launch.size()) {
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      std::int64_t others = 1;
      for (const std::size_t digit : digits.axes[axis])
        if (digits.launch[digit].radix) others *= *digits.launch[digit].radix;
      const std::int64_t open = extents_[axis] / others;
      covered_.push_back(open * others);
      for (const std::size_t digit : digits.axes[axis])
        radices_[digit] = digits.launch[digit].radix.value_or(open);
    }
  }

  /// Tile ids, row-major with the last axis fastest.
  Map map() {
    std::vector<std::int64_t> values(radices_.size(), 0);
    walk(0, values);
    left_over();
    return map_;
  }

 private:
  void put(const std::vector<std::int64_t>& index) {
    std::int64_t tile = 0;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis)
      tile = tile * extents_[axis] + index[axis];
    map_.push_back(tile);
  }

  void walk(std::size_t digit, std::vector<std::int64_t>& values) {
    if (digit == values.size()) {
      std::vector<std::int64_t> index;
      for (const auto& axis : digits_.axes) {
        std::int64_t value = 0;
        for (const std::size_t each : axis) value = value * radices_[each] + values[each];
        index.push_back(value);
      }
      return put(index);
    }
    for (values[digit] = 0; values[digit] < radices_[digit]; ++values[digit])
      walk(digit + 1, values);
    values[digit] = 0;
  }

  /// Slices that the digits cover give what is left of their rows, then the rows left.
  void plane(const std::vector<std::int64_t>& slice, std::int64_t rows, std::int64_t columns) {
    const auto at = [&](std::int64_t row, std::int64_t column) {
      std::vector<std::int64_t> index = slice;
      index.push_back(row);
      index.push_back(column);
      put(index);
    };
    const std::size_t last = extents_.size() - 1;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = columns; column < extents_[last]; ++column) at(row, column);
    for (std::int64_t row = rows; row < extents_[last - 1]; ++row)
      for (std::int64_t column = 0; column < extents_[last]; ++column) at(row, column);
  }

  void left_over() {
    if (extents_.size() == 1)
      for (std::int64_t tile = covered_[0]; tile < extents_[0]; ++tile) put({tile});
    if (extents_.size() == 2) plane({}, covered_[0], covered_[1]);
    if (extents_.size() != 3) return;
    for (std::int64_t slice = 0; slice < covered_[0]; ++slice)
      plane({slice}, covered_[1], covered_[2]);
    for (std::int64_t slice = covered_[0]; slice < extents_[0]; ++slice) plane({slice}, 0, 0);
  }

  const DigitOrder& digits_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> radices_;
  std::vector<std::int64_t> covered_;
  Map map_;
};

TEST(DigitsTwin, IsWhatOneWritesByHand) {
  // 2 rows of 3; the digit pair covers 2 of the 3 columns.
  EXPECT_EQ(Twin(read_digits("x r=2 y -> y, x r"), {2, 3}).map(), (Map{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Twin(read_digits("a die=2 -> die a"), {5}).map(), (Map{0, 2, 1, 3, 4}));
  EXPECT_EQ(Twin(read_digits("z y x -> z, y, x"), {2, 1, 2}).map(), counting(4));
}

// ---- random digit orders ------------------------------------------------------------------

DigitOrder random_digits(std::mt19937_64& random, std::size_t axes) {
  static const std::vector<std::int64_t> kRadices = {1, 2, 2, 3, 4, 5, 7, 8};
  DigitOrder digits;
  std::vector<std::size_t> axis_of;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::size_t count = 1 + random() % 3;
    const std::size_t open = random() % count;
    for (std::size_t i = 0; i < count; ++i) {
      Digit digit{"d" + std::to_string(axis_of.size()), std::nullopt};
      if (i != open) digit.radix = kRadices[random() % kRadices.size()];
      digits.launch.push_back(digit);
      axis_of.push_back(axis);
    }
  }
  std::vector<std::size_t> order(digits.launch.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  DigitOrder shuffled;
  shuffled.axes.resize(axes);
  for (std::size_t i = 0; i < order.size(); ++i) {
    shuffled.launch.push_back(digits.launch[order[i]]);
    shuffled.axes[axis_of[order[i]]].push_back(i);
  }
  for (auto& axis : shuffled.axes) std::shuffle(axis.begin(), axis.end(), random);
  return shuffled;
}

/// The evaluator's map, which must not overflow, fault, or divide anything negative.
Map run(const Order& remap, const Space& space) {
  const order::Program program = remap.program(order::Shape::of(space), {});
  order::Evaluator evaluator(program, space, {});
  Map map(static_cast<std::size_t>(space.block_count()));
  for (std::size_t first = 0; first < map.size(); first += order::kLanes)
    evaluator.run(
        LaunchId{static_cast<std::int64_t>(first)},
        std::span(map).subspan(first, std::min<std::size_t>(order::kLanes, map.size() - first)));
  EXPECT_FALSE(evaluator.first_fault()) << remap.title() << " on " << space.launch.text();
  EXPECT_FALSE(evaluator.saw_negative_division()) << remap.title() << " on " << space.launch.text();
  EXPECT_FALSE(evaluator.went_beyond_int32()) << remap.title() << " on " << space.launch.text();
  return map;
}

std::vector<std::int64_t> reversed(std::vector<std::int64_t> extents) {
  std::reverse(extents.begin(), extents.end());
  return extents;
}

/// `extents`: slowest axis first. Launches count x first, tile spaces rows first: one map.
void expect_twin(const DigitOrder& digits, const std::vector<std::int64_t>& extents) {
  const Order remap = order::read_compact("digits(" + digits.text() + ")");
  const Map expected = Twin(digits, extents).map();
  ASSERT_EQ(run(remap, launch(reversed(extents))), expected) << digits.text();
  ASSERT_EQ(order::materialize(remap, launch(reversed(extents)), {}), expected) << digits.text();
  const auto undone = order::invert(expected);
  ASSERT_TRUE(undone) << digits.text();
  ASSERT_EQ(run(order::inverse(remap), launch(reversed(extents))), *undone) << digits.text();
  if (extents.size() == 1) return;
  ASSERT_EQ(run(remap, tiled(extents)), expected) << digits.text();
  ASSERT_EQ(order::materialize(remap, tiled(extents), {}), expected) << digits.text();
  ASSERT_EQ(run(order::inverse(remap), tiled(extents)), *undone) << digits.text();
}

TEST(Digits, LinesAreTheTwins) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 80; ++i) {
    const DigitOrder digits = random_digits(random, 1);
    for (std::int64_t n = 1; n <= 81; ++n) ASSERT_NO_FATAL_FAILURE(expect_twin(digits, {n}));
  }
}

TEST(Digits, PlanesAreTheTwins) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 80; ++i) {
    const DigitOrder digits = random_digits(random, 2);
    for (std::int64_t size = 0; size < 81; ++size)
      ASSERT_NO_FATAL_FAILURE(expect_twin(digits, {1 + size / 9, 1 + size % 9}));
  }
}

TEST(Digits, SpacesAreTheTwins) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const DigitOrder digits = random_digits(random, 3);
    for (std::int64_t size = 0; size < 125; size += 1 + i % 2)
      ASSERT_NO_FATAL_FAILURE(expect_twin(digits, {1 + size / 25, 1 + size / 5 % 5, 1 + size % 5}));
    ASSERT_NO_FATAL_FAILURE(expect_twin(digits, {9, 7, 8}));
  }
}

TEST(Digits, AWalkLeavesThePlanesOfABoxAlone) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20; ++i) {
    const DigitOrder digits = random_digits(random, 2);
    const Map plane = Twin(digits, {4, 5}).map();
    const Map box = run(order::read_compact("digits(" + digits.text() + ")"), launch({5, 4, 3}));
    for (std::size_t id = 0; id < box.size(); ++id)
      ASSERT_EQ(box[id], plane[id % 20] + static_cast<std::int64_t>(id / 20 * 20));
  }
}

TEST(Digits, ALineRunsThroughPlanesAndBoxes) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20; ++i) {
    const DigitOrder digits = random_digits(random, 1);
    const Order remap = order::read_compact("digits(" + digits.text() + ")");
    const Map line = Twin(digits, {60}).map();
    for (const Space& space :
         {launch({60}), launch({12, 5}), launch({5, 4, 3}), tiled({12, 5}), tiled({3, 4, 5})})
      ASSERT_EQ(run(remap, space), line) << digits.text() << " on " << space.launch.text();
  }
}

TEST(Digits, StagesOfAPipelineAreMapsAfterMaps) {
  std::mt19937_64 random(6);
  const std::vector<std::string> others = {
      "xcd(8)", "group(3)", "snake", "columns", "reverse", "inverse(group(2))", "xcd_chunk(3, 2)"};
  const std::vector<Space> spaces = {launch({7, 5}), launch({8, 8}), tiled({6, 9}),
                                     launch({4, 3, 5}), tiled({2, 5, 4})};
  for (int i = 0; i < 60; ++i) {
    const Space& space = spaces[random() % spaces.size()];
    const std::size_t most = static_cast<std::size_t>(space.tile_axes());
    std::vector<std::string> stages;
    for (std::size_t count = 2 + random() % 3; count > 0; --count) {
      std::string text = "digits(" + random_digits(random, 1 + random() % most).text() + ")";
      if (random() % 3 == 0) text = others[random() % others.size()];
      if (random() % 3 == 0) text = "inverse(" + text + ")";
      stages.push_back(text);
    }
    std::string all = stages[0];
    std::optional<Map> expected = run(order::read_compact(stages[0]), space);
    for (std::size_t stage = 1; stage < stages.size(); ++stage) {
      all += " | " + stages[stage];
      expected = order::compose(*expected, run(order::read_compact(stages[stage]), space));
      ASSERT_TRUE(expected);
    }
    ASSERT_EQ(run(order::read_compact(all), space), *expected) << all;
    const Order back = order::inverse(order::read_compact(all));
    ASSERT_EQ(run(back, space), *order::invert(*expected)) << all;
  }
}

// ---- large grids --------------------------------------------------------------------------

/// A run of launch ids at many places: inside, all different, undone by the inverse, within int32.
void expect_sound_on(const DigitOrder& digits, const Space& space) {
  const Order remap = order::read_compact("digits(" + digits.text() + ")");
  const order::Shape shape = order::Shape::of(space);
  const order::Program forward = remap.program(shape, {});
  const order::Program round = order::compose(remap, order::inverse(remap)).program(shape, {});
  order::Evaluator evaluator(forward, space, {});
  order::Evaluator checker(round, space, {});
  const std::int64_t count = space.block_count();
  std::mt19937_64 random(99);
  std::vector<std::int64_t> starts = {0, count / 2, std::max<std::int64_t>(count - 16, 0)};
  for (int i = 0; i < 8; ++i)
    starts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
  for (const std::int64_t start : starts) {
    std::vector<std::int64_t> tiles(
        static_cast<std::size_t>(std::min<std::int64_t>(16, count - start)));
    std::vector<std::int64_t> back = tiles;
    evaluator.run(LaunchId{start}, tiles);
    checker.run(LaunchId{start}, back);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      ASSERT_GE(tiles[i], 0) << digits.text() << " on " << space.launch.text();
      ASSERT_LT(tiles[i], count) << digits.text() << " on " << space.launch.text();
      ASSERT_EQ(back[i], start + static_cast<std::int64_t>(i))
          << digits.text() << " on " << space.launch.text();
    }
  }
  for (const order::Evaluator* each : {&evaluator, &checker}) {
    EXPECT_FALSE(each->first_fault()) << digits.text() << " on " << space.launch.text();
    EXPECT_FALSE(each->saw_negative_division()) << digits.text() << " on " << space.launch.text();
    EXPECT_FALSE(each->went_beyond_int32()) << digits.text() << " on " << space.launch.text();
  }
}

TEST(Digits, LargeGridsStayWithinInt32) {
  std::mt19937_64 random(7);
  constexpr std::int64_t kMost = kBlockLimit - 1;
  const std::vector<std::vector<Space>> spaces = {
      {launch({kMost}), launch({kMost - 1}), launch({1073741824}), launch({65537})},
      {launch({46340, 46341}), launch({1, kMost}), launch({kMost, 1}), launch({3, 715827882}),
       tiled({65536, 32767}), tiled({32767, 65536})},
      {launch({1290, 1290, 1290}), launch({1, 2, 1073741823}), launch({1073741823, 1, 2}),
       tiled({1289, 1291, 1290}), tiled({1, kMost, 1})}};
  for (std::size_t axes = 1; axes <= 3; ++axes) {
    std::vector<DigitOrder> orders;
    for (int i = 0; i < 25; ++i) orders.push_back(random_digits(random, axes));
    const std::vector<std::string> extreme = {
        "x r=2147483647 -> r x", "r=65536 x q=32767 -> q x r", "y x r=2147483647 -> r y, x",
        "y r=46340 x q=46340 -> q y, r x", "z p=1290 y q=1290 x r=1290 -> p z, q y, r x"};
    for (const std::string& text : extreme)
      if (const DigitOrder digits = read_digits(text); digits.axes.size() == axes)
        orders.push_back(digits);
    for (const DigitOrder& digits : orders)
      for (const Space& space : spaces[axes - 1])
        ASSERT_NO_FATAL_FAILURE(expect_sound_on(digits, space));
  }
}

// ---- what is the same order under another name --------------------------------------------

TEST(Digits, CoincideWithFamilies) {
  const auto same = [](const std::string& digits, const std::string& family, const Space& space) {
    EXPECT_EQ(run(order::read_compact(digits), space), run(order::read_compact(family), space))
        << digits << " and " << family << " on " << space.launch.text();
  };
  for (std::int64_t n = 1; n <= 100; ++n) {
    same("digits(a die=8 -> die a)", "xcd_tail(8)", launch({n}));
    same("digits(a -> a)", "identity", launch({n}));
    if (n % 8 == 0) same("digits(a die=8 -> die a)", "xcd(8)", launch({n}));
  }
  for (std::int64_t size = 0; size < 81; ++size) {
    const Space space = launch({1 + size / 9, 1 + size % 9});
    same("digits(x y -> y, x)", "columns", space);
    same("digits(y x -> y, x)", "identity", space);
    same("digits(a die=3 -> die a)", "xcd_tail(3)", space);
    if (space.launch.extent(1) % 4 == 0) same("digits(y x r=4 -> y r, x)", "group(4)", space);
  }
}

// ---- the text -----------------------------------------------------------------------------

TEST(Digits, TextsAreReadBackAsTheyWerePrinted) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300; ++i) {
    const DigitOrder digits = random_digits(random, 1 + random() % 3);
    const DigitOrder again = read_digits(digits.text());
    EXPECT_EQ(again.text(), digits.text());
    EXPECT_EQ(again.axes, digits.axes);
    ASSERT_EQ(again.launch.size(), digits.launch.size());
    for (std::size_t digit = 0; digit < digits.launch.size(); ++digit)
      EXPECT_EQ(again.launch[digit].radix, digits.launch[digit].radix);
    const std::string text = "digits(" + digits.text() + ")";
    EXPECT_EQ(order::read_compact(text).title(), text);
    EXPECT_EQ(order::inverse(order::read_compact(text)).title(), "inverse(" + text + ")");
  }
  EXPECT_EQ(read_digits("  x\tr=8\n y  ->y  r ,x ").text(), "x r=8 y -> y r, x");
  EXPECT_TRUE(order::looks_compact("digits(x y -> y, x)"));
}

struct Wrong {
  std::string text;
  std::string says;
};

TEST(Digits, WhatIsWrongIsSaid) {
  std::string many;
  for (int i = 0; i < 17; ++i) many += "d" + std::to_string(i) + "=1 ";
  const std::vector<Wrong> wrongs = {
      {"", "there is no '->'"},
      {"x y", "there is no '->'"},
      {"x - > x", "there is no '->'"},
      {"->", "an axis has 0 digits without a radix"},
      {"x ->", "an axis has 0 digits without a radix"},
      {"-> x", "'x' is not on the left of the arrow"},
      {"x y -> x", "'y' occurs 0 times right of the arrow"},
      {"x -> x x", "an axis has 2 digits without a radix"},
      {"x r=2 -> x r r", "'r' occurs 2 times right of the arrow"},
      {"x r=2 y -> x r, y r", "'r' occurs 2 times right of the arrow"},
      {"x x -> x", "'x' stands twice left of the arrow"},
      {"x x=8 -> x", "'x' stands twice left of the arrow"},
      {"x -> y", "'y' is not on the left of the arrow"},
      {"x r=8 -> r=8 x", "'r=8' is not on the left of the arrow"},
      {"x y -> x y", "an axis has 2 digits without a radix"},
      {"x=4 -> x", "an axis has 0 digits without a radix"},
      {"x r=8 y -> x y, r", "an axis has 2 digits without a radix"},
      {"x y -> x, y,", "an axis has 0 digits without a radix"},
      {"x y -> x,, y", "an axis has 0 digits without a radix"},
      {"x r=0 -> x r", "the radix of 'r' is not a whole number of at least 1"},
      {"x r=-8 -> x r", "the radix of 'r' is not a whole number of at least 1"},
      {"x r= -> x r", "the radix of 'r' is not a whole number of at least 1"},
      {"x r=8.0 -> x r", "the radix of 'r' is not a whole number of at least 1"},
      {"x r=8=8 -> x r", "the radix of 'r' is not a whole number of at least 1"},
      {"x r=0x8 -> x r", "the radix of 'r' is not a whole number of at least 1"},
      {"x r=99999999999999999999999 -> x r",
       "the radix of 'r' is not a whole number of at least 1"},
      {"x r=2147483648 -> x r", "the product of the radices is 2^31 or more"},
      {"x r=9223372036854775807 -> x r", "the product of the radices is 2^31 or more"},
      {"x r=65536 q=32768 -> x r q", "the product of the radices is 2^31 or more"},
      {"x r=65536 y q=65536 -> x r, y q", "the product of the radices is 2^31 or more"},
      {"x r=2147483647 q=2147483647 p=2147483647 o=2147483647 -> x r q p o",
       "the product of the radices is 2^31 or more"},
      {many + "x -> x", "more than 16 digits"},
      {"w z y x -> w, z, y, x", "more than three axes"},
      {"X -> X", "'X' is not the name of a digit"},
      {"_x -> _x", "'_x' is not the name of a digit"},
      {"8 -> 8", "'8' is not the name of a digit"},
      {"x.y -> x.y", "'x.y' is not the name of a digit"},
      {"x, y -> x, y", "'x,' is not the name of a digit"},
      {"=8 -> x", "'' is not the name of a digit"},
      {"\xC3\xA4 -> \xC3\xA4", "is not the name of a digit"},
      {std::string("x\0 -> x", 7), "is not the name of a digit"},
      {"x -> x -> x", "'->' is not on the left of the arrow"},
      {"abcdefghijklmnopqrstuvwxyz -> a", "is not the name of a digit"}};
  for (const Wrong& wrong : wrongs) {
    const Error direct = thrown_by([&] { order::digit_stage(read_digits(wrong.text)); });
    EXPECT_TRUE(contains(direct.message(), wrong.says)) << wrong.text << ": " << direct.message();
    EXPECT_TRUE(contains(direct.message(), "digits: ")) << direct.message();
    const Error whole = thrown_by([&] { order::read_compact("digits(" + wrong.text + ")"); });
    EXPECT_TRUE(contains(whole.message(), wrong.says)) << wrong.text << ": " << whole.message();
  }
  EXPECT_TRUE(contains(thrown_by([] { order::read_compact("digits(x -> x"); }).message(),
                       "digits( has no end"));
  EXPECT_TRUE(contains(
      thrown_by([] {
        order::materialize(order::read_compact("digits(z y x -> z, y, x)"), launch({4, 4}), {});
      }).message(),
      "digits of three axes need a 3-D launch or tile space"));
  EXPECT_NO_THROW(order::read_compact("digits(x r=2147483647 -> x r)"));
  EXPECT_NO_THROW(
      order::read_compact("digits(abcdefghijklmnopqrstuvwx -> abcdefghijklmnopqrstuvwx)"));
}

TEST(Digits, VeryLongTextsAreRefusedBriefly) {
  for (const std::string& text :
       {repeat("x ", 500'000) + "-> x", std::string(2'000'000, 'x') + " -> x",
        "x -> " + std::string(2'000'000, 'y'), "x -> " + repeat("x,", 500'000),
        "x r=" + std::string(1'000'000, '9') + " -> x r", repeat("->", 500'000)}) {
    const Error error = thrown_by([&] { order::digit_stage(read_digits(text)); });
    EXPECT_LT(error.message().size(), 300U);
  }
}

TEST(Digits, StagesThatNoTextGivesAreRefusedToo) {
  const auto stage = [](std::vector<Digit> launch, std::vector<std::vector<std::size_t>> axes) {
    return thrown_by([&] { order::digit_stage({std::move(launch), std::move(axes)}); }).message();
  };
  EXPECT_TRUE(contains(stage({{"a", {}}, {"b", 0}}, {{0, 1}}), "radix"));
  EXPECT_TRUE(contains(stage({{"a", {}}, {"b", -2}}, {{0, 1}}), "radix"));
  EXPECT_TRUE(contains(stage({{"a", {}}}, {}), "axes"));
  EXPECT_TRUE(contains(stage({{"a", {}}, {"b", {}}}, {{0}}), "occurs 0 times"));
  EXPECT_TRUE(
      contains(stage({{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}}, {{0}, {1}, {2}, {3}}), "axes"));
}

TEST(Digits, RandomTextsAreReadOrRefused) {
  std::mt19937_64 random(9);
  const std::vector<std::string> pieces = {"x", "y",  "r=8", "->", ",",  " ", "=",    "0",
                                           "-", "(1", "=2 ", "z ", "\n", "|", "\xFF", "die=8 "};
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t count = random() % 10; count > 0; --count)
      text += pieces[random() % pieces.size()] + (random() % 2 == 0 ? " " : "");
    try {
      order::digit_stage(read_digits(text));
      ++read;
      EXPECT_EQ(read_digits(read_digits(text).text()).text(), read_digits(text).text());
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 2);
}

}  // namespace
}  // namespace heddle::testing
