// The formulas that Z3 is asked about say what the evaluator computes: sizes and launch ids are
// pinned to numbers, and wherever no obligation is broken the result must be the evaluator's.
#include "proof/encoder.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "order/evaluate.h"
#include "order/order.h"

namespace heddle::proof {
namespace {

struct Case {
  order::Language language;
  const char* text;
};

constexpr auto kTriton = order::Language::triton;
constexpr auto kC = order::Language::c_like;

const std::vector<Case> kCases = {
    {kTriton, "tile = (p0 % 8) * (g0 // 8) + min(p0 % 8, g0 % 8) + p0 // 8"},
    {kTriton, "tile = (p0 - 5) // 3 + (p0 - 5) % 3 + 7"},
    {kTriton, "tile = p0 if p0 > g0 // 16 * 16 else p0 // 2 // 8 * 16 + p0 % 2 * 8 + p0 // 2 % 8"},
    {kTriton, "x = p0 > 3\ntile = p0 + x * 2 - (not x)"},
    {kTriton, "tile = abs(p0 - 4) + max(p0, g0 - p0) - (-p0)"},
    {kTriton, "tile = (p0 & 7) + (p0 >> 2) + (p0 << 3)"},
    {kTriton, "tile = (p0 ^ 5) | (p0 & 12)"},
    {kTriton, "if p0 < g0 - p0:\n    tile = p0 * 2\nelse:\n    tile = g0 - p0"},
    {kTriton, "tile = p0 if 2 <= p0 < 6 and p0 != 4 or p0 == 0 else g0 // (p0 + 1)"},
    {kTriton, "tile = p0.to(tl.int64) * 100000 * 100000 // 100000 // 100000"},
    {kTriton, "tile = p0 * 100000 * 100000 // 100000"},
    {kTriton, "tile = g0 // (p0 - 3)"},
    {kC, "bool late = blockIdx.x / 4; int tile = late * 4 + blockIdx.x % 4;"},
    {kC, "int big = blockIdx.x / 5; int tile = blockIdx.x + (bool)big - big;"},
    {kC, "unsigned x = blockIdx.x - 3u; int tile = x > 100u ? 1 : 0;"},
    {kC, "int x = (int)blockIdx.x - 3; int tile = x < 1u ? 5 : 6;"},
    {kC, "unsigned long long i = blockIdx.x; int tile = i < 18446744073709551615ULL ? 3 : i;"},
    {kC, "unsigned a = 2u * blockIdx.x + 1u; unsigned tile = a * 4294967295u / 7u;"},
    {kC, "long long a = (long long)blockIdx.x << 20; int tile = a >> 19;"},
    {kC, "int tile = ~(int)blockIdx.x + (int)gridDim.x;"},
    {kC, "int tile = -7 / ((int)blockIdx.x + 2) + -7 % ((int)blockIdx.x + 2) + 9;"},
};

/// A program as Z3 is told of it.
class Encoded {
 public:
  Encoded(Sort sort, bool exact, const order::Program& program)
      : sort_(sort),
        encoder_(context_, sort, exact, program, {1, 1, false}, none_),
        result_(encoder_.block("")[0].value),
        solver_(context_) {
    const z3::expr claim = encoder_.obligations() && result_ == result_;
    const z3::expr_vector facts = encoder_.facts_for(claim && result_ == number(0));
    for (unsigned i = 0; i < facts.size(); ++i) solver_.add(facts[static_cast<int>(i)]);
    solver_.add(claim);
  }

  /// The value for one launch id: nothing where an obligation is broken.
  std::optional<std::int64_t> value(std::int64_t size, std::int64_t launch) {
    solver_.push();
    solver_.add(encoder_.extents()[0].value == number(size));
    solver_.add(encoder_.launch()[0].value == number(launch));
    std::optional<std::int64_t> found;
    if (solver_.check() == z3::sat) {
      const z3::expr shown = solver_.get_model().eval(result_, true);
      found = sort_ == Sort::bits ? static_cast<std::int64_t>(shown.get_numeral_uint64())
                                  : shown.get_numeral_int64();
    }
    solver_.pop();
    return found;
  }

 private:
  z3::expr number(std::int64_t value) {
    return sort_ == Sort::bits ? context_.bv_val(value, 64) : context_.int_val(value);
  }

  z3::context context_;
  const order::Bindings none_;
  Sort sort_;
  Encoder encoder_;
  z3::expr result_;
  z3::solver solver_;
};

/// Nothing where the encoder refuses.
std::unique_ptr<Encoded> encoded(Sort sort, bool exact, const order::Program& program) {
  try {
    return std::make_unique<Encoded>(sort, exact, program);
  } catch (const Unsupported&) {
    return nullptr;
  }
}

class EncoderTest : public ::testing::TestWithParam<std::pair<Sort, bool>> {};

TEST_P(EncoderTest, SaysWhatTheEvaluatorComputes) {
  const auto [sort, exact] = GetParam();
  int compared = 0;
  for (const Case& each : kCases) {
    order::ReadOptions options;
    options.language = each.language;
    options.results = {"tile"};
    const auto order = order::Order::from_formula(each.text, "case", options);
    const order::Program program = order.program({1, 1, false}, {});
    const std::unique_ptr<Encoded> formulas = encoded(sort, exact, program);
    if (!formulas) continue;
    for (const std::int64_t size : {9, 16, 23}) {
      order::Space space;
      space.launch = Grid({size});
      order::Evaluator evaluator(program, space, {});
      for (std::int64_t launch = 0; launch < size; launch += 2) {
        const auto value = formulas->value(size, launch);
        if (!value) continue;
        const auto index = evaluator.index_of(LaunchId{launch});
        ASSERT_EQ(index.size(), 1u)
            << each.text << " fails at " << launch << ", the encoder says " << *value;
        EXPECT_EQ(*value, index[0]) << each.text << " on " << size << " at " << launch;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100);  // refusing everything is no agreement
}

INSTANTIATE_TEST_SUITE_P(Sorts, EncoderTest,
                         ::testing::Values(std::pair{Sort::integers, false},
                                           std::pair{Sort::integers, true},
                                           std::pair{Sort::bits, false},
                                           std::pair{Sort::bits, true}));

}  // namespace
}  // namespace heddle::proof
