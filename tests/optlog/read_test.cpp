#include "optlog/read.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "optlog/claim.h"
#include "support/error.h"
#include "support/file.h"

namespace heddle::optlog {
namespace {

std::string log_text(const std::string& name) {
  return read_text(std::string(HEDDLE_TESTS_DIR) + "/optlog/logs/" + name, kLargestLog);
}

bool has_remark(const Attempt& attempt, const std::string& words) {
  for (const std::string& remark : attempt.remarks) {
    if (remark.find(words) != std::string::npos) return true;
  }
  return false;
}

/// The only attempt of a log with this text after its heading.
Attempt read_one(const std::string& body) {
  const std::vector<Attempt> attempts = read_log("Iteration 1:\n" + body);
  EXPECT_EQ(attempts.size(), 1U);
  return attempts.front();
}

Claim claim_of(const std::string& paragraph) {
  return read_claim(paragraph).claim;
}

void expect_claim(const Claim& got, const Claim& wanted) {
  EXPECT_EQ(got.hit_before, wanted.hit_before);
  EXPECT_EQ(got.hit_after, wanted.hit_after);
  EXPECT_EQ(got.speedup, wanted.speedup);
  EXPECT_EQ(got.time_before_ms, wanted.time_before_ms);
  EXPECT_EQ(got.time_after_ms, wanted.time_after_ms);
}

void expect_plain_log(const std::vector<Attempt>& attempts) {
  ASSERT_EQ(attempts.size(), 3U);
  EXPECT_EQ(attempts[0].iteration, 1);
  EXPECT_EQ(attempts[0].formula,
            "pid = tl.program_id(0)\n    \n    dies = 4\n    share = TILES // dies\n"
            "    pid = (pid % dies) * share + pid // dies");
  EXPECT_EQ(attempts[0].formula_line, 23);
  ASSERT_TRUE(attempts[0].claim);
  expect_claim(*attempts[0].claim, {41.5, 62.0, 1.21, 0.40, 0.33});
  EXPECT_EQ(attempts[1].formula_line, 43);
  EXPECT_TRUE(attempts[1].formula.ends_with("row = walk % ROWS\ncol = walk // ROWS"));
  ASSERT_TRUE(attempts[1].claim);
  expect_claim(*attempts[1].claim, {41.5, 11.4, 0.936, 0.40, 0.43});
  EXPECT_EQ(attempts[2].formula, "pid = tl.program_id(0)");
  EXPECT_FALSE(attempts[2].claim);
  for (const Attempt& attempt : attempts) {
    EXPECT_TRUE(attempt.remarks.empty()) << attempt.remarks.front();
  }
}

TEST(ReadLog, ReadsAPlainLog) {
  expect_plain_log(read_log(log_text("plain.txt")));
}

TEST(ReadLog, CarriageReturnsAndByteOrderMarkDoNotMatter) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : log_text("plain.txt"))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_plain_log(read_log(text));
}

TEST(ReadLog, ReadsMarkdown) {
  const std::vector<Attempt> attempts = read_log(log_text("markdown.txt"));
  ASSERT_EQ(attempts.size(), 4U);
  EXPECT_EQ(attempts[0].formula, "```python\n# Iteration 7\na, b = b, a\n\n```");
  EXPECT_EQ(attempts[0].formula_line, 8);
  expect_claim(attempts[0].claim.value(), {50.0, 61.25, 1.3, {}, {}});
  EXPECT_EQ(attempts[1].formula, "pid = pid ^ 1");
  EXPECT_EQ(attempts[1].formula_line, 19);
  EXPECT_FALSE(attempts[1].claim);
  EXPECT_EQ(attempts[2].formula, "`pid = COUNT - 1 - pid`");
  expect_claim(attempts[2].claim.value(), {50.0, 50.0, {}, 1.25, 1.5});
  EXPECT_EQ(attempts[3].iteration, 4);
  EXPECT_EQ(attempts[3].formula, "");
  EXPECT_EQ(attempts[3].formula_line, 0);
  EXPECT_TRUE(has_remark(attempts[3], "no formula"));
}

TEST(ReadLog, SlipsGiveRemarks) {
  const std::vector<Attempt> attempts = read_log(log_text("slips.txt"));
  ASSERT_EQ(attempts.size(), 5U);
  EXPECT_TRUE(has_remark(attempts[0], "line 1: a profile before the first iteration"));
  EXPECT_TRUE(has_remark(attempts[0], "begins with iteration 2"));
  // The first profile numbered 2 belongs to the latest iteration 2, the next to the earlier one.
  EXPECT_TRUE(has_remark(attempts[1], "more than once"));
  EXPECT_TRUE(has_remark(attempts[1], "fence"));
  EXPECT_EQ(attempts[1].claim.value().speedup, 0.8);
  EXPECT_EQ(attempts[0].claim.value().speedup, 1.5);
  EXPECT_TRUE(has_remark(attempts[0], "line 16: the profile of iteration 2 stands after"));

  EXPECT_EQ(attempts[2].iteration, 5);
  EXPECT_TRUE(has_remark(attempts[2], "iteration 5 follows iteration 2"));
  EXPECT_TRUE(has_remark(attempts[2], "is numbered 9"));
  EXPECT_TRUE(has_remark(attempts[2], "nothing readable"));
  EXPECT_TRUE(has_remark(attempts[2], "no formula"));
  EXPECT_TRUE(is_empty(attempts[2].claim.value()));

  EXPECT_EQ(attempts[3].formula, "pid = 4");
  EXPECT_TRUE(has_remark(attempts[3], "further formula"));
  EXPECT_TRUE(has_remark(attempts[3], "iteration 4 follows iteration 5"));
  EXPECT_TRUE(has_remark(attempts[3], "is numbered 2"));
  EXPECT_EQ(attempts[3].claim.value().speedup, 1.75);

  EXPECT_EQ(attempts[4].iteration, 1'000'000'000);
  EXPECT_TRUE(has_remark(attempts[4], "too large"));
  EXPECT_EQ(attempts[4].formula, "pid = 99");
}

TEST(ReadLog, OnlyWholeLinesAreHeadings) {
  const Attempt attempt = read_one(
      "\"iteration 2\": \"x\"\nIteration 3: was better\nAs in\niteration 3 of 4\n- Iteration 5\n"
      "Iteration -6\nIteration\nThe swizzling formula: none\nSwizzling formula below\n"
      "Swizzling formula:\nx = 1\n");
  EXPECT_EQ(attempt.formula, "x = 1");
}

TEST(ReadLog, HeadingsInAnyCaseAndWidth) {
  for (const std::string heading :
       {"Iteration 3:", "ITERATION 3", "  iteration\t 3 :", "**Iteration 3:**",
        "**Iteration 3**:", "## Iteration 3", "### Iteration 3: ###", "__Iteration 3__",
        "# Iteration #3", "--- Iteration 3 ---", "=== ITERATION 3 ===", "## **Iteration 3**"}) {
    const std::vector<Attempt> attempts = read_log(heading + "\nSwizzling Formula :\nx = 1");
    EXPECT_EQ(attempts.front().iteration, 3) << heading;
    EXPECT_EQ(attempts.front().formula, "x = 1") << heading;
  }
}

TEST(ReadLog, WhatEndsAFormula) {
  for (const std::string line :
       {"--- MEMORY ANALYSIS ---", "---", "Summary of optimization: more",
        "Iteration 2:", "**Reason why new should be better**", "## Code optimization reasoning",
        "**--- PROFILING ITERATION 1 ---**"}) {
    const std::vector<Attempt> attempts = read_log(
        "Iteration 1:\nSwizzling formula:\n\n  x = 1\n\n  y = 2\n \n" + line + "\nz = 3\n");
    EXPECT_EQ(attempts.front().formula, "  x = 1\n\n  y = 2") << line;
    EXPECT_EQ(attempts.front().formula_line, 4) << line;
  }
}

TEST(ReadLog, CommentsInAFormulaAreNoHeadings) {
  const std::string formula =
      "x = 1\n# Iteration 2\n    # --- new order ---\n# Swizzling formula:\n// --- y ---\n----\ny "
      "= 2";
  EXPECT_EQ(read_one("Swizzling formula:\n" + formula + "\n").formula, formula);
  // Unless the log writes its headings with one hash.
  const std::vector<Attempt> attempts =
      read_log("# Iteration 1\n# Swizzling formula\nx = 1\n# note\n# Iteration 2\n");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts.front().formula, "x = 1\n# note");
}

TEST(ReadLog, ProfileWithoutNumberBelongsToTheLatest) {
  const Attempt attempt = read_one("--- PROFILING ---\nAchieved 1.10x speedup.\n");
  EXPECT_EQ(attempt.claim.value().speedup, 1.1);
}

TEST(ReadLog, AReadableProfileReplacesAnUnreadableOne) {
  const Attempt attempt = read_one(
      "--- PROFILING ITERATION 1 ---\nfailed\n--- PROFILING ITERATION 1 ---\n1.10x speedup\n"
      "--- PROFILING ITERATION 1 ---\n1.20x speedup\n");
  EXPECT_EQ(attempt.claim.value().speedup, 1.1);
  EXPECT_TRUE(has_remark(attempt, "further profile"));
}

TEST(ReadLog, NoIterationIsAnErrorWithAHint) {
  for (const std::string text : {"", "\n\n", "Swizzling formula:\nx = 1\n", "see iteration 1"}) {
    try {
      read_log(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("no iteration found"), std::string::npos);
      EXPECT_NE(error.hint().find("Swizzling formula:"), std::string::npos);
    }
  }
}

TEST(ReadLog, HostileTextsEnd) {
  const std::string head = "Iteration 1:\nSwizzling formula:\n";
  const std::size_t large = 1'000'000;
  for (const std::string piece : {"x", " ", "\n", "-", "#", "*", "1", "1 ", "1,", "1%", ".",
                                  "from 1% to ", "\xFF", "```\n", "hit rate ", "no change "}) {
    std::string flood;
    while (flood.size() < large) flood += piece;
    EXPECT_EQ(read_log(head + flood).size(), 1U);
    EXPECT_EQ(read_log(head + "--- PROFILING ITERATION 1 ---\n" + flood).size(), 1U);
    EXPECT_EQ(read_log(flood + "\n" + head).size(), 1U);
  }
  EXPECT_EQ(read_log("Iteration " + std::string(large, '9')).front().iteration, 1'000'000'000);
  EXPECT_EQ(read_log(head + std::string(10 * large, 'x')).front().formula.size(), 10 * large);
  EXPECT_EQ(read_log(head + std::string("a\0b", 3)).front().formula, std::string("a\0b", 3));
}

TEST(ReadLog, LimitsAreErrors) {
  EXPECT_THROW(read_log(std::string(kLargestLog + 1, ' ')), Error);
  std::string text;
  for (std::size_t count = 0; count < kMostIterations; ++count) text += "Iteration 1\n";
  EXPECT_EQ(read_log(text).size(), kMostIterations);
  EXPECT_THROW(read_log(text + "Iteration 2\n"), Error);
  std::string profiles = "Iteration 1\n";
  for (int count = 0; count < 1000; ++count) profiles += "--- PROFILING ITERATION 7 ---\n";
  EXPECT_EQ(read_log(profiles).front().remarks.size(), kMostRemarks);
}

TEST(ReadClaim, Speedups) {
  EXPECT_EQ(claim_of("Achieved 1.15x speedup with time reduced (14.6% faster).").speedup, 1.15);
  EXPECT_EQ(claim_of("Experienced 1.07x slowdown (6.8% slower).").speedup, 0.936);
  EXPECT_EQ(claim_of("Experienced 1.07x slowdown.").speedup, 0.935);
  EXPECT_EQ(claim_of("A SPEEDUP OF 1.4X was seen").speedup, 1.4);
  EXPECT_EQ(claim_of("slowdown: 2x").speedup, 0.5);
  EXPECT_EQ(claim_of("runs 1.25 \xC3\x97 slower").speedup, 0.8);
  EXPECT_EQ(claim_of("14.6 percent faster").speedup, 1.146);
  EXPECT_EQ(claim_of("25% slower").speedup, 0.8);
  EXPECT_EQ(claim_of("Performance: 1.00x").speedup, 1.0);
  EXPECT_EQ(claim_of("Performance: no change").speedup, 1.0);
  EXPECT_EQ(claim_of("Misses fell by 3x, which gave a 1.1x speedup").speedup, 1.1);
  EXPECT_EQ(claim_of("0.93x speedup").speedup, 0.93);
}

TEST(ReadClaim, WhatIsNoSpeedup) {
  EXPECT_FALSE(claim_of("speedup on a 32x32 tile of the MI300x").speedup);
  EXPECT_FALSE(claim_of("0x slowdown").speedup);
  EXPECT_FALSE(claim_of("Hit rate: no change").speedup);
  EXPECT_FALSE(claim_of("Execution time fell but the hit rate did not change").speedup);
  EXPECT_FALSE(claim_of("execution time reduced from 2ms to 1ms").speedup);
  EXPECT_FALSE(claim_of("3x fewer misses").speedup);
  EXPECT_TRUE(is_empty(claim_of("No change.")));
}

TEST(ReadClaim, HitRates) {
  const auto expect_hits = [](const std::string& text, std::optional<double> before,
                              std::optional<double> after) {
    expect_claim(claim_of(text), {before, after, {}, {}, {}});
  };
  expect_hits("Hit rate increased from 29.7% to 67.6%", 29.7, 67.6);
  expect_hits("HIT RATE decreased from 29.7 % to 4.3 PERCENT.", 29.7, 4.3);
  expect_hits("hit rate from 29 to 31%", 29, 31);
  expect_hits("From 29% -> 31% L2 hit rate", 29, 31);
  expect_hits("Hit rate increased\nfrom 29,7% to 67,6 per cent", 29.7, 67.6);
  expect_hits("Hit rate before: 10%, after: 20%", 10, 20);
  expect_hits("Hit rate after: 20%", {}, 20);
  expect_hits("L1 hit rate from 10% to 20%. L2 hit rate from 30% to 40%.", 30, 40);
  expect_hits("Hit rate decreased by 25.36 percentage points.", {}, {});
  expect_hits("Occupancy went from 10% to 20%.", {}, {});
  expect_hits("Hit rate from -3% to 5%.", {}, {});
  // What is said first stands.
  expect_hits("Hit rate from 1% to 2%. Hit rate from 3% to 4%.", 1, 2);
}

TEST(ReadClaim, TimesInMilliseconds) {
  const auto expect_times = [](const std::string& text, double before, double after) {
    expect_claim(claim_of(text), {{}, {}, {}, before, after});
  };
  expect_times("from 0.18ms to 0.16ms", 0.18, 0.16);
  expect_times("from 180us to 160 \xC2\xB5s", 0.18, 0.16);
  expect_times("from 180 \xCE\xBCs to 160000ns", 0.18, 0.16);
  expect_times("from 1.5 s to 1,250.5 ms", 1500, 1250.5);
  expect_times("from 1.5 to 2 seconds", 1500, 2000);
  expect_times("from 0,180ms to 1e-1 ms", 0.18, 0.1);
  expect_claim(claim_of("Time unchanged at 0.18ms"), {{}, {}, 1.0, 0.18, 0.18});
}

TEST(ReadClaim, ContradictionsGiveRemarks) {
  EXPECT_EQ(read_claim("1.10x speedup (10.2% faster)").remarks.size(), 0U);
  EXPECT_EQ(read_claim("1.10x speedup (9.1% faster)").remarks.size(), 0U);
  EXPECT_EQ(read_claim("1.10x speedup (80% faster)").remarks.size(), 1U);
  EXPECT_EQ(read_claim("1.10x speedup (10% slower)").remarks.size(), 1U);
  EXPECT_EQ(read_claim("1.10x speedup, time from 1ms to 2ms").remarks.size(), 1U);
  EXPECT_EQ(read_claim("hit rate from 10% to 120%").remarks.size(), 1U);
}

TEST(ReadLog, SharedLogs) {
  const std::filesystem::path seeds = std::filesystem::path(HEDDLE_SHARED_DIR) / "seeds";
  std::vector<std::vector<Attempt>> logs;
  for (const std::string prefix : {"000", "001", "002", "003"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(seeds, error)) {
      if (!entry.path().filename().string().starts_with(prefix)) continue;
      logs.push_back(read_log(read_text(entry.path().string(), kLargestLog)));
    }
  }
  if (logs.size() != 4) GTEST_SKIP() << "the four shared logs are not here";
  EXPECT_EQ(logs[0].size(), 10U);
  EXPECT_EQ(logs[1].size(), 9U);
  EXPECT_EQ(logs[2].size(), 3U);
  EXPECT_EQ(logs[3].size(), 5U);
  const Claim best = logs[0][5].claim.value();
  EXPECT_EQ(best.hit_before, 29.7);
  EXPECT_EQ(best.hit_after, 99.6);
  EXPECT_EQ(best.speedup, 1.29);
  EXPECT_EQ(logs[0][0].claim.value().speedup, 0.936);
  EXPECT_FALSE(logs[0][1].claim);
  for (const std::vector<Attempt>& log : logs) {
    for (std::size_t index = 0; index < log.size(); ++index) {
      EXPECT_EQ(log[index].iteration, static_cast<int>(index) + 1);
      EXPECT_FALSE(log[index].formula.empty());
      EXPECT_GT(log[index].formula_line, 0);
      EXPECT_TRUE(log[index].remarks.empty()) << log[index].remarks.front();
    }
  }
}

}  // namespace
}  // namespace heddle::optlog
