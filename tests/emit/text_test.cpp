// What emitted text looks like: nothing divided twice, nothing unused, lines that fit.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "formulas.h"
#include "order/space_range.h"
#include "python_program.h"

namespace heddle::emit_tests {
namespace {

constexpr std::size_t kColumns = 100;

const std::vector<std::pair<emit::Dialect, const char*>> kDialects = {
    {emit::Dialect::triton, "triton"},
    {emit::Dialect::hip, "hip"},
    {emit::Dialect::cuda, "cuda"},
    {emit::Dialect::opencl, "opencl"},
    {emit::Dialect::cpp, "cpp"}};

proof::ProvenOrder proven_formula(const std::string& text, const std::string& grids) {
  const auto order = order::Order::from_formula(text, "order", {order::Language::triton, {}, {}});
  RangeReport report;
  return proof::prove_range(order, order::SpaceRange(grids, "", {}), {}, {}, report).value();
}

/// Division is counted per block: a branch may not divide what stands divided above it either.
TEST(EmittedText, DividesNothingTwiceAndHasNothingUnused) {
  if (!has_python()) GTEST_SKIP() << "python3 is not there to parse emitted Triton";
  const std::vector<Subject> subjects = subjects_of(all_texts(), all_shapes());
  const std::string stem = std::string(HEDDLE_WORK_DIR) + "/emit_text";
  python_program(subjects, false, stem);
  const auto faults = output_of(
      "python3 '" HEDDLE_TESTS_DIR "/emit/inspect_orders.py' '" + stem + ".orders.py'", stem);
  ASSERT_TRUE(faults);
  std::istringstream lines(*faults);
  int shown = 0;
  for (std::string line; std::getline(lines, line) && shown < 10; ++shown) {
    const std::size_t number = std::stoul(line.substr(6));
    ADD_FAILURE() << subjects[number].title << ": " << line << "\n"
                  << subjects[number].emit(emit::Dialect::triton);
  }
}

TEST(EmittedText, LinesFit) {
  for (const auto& [dialect, name] : kDialects) {
    int shown = 0;
    for (const Subject& subject : subjects_of(all_texts(), all_shapes())) {
      std::istringstream lines(subject.emit(dialect));
      for (std::string line; std::getline(lines, line);) {
        if (line.size() > kColumns && shown++ < 3)
          ADD_FAILURE() << subject.title << " in " << name << ": " << line;
      }
    }
    EXPECT_EQ(shown, 0) << "lines of " << name << " are longer than " << kColumns;
  }
}

TEST(EmittedText, FirstLineSaysWhatWasProved) {
  for (const auto& [dialect, name] : kDialects) {
    const std::string mark = dialect == emit::Dialect::triton ? "# " : "// ";
    const Subject subject = make_subject(order::read_compact("xcd(8) | group(4)"), {2, 2, false});
    EXPECT_EQ(
        subject.emit(dialect).find(
            mark + "xcd(8) | group(4): proved a permutation for every grid under 2^31 blocks\n"),
        0u)
        << name;
    const auto formula = proven_formula("tile = g0 - 1 - p0", "1..8");
    EXPECT_EQ(emit::emit_order(formula, {dialect, {}})
                  .find(mark + "tile = g0 - 1 - p0: proved a permutation for grids 1..8\n"),
              0u)
        << name;
  }
}

TEST(EmittedText, EndsWithOneNewlineAndHasNoTrailingBlanks) {
  for (const auto& [dialect, name] : kDialects) {
    for (const Subject& subject : subjects_of(some_texts(), all_shapes())) {
      const std::string text = subject.emit(dialect);
      ASSERT_FALSE(text.empty());
      EXPECT_EQ(text.back(), '\n');
      EXPECT_EQ(text.find(" \n"), std::string::npos) << subject.title << " in " << name;
      EXPECT_EQ(text.find('\t'), std::string::npos) << subject.title << " in " << name;
    }
  }
}

TEST(EmittedText, IsTheSameEveryTime) {
  for (const auto& [dialect, name] : kDialects) {
    const Subject once = make_subject(order::read_compact("xcd(8) | hilbert"), {2, 2, false});
    const Subject again = make_subject(order::read_compact("xcd(8) | hilbert"), {2, 2, false});
    EXPECT_EQ(once.emit(dialect), again.emit(dialect)) << name;
  }
}

/// C++ alone has bool, references, casts with names; OpenCL C has none of them.
TEST(EmittedText, OpenClIsC) {
  const std::regex foreign(
      R"(\bbool\b|\btrue\b|\bfalse\b|std::|static_cast|\bauto\b|\[\[|\blong long\b)");
  for (const Subject& subject : subjects_of(some_texts(), all_shapes())) {
    const std::string text = subject.emit(emit::Dialect::opencl);
    EXPECT_FALSE(std::regex_search(text, foreign)) << text;
  }
}

/// A long long constant is not OpenCL C: there `long` has 64 bits, and its suffix is one l.
TEST(EmittedText, OpenClHasNoLongLongConstants) {
  const auto proven = proven_formula(
      "big = p0.to(tl.int64) * 3000000000\ntile = (big // 3000000000).to(tl.int32)", "1..8");
  const std::string text = emit::emit_order(proven, {emit::Dialect::opencl, {}});
  EXPECT_FALSE(std::regex_search(text, std::regex(R"(\d(ll|LL|ull|ULL)\b)"))) << text;
}

/// What a loop's condition or body needs of the launch alone is worked out before the loop.
TEST(EmittedText, LoopsDoNotDivideAnewWhatDoesNotChange) {
  const std::string text = emit::emit_order(
      proven_formula(
          "n = g0 // 8\ni = 0\nx = p0\nwhile i < n:\n    x = g0 - 1 - x\n    i = i + 1\ntile = x",
          "1..30"),
      {emit::Dialect::triton, {}});
  const std::size_t loop = text.find("while");
  ASSERT_NE(loop, std::string::npos);
  EXPECT_EQ(text.find("//", loop), std::string::npos) << text;
}

/// Names of the kernel that do not reach the tile are not asked for.
TEST(EmittedText, AsksOnlyForNamesItUses) {
  const order::Bindings bindings({"N=5"});
  const auto order = order::Order::from_formula("x = N * 0 + p0\ntile = x", "order",
                                                {order::Language::triton, {}, {}});
  RangeReport report;
  const auto proven =
      proof::prove_range(order, order::SpaceRange("1..8", "", bindings), bindings, {}, report);
  ASSERT_TRUE(proven);
  for (const auto& [dialect, name] : kDialects) {
    if (dialect == emit::Dialect::cpp) continue;  // its signature does not change with what is used
    EXPECT_FALSE(
        std::regex_search(emit::emit_order(*proven, {dialect, {}}), std::regex(R"(\bN\b)")))
        << name;
  }
}

}  // namespace
}  // namespace heddle::emit_tests
