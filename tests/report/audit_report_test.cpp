#include "report/audit_report.h"

#include <gtest/gtest.h>

#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

AuditReport audit_sample() {
  AuditReport report;
  report.grid = {256, 256};
  for (int iteration = 1; iteration <= 4; ++iteration) {
    AuditedAttempt attempt;
    attempt.iteration = iteration;
    attempt.verdict = Verdict::proved;
    attempt.tiles = attempt.distinct_tiles = 65536;
    report.attempts.push_back(attempt);
  }
  report.attempts[0].identity = true;
  report.attempts[0].claim = Claim{29.7, 30.1, 1.02, std::nullopt, std::nullopt};
  AuditedAttempt& wrong = report.attempts[1];
  wrong.verdict = Verdict::refuted;
  wrong.distinct_tiles = 256;
  wrong.claim = Claim{29.7, 99.6, 1.29, 0.5, 0.4};
  wrong.counterexample = Counterexample{};
  wrong.counterexample->message = "launch ids 0 and 1 both compute tile 0 at (0, 0)";
  report.attempts[2].repeats = 1;
  report.attempts[2].claim = Claim{29.7, 35.0, 1.1, std::nullopt, std::nullopt};
  AuditedAttempt& unknown = report.attempts[3];
  unknown.verdict = Verdict::unknown;
  unknown.distinct_tiles = 0;
  unknown.reason = "line 21 of the log: 'remap' with 1 argument is not known";
  return report;
}

TEST(AuditJson, Fields) {
  const json result = audit_json(audit_sample(), "run.txt");
  EXPECT_EQ(result.at("version"), 1);
  EXPECT_EQ(result.at("log"), "run.txt");
  EXPECT_EQ(result.at("grid"), json({256, 256}));
  EXPECT_EQ(result.at("proved"), 2);
  EXPECT_EQ(result.at("refuted"), 1);
  EXPECT_EQ(result.at("unknown"), 1);
  const json& iterations = result.at("iterations");
  ASSERT_EQ(iterations.size(), 4U);
  EXPECT_EQ(iterations[0].at("iteration"), 1);
  EXPECT_EQ(iterations[0].at("verdict"), "PROVED");
  EXPECT_EQ(iterations[0].at("identity"), true);
  EXPECT_EQ(iterations[0].at("repeats"), nullptr);
  EXPECT_EQ(iterations[0].at("claimed").at("hit_before"), 29.7);
  EXPECT_EQ(iterations[0].at("claimed").at("hit_after"), 30.1);
  EXPECT_EQ(iterations[0].at("claimed").at("speedup"), 1.02);
  EXPECT_EQ(iterations[0].at("claimed").at("time_before_ms"), nullptr);
  EXPECT_EQ(iterations[1].at("verdict"), "REFUTED");
  EXPECT_EQ(iterations[1].at("distinct_tiles"), 256);
  EXPECT_EQ(iterations[1].at("tiles"), 65536);
  EXPECT_EQ(iterations[1].at("claimed").at("time_after_ms"), 0.4);
  EXPECT_NE(iterations[1].at("counterexample"), nullptr);
  EXPECT_EQ(iterations[2].at("repeats"), 1);
  EXPECT_EQ(iterations[3].at("verdict"), "UNKNOWN");
  EXPECT_EQ(iterations[3].at("claimed"), nullptr);
  EXPECT_NE(iterations[3].at("reason"), nullptr);
}

TEST(AuditText, Table) {
  const std::string text = audit_text(audit_sample(), "run.txt", {});
  EXPECT_EQ(
      text.rfind("run.txt  4 iterations on grid 256x256: 2 PROVED, 1 REFUTED, 1 UNKNOWN\n", 0), 0U)
      << text;
  EXPECT_NE(text.find("256 of 65,536"), std::string::npos);
  EXPECT_NE(text.find("29.7 -> 99.6 %"), std::string::npos);
  EXPECT_NE(text.find("repeats 1"), std::string::npos);
  EXPECT_NE(text.find("3 of 4 iterations claim a gain"), std::string::npos);
  EXPECT_NE(text.find("iteration 2 (1.29x, hit rate 29.7 -> 99.6 %): REFUTED, 256 of 65,536"),
            std::string::npos);
  EXPECT_NE(text.find("iteration 3 (1.1x"),
            std::string::npos);  // the best that is a permutation and no identity
  EXPECT_NE(text.find("changes nothing"), std::string::npos);
}

TEST(AuditText, KeepsTo100Columns) {
  const std::string text = audit_text(audit_sample(), "run.txt", {});
  for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(AuditText, ColoursOnlyWhenAsked) {
  EXPECT_EQ(audit_text(audit_sample(), "run.txt", {false}).find('\x1b'), std::string::npos);
  EXPECT_NE(audit_text(audit_sample(), "run.txt", {true}).find("\x1b[1;31mREFUTED\x1b[0m"),
            std::string::npos);
}

TEST(AuditText, ColoursDoNotMoveColumns) {
  std::string painted = audit_text(audit_sample(), "run.txt", {true});
  for (std::size_t at = painted.find('\x1b'); at != std::string::npos; at = painted.find('\x1b')) {
    painted.erase(at, painted.find('m', at) - at + 1);
  }
  EXPECT_EQ(painted, audit_text(audit_sample(), "run.txt", {false}));
}

TEST(AuditText, NothingClaimed) {
  AuditReport report;
  report.grid = {8};
  const std::string text = audit_text(report, "run.txt", {});
  EXPECT_NE(text.find("0 of 0 iterations claim a gain"), std::string::npos);
  EXPECT_NE(text.find("none"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
