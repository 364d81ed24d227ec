// The batch evaluator and its slow twin agree on random programs, launch id by launch id.
#include <random>

#include "oracle/scalar_evaluator.h"
#include "order/testing.h"

namespace heddle::testing {
namespace {

/// Writes random order texts. Divisors may be zero, shifts too far, products too large.
class Writer {
 public:
  Writer(std::uint64_t seed, bool is_c) : random_(seed), is_c_(is_c) {}

  std::string text() {
    names_ = {"N"};
    std::string result;
    for (const std::string name : {"a", "b", "c"}) {
      line(result, 0, declare(name) + value(1));
      names_.push_back(name);
    }
    names_.erase(names_.begin());
    statements(result, 0, 2 + pick(4), 2);
    line(result, 0, declare("tile") + value(2));
    return result;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }

  std::string one_of(const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(pick(static_cast<int>(choices.size())))];
  }

  std::string declare(const std::string& name) {
    if (!is_c_) return name + " = ";
    return one_of({"int ", "unsigned ", "long ", "uint64_t ", "int ", "unsigned ", "bool "}) +
           name + " = ";
  }

  static std::string indent(int depth) {
    return std::string(static_cast<std::size_t>(2 * depth), ' ');
  }

  void line(std::string& out, int depth, const std::string& statement) {
    out += indent(depth) + statement + (is_c_ ? ";\n" : "\n");
  }

  std::string number() {
    static const std::vector<std::string> kNumbers = {
        "0", "1", "2", "3", "7", "8", "31", "32", "63", "255", "65536", "2147483647", "100000"};
    std::string result = one_of(kNumbers);
    if (is_c_ && pick(6) == 0) result += one_of({"u", "l", "ul"});
    if (is_c_ && pick(20) == 0) result = "0xffffffff";
    return pick(6) == 0 ? "(-" + result + ")" : result;
  }

  std::string leaf() {
    switch (pick(5)) {
      case 0:
        return number();
      case 1:
        return is_c_ ? one_of({"blockIdx.x", "blockIdx.y", "gridDim.x", "p0"})
                     : one_of({"p0", "p1", "p2", "g0", "g1", "t0"});
      case 2:
        return one_of({"N", "p0"});
      default:
        return one_of(names_);
    }
  }

  std::string value(int depth) {
    if (depth == 0) return leaf();
    const std::string a = value(depth - 1);
    const std::string b = value(depth - 1);
    switch (pick(is_c_ ? 9 : 10)) {
      case 0:
      case 1:
      case 2:
        return "(" + a + one_of({" + ", " - ", " * "}) + b + ")";
      case 3:
        return "(" + a + (is_c_ ? one_of({" / ", " % "}) : one_of({" // ", " % "})) + b + ")";
      case 4:
        return "(" + a + one_of({" & ", " | ", " ^ "}) + b + ")";
      case 5:
        return "(" + a + one_of({" << ", " >> "}) +
               (pick(3) == 0 ? b : one_of({"1", "3", "5", "31"})) + ")";
      case 6:
        return one_of({"min", "max"}) + "(" + a + ", " + b + ")";
      case 7:
        return is_c_ ? "(" + condition(depth - 1) + " ? " + a + " : " + b + ")"
                     : "(" + a + " if " + condition(depth - 1) + " else " + b + ")";
      case 8:
        return is_c_ ? one_of({"(int)", "(unsigned)", "(long)", "~", "-"}) + a
                     : one_of({"~", "-", "+"}) + a;
      default:
        return "(" + a + ")" + one_of({".to(tl.int64)", ".to(tl.int32)", ".to(tl.uint32)"});
    }
  }

  std::string condition(int depth) {
    const std::string simple = "(" + value(depth > 0 ? depth - 1 : 0) +
                               one_of({" < ", " <= ", " > ", " >= ", " == ", " != "}) + leaf() +
                               ")";
    switch (pick(4)) {
      case 0:
        return "(" + simple + (is_c_ ? one_of({" && ", " || "}) : one_of({" and ", " or "})) + "(" +
               value(1) + " > " + leaf() + "))";
      case 1:
        return (is_c_ ? "!" : "not ") + simple;
      default:
        return simple;
    }
  }

  void statements(std::string& out, int depth, int count, int nesting) {
    for (int i = 0; i < count; ++i) {
      const int kind = nesting > 0 ? pick(6) : 0;
      if (kind == 4)
        branch(out, depth, nesting);
      else if (kind == 5)
        loop(out, depth, nesting);
      else
        line(out, depth, one_of(names_) + " = " + value(2));
    }
  }

  void block(std::string& out, int depth, int nesting) {
    statements(out, depth + 1, 1 + pick(2), nesting - 1);
    if (pick(8) == 0 && !in_loop_) line(out, depth + 1, "return");
    if (is_c_) out += indent(depth) + "}\n";
  }

  void branch(std::string& out, int depth, int nesting) {
    out += indent(depth) + "if " + (is_c_ ? "(" + condition(1) + ") {\n" : condition(1) + ":\n");
    block(out, depth, nesting);
    if (pick(2) == 0) return;
    out += indent(depth) + (is_c_ ? "else {\n" : "else:\n");
    block(out, depth, nesting);
  }

  void loop(std::string& out, int depth, int nesting) {
    const bool outer = in_loop_;
    in_loop_ = true;
    const std::string limit = one_of({"3", "p0 % 5", "7", "min(g0, 6)"});
    const std::string name = "i" + std::to_string(loops_++);
    if (is_c_)
      out += indent(depth) + "for (int " + name + " = 0; " + name + " < " + limit + "; " + name +
             "++) {\n";
    else
      out += indent(depth) + "for " + name + " in range(" + limit + "):\n";
    block(out, depth, nesting);
    in_loop_ = outer;
  }

  std::mt19937_64 random_;
  bool is_c_;
  bool in_loop_ = false;
  int loops_ = 0;
  std::vector<std::string> names_;
};

Space random_space(std::mt19937_64& random) {
  const auto size = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  switch (random() % 4) {
    case 0:
      return launch({size(700)});
    case 1:
      return launch({size(30), size(20)});
    case 2:
      return launch({size(8), size(8), size(8)});
    default:
      return tiled({size(20), size(20)});
  }
}

struct Seen {
  int tiles = 0, idle = 0, outside = 0, failed = 0, refused = 0;
};

void compare_once(std::uint64_t seed, bool is_c, Seen& seen) {
  std::mt19937_64 random(seed * 7919 + 13);
  Text text = is_c ? c_like(Writer(seed, true).text()) : triton(Writer(seed, false).text());
  text.let = "N=" + std::to_string(random() % 300) + (random() % 9 == 0 ? "*100000000" : "");
  text.results = {"tile"};
  if (random() % 4 == 0 && !is_c) text.constexprs = {"N"};
  const Space space = random_space(random);
  order::Program program;
  try {
    program = text.program(space);
  } catch (const Error&) {  // every path may return, say
    ++seen.refused;
    return;
  }
  const std::vector<std::int64_t> names = text.bindings().values(program.names, space);
  const Map map = text.on(space);
  for (std::size_t id = 0; id < map.size(); ++id) {
    const std::int64_t wanted =
        oracle::tile_of(program, space, names, LaunchId{static_cast<std::int64_t>(id)});
    ASSERT_EQ(map[id], wanted) << "seed " << seed << ", launch id " << id << " of "
                               << space.launch.text() << "\n"
                               << text.text;
    ++(wanted >= 0                 ? seen.tiles
       : wanted == order::kIdle    ? seen.idle
       : wanted == order::kOutside ? seen.outside
                                   : seen.failed);
  }
}

/// Agreement means something only if every kind of outcome came up often.
void expect_variety(const Seen& seen) {
  EXPECT_GT(seen.tiles, 10000);
  EXPECT_GT(seen.idle, 1000);
  EXPECT_GT(seen.outside, 10000);
  EXPECT_GT(seen.failed, 10000);
  EXPECT_LT(seen.refused, 500);
}

TEST(Evaluator, ADivisorThatOverflowedIsNotDividedBy) {
  // 2^32, cut to 32 bits, is 0: dividing by that would stop the program on some machines.
  const order::Map map = line_map(triton("x = g0 * g0\ntile = p0 // x + p0 % x"), 65536);
  EXPECT_EQ(std::count(map.begin(), map.end(), order::kFailed), 65536);
}

void compare_many(bool is_c_like) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    compare_once(seed, is_c_like, seen);
    if (::testing::Test::HasFatalFailure()) return;
  }
  expect_variety(seen);
}

TEST(Evaluator, AgreesWithItsTwinOnTritonTexts) {
  compare_many(false);
}

TEST(Evaluator, AgreesWithItsTwinOnCLikeTexts) {
  compare_many(true);
}

// Constants that do not fit int32, chosen at run time: 64-bit values or a failure, never cut to 32.
TEST(Evaluator, AgreesWithItsTwinOnWideConstants) {
  Text text = triton(
      "x = 0\nif p0 > 3:\n    x = 5000000000\nelse:\n    x = 6000000000\ntile = x // 1000000000");
  text.results = {"tile"};
  const Space space = launch({8});
  const order::Program program = text.program(space);
  const Map map = text.on(space);
  for (std::size_t id = 0; id < 8; ++id) {
    EXPECT_EQ(map[id], oracle::tile_of(program, space, {}, LaunchId{static_cast<std::int64_t>(id)}))
        << id;
    EXPECT_TRUE(map[id] == order::kFailed || map[id] == (id > 3 ? 5 : 6)) << map[id];
  }
}

TEST(Evaluator, NeighboursOfAFaultAreNotDisturbed) {
  const Map map = line_map(triton("x = 100 // (p0 - 5)\ntile = p0 + x * 0"), 600);
  for (std::int64_t id = 0; id < 600; ++id)
    EXPECT_EQ(map[static_cast<std::size_t>(id)], id == 5 ? order::kFailed : id);
}

TEST(Evaluator, ReportsTheFirstFault) {
  const Space space = launch({600});
  const order::Program program = triton("x = p0\ny = 7 // (300 - x)\ntile = x").program(space);
  order::Evaluator evaluator(program, space, {});
  std::array<std::int64_t, order::kLanes> tiles{};
  evaluator.run(LaunchId{0}, tiles);
  EXPECT_FALSE(evaluator.first_fault());
  evaluator.run(LaunchId{256}, tiles);
  ASSERT_TRUE(evaluator.first_fault());
  EXPECT_EQ(evaluator.first_fault()->launch, LaunchId{300});
  EXPECT_EQ(evaluator.first_fault()->fault, order::Fault::division_by_zero);
  EXPECT_EQ(evaluator.first_fault()->at.line, 2);
  EXPECT_EQ(evaluator.first_fault()->at.column, 7);
  EXPECT_EQ(tiles[43], 299);
  EXPECT_EQ(tiles[44], order::kFailed);
  EXPECT_EQ(tiles[45], 301);
}

TEST(Evaluator, RebindForgetsTheLastSpace) {
  const order::Program program = triton("tile = (p0 + N) // (p0 - 3)", "N=1").program(launch({4}));
  order::Evaluator evaluator(program, launch({4}), {1});
  std::array<std::int64_t, 4> tiles{};
  evaluator.run(LaunchId{0}, tiles);
  EXPECT_TRUE(evaluator.first_fault());
  EXPECT_TRUE(evaluator.saw_negative_division());
  evaluator.rebind(launch({3}), {1});
  EXPECT_FALSE(evaluator.first_fault());
  EXPECT_FALSE(evaluator.saw_negative_division());
}

TEST(Evaluator, KnowsWhenInt32IsNotEnough) {
  const auto beyond = [](const Text& text) {
    const Space space = launch({8});
    const order::Program program = text.program(space);
    order::Evaluator evaluator(program, space, text.bindings().values(program.names, space));
    std::array<std::int64_t, 8> tiles{};
    evaluator.run(LaunchId{0}, tiles);
    return evaluator.went_beyond_int32();
  };
  EXPECT_FALSE(beyond(triton("tile = p0 * 1000")));
  EXPECT_FALSE(beyond(c_like("unsigned tile = blockIdx.x + 1;")));
  EXPECT_TRUE(beyond(triton("tile = p0.to(tl.int64) * 1000000000")));
  EXPECT_TRUE(beyond(c_like("unsigned x = blockIdx.x - 1; int tile = x + 1;")));
}

// A bound name or a constant that needs 64 bits needs them even where nothing is added to it.
TEST(Evaluator, WideNamesAndConstantsAreBeyondInt32) {
  const auto beyond = [](const Text& text) {
    const Space space = launch({8});
    const order::Program program = text.program(space);
    order::Evaluator evaluator(program, space, text.bindings().values(program.names, space));
    std::array<std::int64_t, 8> tiles{};
    evaluator.run(LaunchId{0}, tiles);
    return evaluator.went_beyond_int32();
  };
  EXPECT_TRUE(beyond(triton("tile = p0 if p0 < N else 0", "N=5000000000")));
  EXPECT_TRUE(beyond(triton("tile = p0 if p0 < 5000000000 else 0")));
}

}  // namespace
}  // namespace heddle::testing
