// Findings as text, Markdown and JSON.
#include "report/finding_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<Finding> kFindings = {
    {"above-peak", "2.1.22 L2-Fabric Read BW", "1,925 GB/s, 117 % of the peak of 1,638", ""},
    {"zero-duration", "dispatch 3, k\xff\x1b[2J|x", "0 ns", "before/MI200"}};

TEST(FindingReport, text) {
  const std::string text = findings_text(kFindings, {});
  EXPECT_THAT(text, AllOf(HasSubstr("Plausibility: 2 findings\n  above-peak "),
                          HasSubstr("2.1.22 L2-Fabric Read BW\n"), HasSubstr("117 % of the peak"),
                          HasSubstr("before/MI200: dispatch 3"),
                          HasSubstr("heddle explain above-peak"), Not(HasSubstr("\x1b"))));
}

TEST(FindingReport, no_finding_is_said) {
  EXPECT_THAT(findings_text({}, {}), HasSubstr("Plausibility: no finding"));
  EXPECT_THAT(findings_markdown({}), HasSubstr("No finding: "));
  EXPECT_EQ(findings_json({}).dump(), "[]");
}

TEST(FindingReport, what_was_not_checked_is_said) {
  const std::vector<std::string> gaps = {"peaks (sysinfo.csv has no max_sclk)",
                                         "level files (there is none)"};
  EXPECT_EQ(findings_text({}, {}, gaps),
            "Plausibility: no finding. Not checked: peaks (sysinfo.csv has no max_sclk); level "
            "files (there "
            "is\n  none)\n");
  EXPECT_THAT(findings_text(kFindings, {}, gaps), HasSubstr("\n  Not checked: peaks (sysinfo"));
  EXPECT_THAT(findings_markdown({}, gaps),
              AllOf(HasSubstr("No finding. Not checked: peaks"), Not(HasSubstr("contradicts"))));
  EXPECT_THAT(findings_markdown(kFindings, gaps), HasSubstr("Not checked: peaks"));
  EXPECT_EQ(not_checked_json(gaps).dump(),
            "[\"peaks (sysinfo.csv has no max_sclk)\",\"level files (there is none)\"]");
}

TEST(FindingReport, markdown) {
  const std::string text = findings_markdown(kFindings);
  EXPECT_THAT(text, AllOf(HasSubstr("| `above-peak` | 2.1.22 L2-Fabric Read BW |"),
                          HasSubstr("\\|x"), Not(HasSubstr("\x1b"))));
}

TEST(FindingReport, written) {
  const nlohmann::json list = findings_json(kFindings);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["id"], "above-peak");
  EXPECT_EQ(list[0]["summary"], find_finding_kind("above-peak")->summary);
  EXPECT_FALSE(list[0].contains("run"));
  EXPECT_EQ(list[1]["run"], "before/MI200");
  EXPECT_NO_THROW(list.dump());
}

TEST(FindingReport, kinds) {
  const std::string list = explanations_text(audit_checks(), finding_kinds(), {});
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')),
            audit_checks().size() + finding_kinds().size() + 3)
      << "a summary does not fit into its line";
  const FindingKind& kind = finding_kinds().front();
  EXPECT_THAT(finding_kind_text(kind, {}), HasSubstr(std::string(kind.summary)));
  const nlohmann::json written = explanations_json(audit_checks(), finding_kinds());
  EXPECT_EQ(written["version"], 1);
  EXPECT_EQ(written["findings"].size(), finding_kinds().size());
  EXPECT_EQ(written["checks"].size(), audit_checks().size());
}

}  // namespace
}  // namespace heddle::report
