#include "profile/metric/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/error.h"

namespace heddle::profile {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Two dispatches; what is not in the map is not known.
class FakeSource : public MetricSource {
 public:
  std::map<std::string, std::vector<double>> values = {
      {"A", {6, 8}},          {"B", {2, 0}},     {"ZERO", {0, 0}},
      {"GAP", {kNothing, 3}}, {"X[0]", {1, 2}},  {"X[1]", {10, 20}},
      {"FILE.A", {100, 200}}, {"X[12]", {5, 5}}, {"half", {2.5, 3.5}}};

  std::size_t dispatches() const override { return 2; }
  const std::vector<double>* find(const std::string& file, const std::string& name,
                                  std::string& why) override {
    const auto found = values.find(file.empty() ? name : file + "." + name);
    if (found != values.end()) return &found->second;
    why = "no " + name;
    return nullptr;
  }
  int channels() const override { return 2; }
  bool wants_infinite() const override { return infinite; }
  bool infinite = false;
};

std::vector<double> value_of(const std::string& text, int channel = 0) {
  FakeSource source;
  std::vector<double> result;
  std::string why;
  EXPECT_TRUE(Expression::parse(text).evaluate(source, channel, result, why))
      << text << ": " << why;
  if (result.size() == 1) result.resize(source.dispatches(), result.front());
  return result;
}

struct Case {
  std::string text;
  double first;
  double second;
};

class ExpressionValue : public testing::TestWithParam<Case> {};

TEST_P(ExpressionValue, IsComputedForEachDispatch) {
  const std::vector<double> values = value_of(GetParam().text);
  ASSERT_EQ(values.size(), 2U);
  for (const auto& [got, wanted] :
       {std::pair{values[0], GetParam().first}, std::pair{values[1], GetParam().second}}) {
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(got)) << GetParam().text << " gave " << got;
    } else {
      EXPECT_DOUBLE_EQ(got, wanted) << GetParam().text;
    }
  }
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    All, ExpressionValue,
    testing::Values(Case{"1 + 2 * 3", 7, 7}, Case{"(1 + 2) * 3", 9, 9}, Case{"10 - 4 - 3", 3, 3},
                    Case{"64 / 4 / 2", 8, 8}, Case{"-A + 1", -5, -7}, Case{"--A", 6, 8},
                    Case{"2 * -3", -6, -6}, Case{"A / B", 3, kNothing},
                    Case{"-A / ZERO", kNothing, kNothing}, Case{"ZERO / B", 0, kNothing},
                    Case{"A / B if B != 0", 3, kNothing}, Case{"A / B if B != 0 else 0", 3, 0},
                    Case{"1 if A < 7 else 2 if A < 8 else 3", 1, 3},
                    Case{"1 if A >= 8", kNothing, 1}, Case{"1 if A <= 6 else 0", 1, 0},
                    Case{"1 if A == 8 else 0", 0, 1}, Case{"1 if A > 6 else 0", 0, 1},
                    Case{"GAP + 1", kNothing, 4}, Case{"MIN(A, 7)", 6, 7},
                    Case{"MAX(A - 7, 0)", 0, 1}, Case{"MAX(A)", 8, 8}, Case{"MIN(GAP)", 3, 3},
                    Case{"SUM(A)", 14, 14}, Case{"MEDIAN(A)", 7, 7},
                    Case{"STD(A)", std::sqrt(2.0), std::sqrt(2.0)}, Case{"ROUND(half, 0)", 2, 4},
                    Case{"NOISE_CLAMP(A - 7, A)", 0, 1}, Case{"1 if (A < 7) else 0", 1, 0},
                    Case{"SUM(A) / SUM(B)", 7, 7}, Case{"MAX(GAP, 0)", kNothing, 3},
                    Case{"ROUND(half)", 2, 4}, Case{"AVG(A)", 7, 7}, Case{"AVG(GAP)", 3, 3},
                    Case{"CHANNELS(X)", 11, 22}, Case{"X[1] - X[0]", 9, 18}, Case{"X[12]", 5, 5},
                    Case{"FILE.A / A", 100.0 / 6, 25}, Case{"1e3 + .5", 1000.5, 1000.5},
                    Case{"A if A + B != 8 else 1", 1, 1}));

TEST(Expression, ZeroDividesWhereTheOriginalIsWanted) {
  FakeSource source;
  source.infinite = true;
  std::vector<double> result;
  std::string why;
  ASSERT_TRUE(Expression::parse("-A / B").evaluate(source, 0, result, why));
  EXPECT_EQ(result, (std::vector<double>{-3, -kInfinite}));
  ASSERT_TRUE(Expression::parse("ZERO / B").evaluate(source, 0, result, why));
  EXPECT_TRUE(std::isnan(result[1]));
}

TEST(Expression, SumsAreDividedBySums) {
  FakeSource source;
  const auto total = [&](const std::string& text) {
    double value = 0;
    std::string why;
    EXPECT_TRUE(Expression::parse(text).ratio_of_sums(source, 0, value, why)) << text << why;
    return value;
  };
  // A is 6 and 8, B is 2 and 0.
  EXPECT_DOUBLE_EQ(total("A / B"), 7);
  EXPECT_DOUBLE_EQ(total("100 - 100 * A / B if B != 0"), -600);
  EXPECT_DOUBLE_EQ(total("MAX(A - 7, 0) / A"), 1.0 / 14);
  EXPECT_DOUBLE_EQ(total("A / 2"), 3.5);
  EXPECT_DOUBLE_EQ(total("3 * A"), 21);
  EXPECT_DOUBLE_EQ(total("A * B"), 6) << "the mean of 12 and 0";
  EXPECT_DOUBLE_EQ(total("ROUND(A / B / 4)"), 2);
  EXPECT_DOUBLE_EQ(total("AVG(GAP)"), 3);
  EXPECT_DOUBLE_EQ(total("A / ZERO if ZERO != 0 else 5"), 5);
  EXPECT_TRUE(std::isnan(total("A / ZERO")));
  double value = 0;
  std::string why;
  EXPECT_FALSE(Expression::parse("A / MISSING").ratio_of_sums(source, 0, value, why));
  EXPECT_EQ(why, "no MISSING");
}

TEST(Expression, ChannelStandsForItsNumber) {
  EXPECT_EQ(value_of("X[channel]", 1), (std::vector<double>{10, 20}));
}

TEST(Expression, WhatIsNotKnownIsNamed) {
  FakeSource source;
  std::vector<double> result;
  std::string why;
  EXPECT_FALSE(Expression::parse("A + MISSING").evaluate(source, 0, result, why));
  EXPECT_EQ(why, "no MISSING");
  EXPECT_FALSE(Expression::parse("CHANNELS(Y)").evaluate(source, 0, result, why));
  EXPECT_EQ(why, "no Y[0]");
}

TEST(Expression, PiecesAreBracketed) {
  const std::map<std::string, std::string> pieces = {{"sum", "A + B"}, {"twice", "2 * sum"}};
  const Expression::Let let = [&](std::string_view name) -> const std::string* {
    const auto found = pieces.find(std::string(name));
    return found == pieces.end() ? nullptr : &found->second;
  };
  FakeSource source;
  std::vector<double> result;
  std::string why;
  ASSERT_TRUE(Expression::parse("10 * sum + twice", let).evaluate(source, 0, result, why));
  EXPECT_EQ(result, (std::vector<double>{96, 96}));
}

TEST(Expression, PiecesThatUseThemselvesEnd) {
  const std::string piece = "loop + 1";
  const Expression::Let let = [&](std::string_view name) -> const std::string* {
    return name == "loop" ? &piece : nullptr;
  };
  EXPECT_THROW(Expression::parse("loop", let), Error);
}

TEST(Expression, NonsenseIsAnErrorWithAColumn) {
  for (const std::string text :
       {"",       "1 +",        "(1",     "1)",           "A B",       "A if",
        "A if B", "A if B != ", "MIN()",  "MIN(1, 2, 3)", "X[",        "X[]",
        "1.2.3",  "2x",         "A ! B",  "FILE.",        "CHANNELS(", "CHANNELS(1 + 2)",
        "$x",     "A else B",   "A != B", "ROUND(1, 2)",  "\xff"}) {
    try {
      Expression::parse(text);
      ADD_FAILURE() << "'" << text << "' was taken";
    } catch (const Error& error) {
      EXPECT_GT(error.position().column, 0) << text;
    }
  }
}

TEST(Expression, DepthAndLengthAreBounded) {
  EXPECT_THROW(Expression::parse(std::string(5000, '(') + "1" + std::string(5000, ')')), Error);
  EXPECT_THROW(Expression::parse(std::string(5000, '-') + "1"), Error);
  EXPECT_THROW(Expression::parse(std::string(10'000, ' ') + "1"), Error);
  std::string long_sum = "1";
  for (int i = 0; i < 1000; ++i) long_sum += " + 1";
  EXPECT_DOUBLE_EQ(value_of(long_sum)[0], 1001);
}

}  // namespace
}  // namespace heddle::profile
