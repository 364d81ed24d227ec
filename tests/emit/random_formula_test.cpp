// Random formulas that are permutations by construction: every step maps 0..n-1 onto itself.
#include <gtest/gtest.h>

#include <random>

#include "host_program.h"
#include "order/space_range.h"
#include "python_program.h"

namespace heddle::emit_tests {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    text_ = "def turn(v, m, by):\n    if by >= m:\n        by = by % m\n    return (v + by) % m\n";
    line("n = g0");
    line("x = p0");
    for (int steps = 2 + pick(4); steps > 0; --steps) step(2);
    line("tile = x");
    return text_;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  std::string number(int low, int high) { return std::to_string(low + pick(high - low + 1)); }
  void line(const std::string& statement) {
    text_ += std::string(static_cast<std::size_t>(indent_) * 4, ' ') + statement + "\n";
  }

  /// Names that invite mistakes: some end in a digit, some are used again.
  std::string name() {
    static const std::vector<std::string> kNames = {"t",        "p",     "g",      "q", "row",
                                                    "quotient", "value", "next_x", "a", "b"};
    return kNames[static_cast<std::size_t>(pick(static_cast<int>(kNames.size())))];
  }

  void step(int depth) {
    switch (pick(depth > 0 ? 10 : 7)) {
      case 0:
        return line("x = n - 1 - x");
      case 1:
        return line("x = (x + " + number(0, 40) + ") % n");
      case 2:
        return line("x = turn(x, n, " + number(0, 40) + ")");
      case 3:
        return swap_two();
      case 4:
        return rotate_groups();
      case 5:
        return share_out();
      case 6:
        return guarded();
      case 7:
        return branch(depth);
      case 8:
        return count(depth);
      default:
        return pair_up();
    }
  }

  void swap_two() {
    line("a = " + number(0, 30) + " % n");
    line("b = " + number(0, 30) + " % n");
    line("x = b if x == a else (a if x == b else x)");
  }

  void rotate_groups() {
    const std::string k = number(2, 5);
    const std::string first = name();
    line("if x < n // " + k + " * " + k + ":");
    line("    " + first + " = x // " + k + " * " + k);
    line("    x = " + first + " + (x % " + k + " + " + number(0, 9) + ") % " + k);
  }

  void share_out() {
    const std::string k = number(1, 6);
    line("if n % " + k + " == 0:");
    line("    x = x % " + k + " * (n // " + k + ") + x // " + k);
  }

  /// A quotient that exists only where the guard lets it.
  void guarded() {
    const std::string d = name();
    line(d + " = x % " + number(2, 4));
    line("y = x // " + d + " if " + d + " != 0 else 0");
    line("z = 1 if " + d + " != 0 and x // max(" + d + ", 1) > 2 else 0");
    line("x = (x + (y - y) + z * n) % n");
  }

  /// Both sides keep x among the same ids: below and from `cut` on.
  void branch(int depth) {
    line("if n % 2 == " + number(0, 1) + ":");
    ++indent_;
    step(depth - 1);
    if (pick(2) == 0) step(depth - 1);
    --indent_;
    if (pick(2) == 0) return;
    line("else:");
    ++indent_;
    step(depth - 1);
    --indent_;
  }

  void count(int depth) {
    const std::string i = "i" + std::to_string(depth);
    line("for " + i + " in range(" + number(0, 4) + "):");
    ++indent_;
    step(depth - 1);
    line("x = (x + " + i + ") % n");
    --indent_;
  }

  void pair_up() {
    line("half = n // 2");
    line("if x < half * 2:");
    line("    x = x ^ 1");
  }

  std::mt19937_64 random_;
  std::string text_;
  int indent_ = 0;
};

class RandomFormulas : public testing::Test {
 protected:
  static constexpr int kFormulas = 60;

  void SetUp() override {
    for (int seed = 0; seed < kFormulas; ++seed) {
      const std::string text = Writer(static_cast<std::uint64_t>(seed)).text();
      const auto order = order::Order::from_formula(text, "seed " + std::to_string(seed),
                                                    {order::Language::triton, {"tile"}, {}});
      RangeReport report;
      const auto proven = proof::prove_range(order, range_, {}, {}, report);
      ASSERT_TRUE(proven) << (report.smallest_failure
                                  ? report.smallest_failure->counterexample->message
                                  : report.reason)
                          << "\n"
                          << text;
      subjects_.push_back(
          {order.title() + "\n" + text, *proven, order.program(range_.shape(), {})});
    }
  }

  void expect_agreement(const std::string& driver, const std::string& name) {
    if (driver.empty()) return;  // build_program said why
    std::vector<Request> requests;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      range_.for_each([&](const order::Space& space) {
        requests.push_back(whole_map(i, space));
        return true;
      });
    }
    compare(subjects_, requests, driver, stem(name));
  }

  static std::string stem(const std::string& name) {
    return std::string(HEDDLE_WORK_DIR) + "/random_formulas_" + name;
  }

  order::SpaceRange range_{"1..33", "", {}};
  std::vector<Subject> subjects_;
};

TEST_F(RandomFormulas, Cpp) {
  expect_agreement(build_program(subjects_, {emit::Dialect::cpp, true, {}}, stem("cpp")), "cpp");
}

TEST_F(RandomFormulas, Hip) {
  expect_agreement(build_program(subjects_, {emit::Dialect::hip, true, {}}, stem("hip")), "hip");
}

TEST_F(RandomFormulas, OpenCl) {
  expect_agreement(build_program(subjects_, {emit::Dialect::opencl, true, {}}, stem("opencl")),
                   "opencl");
}

TEST_F(RandomFormulas, Triton) {
  if (!has_python()) GTEST_SKIP() << "python3 is not there to run emitted Triton";
  expect_agreement(python_program(subjects_, true, stem("triton")), "triton");
}

/// What was emitted is read back as the same map.
TEST_F(RandomFormulas, RoundTrip) {
  for (const Subject& subject : subjects_) {
    for (const emit::Dialect dialect : {emit::Dialect::triton, emit::Dialect::hip}) {
      const std::string text = subject.emit(dialect);
      const auto read = order::Order::from_formula(text, "read back", {std::nullopt, {"tile"}, {}});
      range_.for_each([&](const order::Space& space) {
        const bool same = order::materialize(read, space, {}) ==
                          order::materialize(subject.proven.order(), space, {});
        EXPECT_TRUE(same) << subject.title << text;
        return same;
      });
    }
  }
}

}  // namespace
}  // namespace heddle::emit_tests
