// Patches that are right for one shape alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/patching.h"

namespace heddle::audit_tests {
namespace {

using ::testing::HasSubstr;

/// The line kernel with other index lines, audited on 160 elements: ten blocks of 16.
PatchAudit audit_index(const std::string& index, std::vector<std::string> overrides = {"n=160"},
                       const std::string& job = kLineJob) {
  PatchRequest request;
  request.before = work_file("before.py", kLine);
  request.after = work_file("after.py", line_kernel(index + kLineRest));
  request.job_path = work_file("job.toml", "kernel = \"before.py\"\n" + job);
  request.overrides = std::move(overrides);
  return audit_patch(request);
}

TEST(AuditShapes, AnOrderThatTakesItsGridFromTheLaunch) {
  const PatchAudit audit = audit_index("    pid = tl.num_programs(0) - 1 - tl.program_id(0)\n");
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::proved) << audit.shapes->finding;
  EXPECT_EQ(audit.verdict(), Verdict::proved);
  EXPECT_EQ(
      audit.shapes->finding,
      "the same holds on 36 other sizes with 1 to 31 tiles along n, and by its lines on every "
      "grid of 1..2048 tiles");
  EXPECT_EQ(audit.sizes, "grid 10 and 36 other sizes");
}

TEST(AuditShapes, AnOrderWithTheGridWrittenIntoIt) {
  const PatchAudit audit = audit_index("    pid = 9 - tl.program_id(0)\n");
  EXPECT_EQ(audit.order.verdict, Verdict::proved);
  EXPECT_EQ(audit.bytes.verdict, Verdict::proved);
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::refuted);
  EXPECT_THAT(audit.shapes->finding, HasSubstr("with n=15 (1 tiles) on grid 1:"));
  EXPECT_EQ(audit.verdict(), Verdict::refuted);
}

TEST(AuditShapes, AnOrderForMultiplesOfItsGroupIsRefutedByTheFirstOther) {
  const PatchAudit audit = audit_index(
      "    p = tl.program_id(0)\n"
      "    pid = (p % 2) * (tl.num_programs(0) // 2) + p // 2\n");
  EXPECT_EQ(audit.order.verdict, Verdict::proved);
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::refuted);
  EXPECT_THAT(audit.shapes->finding, HasSubstr("with n=47 (3 tiles) on grid 3: 2 of 3 tiles"));
}

/// 37 divides the number of tiles: found between the sizes that are tried, by the lines.
TEST(AuditShapes, AFailureBetweenTheSizesThatAreTried) {
  const PatchAudit audit = audit_index(
      "    p = tl.program_id(0)\n"
      "    pid = (p * 5 * 7 + p * 2) % tl.num_programs(0)\n");
  EXPECT_EQ(audit.order.verdict, Verdict::proved);
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::refuted) << audit.shapes->finding;
  EXPECT_THAT(audit.shapes->finding, HasSubstr("(37 tiles) on grid 37: 1 of 37 tiles"));
}

/// A case that no size met, on numbers that the job has and the grid has not.
TEST(AuditShapes, CasesThatWereNeverMet) {
  const PatchAudit audit = audit_index(
      "    blocks = tl.num_programs(0)\n"
      "    pid = tl.program_id(0) * (1 if blocks % 211 or blocks % 13 or blocks % 17 else 0)\n");
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::unknown) << audit.shapes->finding;
  EXPECT_THAT(words(*audit.shapes), HasSubstr("one case of it was never met: line 8"));
  EXPECT_EQ(audit_index("    pid = tl.program_id(0) if BLOCK == 16 else 0\n").verdict(),
            Verdict::refuted);
}

TEST(AuditShapes, ASizeThatAnIndexLineKnowsByHeart) {
  for (const char* index :
       {"    p = tl.program_id(0)\n    pid = tl.where(n != 3000, p, 0)\n",
        "    pid = tl.program_id(0) % 4000\n",
        "    p = tl.program_id(0)\n    pid = p if tl.num_programs(0) != 700 else 0 * p\n"}) {
    const PatchAudit audit = audit_index(index);
    EXPECT_EQ(audit.order.verdict, Verdict::proved) << index;
    ASSERT_TRUE(audit.shapes) << index;
    EXPECT_EQ(audit.shapes->verdict, Verdict::refuted) << index << audit.shapes->finding;
  }
}

TEST(AuditShapes, AProductThatOverflowsOnLargeGrids) {
  const PatchAudit audit = audit_index(
      "    p = tl.program_id(0)\n"
      "    pid = (p * tl.num_programs(0) * tl.num_programs(0) // tl.num_programs(0)) //"
      " tl.num_programs(0)\n");
  EXPECT_EQ(audit.order.verdict, Verdict::proved);
  ASSERT_TRUE(audit.shapes);
  EXPECT_NE(audit.shapes->verdict, Verdict::proved);
}

/// The steps of a block grow with the grid: 70,001 blocks are too many to look at, and are not passed
/// over.
TEST(AuditShapes, LargeLaunchesOfTooManyStepsAreNoted) {
  const PatchAudit audit = audit_index(
      "    last = -1\n"
      "    for i in range(0, tl.num_programs(0)):\n"
      "        last += 1\n"
      "    pid = last - tl.program_id(0)\n");
  EXPECT_EQ(audit.order.verdict, Verdict::proved) << audit.order.finding;
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::unknown) << audit.shapes->finding;
  EXPECT_THAT(audit.shapes->notes, ::testing::Contains(HasSubstr("takes too many steps")));
}

TEST(AuditShapes, SizesOfTheJobItself) {
  const PatchAudit audit = audit_index("    pid = 8 - tl.program_id(0)\n", {});
  EXPECT_EQ(audit.order.verdict, Verdict::proved) << "nine blocks";
  ASSERT_TRUE(audit.shapes);
  EXPECT_EQ(audit.shapes->verdict, Verdict::refuted);
}

TEST(AuditShapes, WhatIsRefutedIsNotTriedAgain) {
  const PatchAudit audit = audit_index("    pid = tl.program_id(0) // 2\n");
  EXPECT_EQ(audit.order.verdict, Verdict::refuted);
  EXPECT_FALSE(audit.shapes);
  ASSERT_EQ(audit.not_checked.size(), 1U);
}

TEST(AuditShapes, AGridWithoutSizesIsNotChecked) {
  std::string job = kLineJob;
  job.replace(job.find("[\"cdiv(n, BLOCK)\"]"), 18, "[9]");
  const PatchAudit audit = audit_index("    pid = 8 - tl.program_id(0)\n", {}, job);
  EXPECT_FALSE(audit.shapes);
  ASSERT_EQ(audit.not_checked.size(), 1U);
  EXPECT_THAT(audit.not_checked[0], HasSubstr("depends on no number of the job"));
  EXPECT_EQ(audit.verdict(), Verdict::proved);
}

}  // namespace
}  // namespace heddle::audit_tests
