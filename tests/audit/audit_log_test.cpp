#include "audit/audit_log.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "optlog/read.h"
#include "support/file.h"

namespace heddle::audit {
namespace {

using order::Bindings;

order::Space launch(std::vector<std::int64_t> extents) {
  order::Space space;
  space.launch = Grid(std::move(extents));
  return space;
}

Attempt attempt(int iteration, std::string formula, int line = 10) {
  Attempt result;
  result.iteration = iteration;
  result.formula = std::move(formula);
  result.formula_line = line;
  return result;
}

AuditReport audit(const std::vector<Attempt>& attempts, const order::Space& space,
                  const std::vector<std::string>& lets = {},
                  const order::ReadOptions& reading = {}) {
  return audit_log(attempts, space, Bindings(lets), {reading, {}, {}, {}});
}

TEST(AuditLog, JudgesEveryAttempt) {
  const AuditReport report =
      audit({attempt(1, "pid = tl.program_id(0)\npid = pid % 8 * (N // 8) + pid // 8"),
             attempt(2, "pid = tl.program_id(0)\npid = pid // 2"), attempt(3, "tile = p0 + 0")},
            launch({64}), {"N=64"});
  ASSERT_EQ(report.attempts.size(), 3U);
  EXPECT_EQ(report.grid, (std::vector<std::int64_t>{64}));
  EXPECT_EQ(report.attempts[0].verdict, Verdict::proved);
  EXPECT_EQ(report.attempts[0].distinct_tiles, 64);
  EXPECT_FALSE(report.attempts[0].identity);
  EXPECT_FALSE(report.attempts[0].counterexample);
  EXPECT_EQ(report.attempts[1].verdict, Verdict::refuted);
  EXPECT_EQ(report.attempts[1].distinct_tiles, 32);
  EXPECT_EQ(report.attempts[1].tiles, 64);
  ASSERT_TRUE(report.attempts[1].counterexample);
  EXPECT_EQ(report.attempts[1].counterexample->kind, Counterexample::Kind::collision);
  EXPECT_TRUE(report.attempts[2].identity);
  EXPECT_EQ(report.count(Verdict::proved), 2);
  EXPECT_EQ(report.count(Verdict::refuted), 1);
  EXPECT_EQ(report.count(Verdict::unknown), 0);
}

TEST(AuditLog, FindsRepeatsByTheirMaps) {
  const AuditReport report = audit(
      {attempt(1, "g0 - 1 - p0"), attempt(2, "p0"), attempt(3, "63 - p0"), attempt(4, "p0 // 2"),
       attempt(5, "(p0 - p0 % 2) // 2"), attempt(6, "63 - p0"), attempt(7, "p0 // 2 + 32")},
      launch({64}));
  const std::vector<std::optional<int>> wanted = {std::nullopt, std::nullopt, 1, std::nullopt, 4, 1,
                                                  std::nullopt};
  ASSERT_EQ(report.attempts.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(report.attempts[i].repeats, wanted[i]) << i + 1;
  EXPECT_EQ(report.attempts[4].verdict, Verdict::refuted);
}

TEST(AuditLog, RepeatsHoldOnThisGridOnly) {
  EXPECT_EQ(
      audit({attempt(1, "63 - p0"), attempt(2, "g0 - 1 - p0")}, launch({64})).attempts[1].repeats,
      1);
  EXPECT_EQ(
      audit({attempt(1, "63 - p0"), attempt(2, "g0 - 1 - p0")}, launch({60})).attempts[1].repeats,
      std::nullopt);
}

TEST(AuditLog, UnreadableFormulasAreUnknownAndDoNotStopIt) {
  const AuditReport report =
      audit({attempt(1, "pid = tl.program_id(0)\npid = remap(pid)", 20), attempt(2, ""),
             attempt(3, "p0"), attempt(4, "pid = tl.program_id(0)\npid = pid + MISSING", 40)},
            launch({64}));
  ASSERT_EQ(report.attempts.size(), 4U);
  EXPECT_EQ(report.attempts[0].verdict, Verdict::unknown);
  EXPECT_EQ(report.attempts[0].reason.rfind("line 21 of the log: ", 0), 0U)
      << report.attempts[0].reason;
  EXPECT_NE(report.attempts[0].reason.find("remap"), std::string::npos);
  EXPECT_EQ(report.attempts[1].verdict, Verdict::unknown);
  EXPECT_EQ(report.attempts[1].reason, "the log gives no formula");
  EXPECT_EQ(report.attempts[2].verdict, Verdict::proved);
  EXPECT_EQ(report.attempts[3].verdict, Verdict::unknown);
  EXPECT_NE(report.attempts[3].reason.find("MISSING"), std::string::npos);
  for (const AuditedAttempt& each : report.attempts) EXPECT_EQ(each.tiles, 64);
}

TEST(AuditLog, MissingValuesForAllAreAnError) {
  try {
    audit({attempt(1, "p0 + N"), attempt(2, ""), attempt(3, "p0 * M")}, launch({64}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("N"), std::string::npos);
    EXPECT_NE(error.hint().find("--let"), std::string::npos);
  }
  EXPECT_NO_THROW(audit({attempt(1, "p0 + N")}, launch({64}), {"N=0"}));
  EXPECT_NO_THROW(audit({attempt(1, "")}, launch({64})));
  EXPECT_NO_THROW(audit({}, launch({64})));
}

TEST(AuditLog, AnEndlessLoopIsUnknown) {
  const AuditReport report =
      audit({attempt(1, "x = p0\nwhile x >= 0:\n    x = x + 0\ntile = x")}, launch({8}));
  EXPECT_EQ(report.attempts[0].verdict, Verdict::unknown);
  EXPECT_NE(report.attempts[0].reason.find("loop"), std::string::npos);
}

TEST(AuditLog, QuotesClaimsAndRemarks) {
  Attempt boast = attempt(4, "p0 // 2");
  boast.claim = Claim{29.7, 99.6, 1.29, std::nullopt, std::nullopt};
  boast.remarks = {"line 3: repeated number"};
  const AuditReport report = audit({boast}, launch({8}));
  const AuditedAttempt& judged = report.attempts[0];
  EXPECT_EQ(judged.iteration, 4);
  EXPECT_EQ(judged.claim->hit_after, 99.6);
  EXPECT_TRUE(judged.claims_gain());
  ASSERT_FALSE(judged.notes.empty());
  EXPECT_EQ(judged.notes[0], "line 3: repeated number");
  EXPECT_EQ(report.best([](const AuditedAttempt&) { return true; })->iteration, 4);
  EXPECT_EQ(report.best([](const AuditedAttempt& each) { return each.verdict == Verdict::proved; }),
            nullptr);
}

TEST(AuditLog, ClaimsGain) {
  AuditedAttempt judged;
  EXPECT_FALSE(judged.claims_gain());
  judged.claim = Claim{};
  EXPECT_FALSE(judged.claims_gain());
  judged.claim->hit_before = 30;
  judged.claim->hit_after = 40;
  EXPECT_TRUE(judged.claims_gain());
  judged.claim->speedup = 0.9;  // slower, whatever the hit rate
  EXPECT_FALSE(judged.claims_gain());
  judged.claim->speedup = 1.01;
  EXPECT_TRUE(judged.claims_gain());
}

// ---- whole logs
// -----------------------------------------------------------------------------------

/// The log whose name begins like this, where the shared folder has it.
std::optional<std::string> seed(const std::string& start) {
  const std::filesystem::path folder = std::filesystem::path(HEDDLE_SHARED_DIR) / "seeds";
  std::error_code status;
  for (const auto& entry : std::filesystem::directory_iterator(folder, status)) {
    if (entry.path().filename().string().rfind(start, 0) == 0)
      return read_text(entry.path().string(), optlog::kLargestLog);
  }
  return std::nullopt;
}

struct Wanted {
  std::int64_t distinct = 0;  ///< 0: all of them
  std::optional<int> repeats = {};
  bool identity = false;
};

void expect_seed(const std::string& start, const order::Space& space, const std::string& lets,
                 const std::vector<std::string>& results, const std::vector<Wanted>& wanted) {
  const auto text = seed(start);
  if (!text) GTEST_SKIP() << "no log " << start << "* in the shared folder";
  order::ReadOptions reading;
  reading.results = results;
  const AuditReport report = audit(optlog::read_log(*text), space, {lets}, reading);
  ASSERT_EQ(report.attempts.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const AuditedAttempt& judged = report.attempts[i];
    const bool whole = wanted[i].distinct == 0;
    EXPECT_EQ(judged.iteration, static_cast<int>(i) + 1);
    EXPECT_EQ(judged.verdict, whole ? Verdict::proved : Verdict::refuted)
        << i + 1 << ": " << judged.reason;
    EXPECT_EQ(judged.distinct_tiles, whole ? space.tile_count() : wanted[i].distinct) << i + 1;
    EXPECT_EQ(judged.repeats, wanted[i].repeats) << i + 1;
    EXPECT_EQ(judged.identity, wanted[i].identity) << i + 1;
  }
}

TEST(AuditSeeds, Log000) {
  expect_seed("000_", launch({256, 256}), "M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32", {},
              {{}, {}, {}, {0, 3}, {0, 3}, {256}, {}, {8192}, {256, 6}, {256, 6}});
}

TEST(AuditSeeds, Log001) {
  const Wanted same{0, std::nullopt, true};
  expect_seed(
      "001_", launch({4096}), "M=4096", {},
      {{}, same, {0, 2, true}, {}, {0, 2, true}, {0, 2, true}, {0, 4}, {0, 4}, {0, 2, true}});
}

TEST(AuditSeeds, Log002) {
  expect_seed("002_", launch({128, 128}), "Nx=4096,Ny=4096,BLOCK_SIZE_X=32,BLOCK_SIZE_Y=32",
              {"pid_m", "pid_n"}, {{}, {128}, {0, 1}});
}

TEST(AuditSeeds, Log003) {
  expect_seed("003_", launch({32768}), "NUM_BLOCKS=2048", {},
              {{2168}, {5888}, {2048}, {2048, 3}, {2048, 3}});
}

}  // namespace
}  // namespace heddle::audit
