#include "report/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using ::testing::HasSubstr;

const CheckResult kRefuted = {
    Verdict::refuted, "65,280 of 65,536 tiles", {"tile 9 is done by none"}, {}};
const CheckResult kUnknown = {Verdict::unknown, "too much to count", {}, {}};
const CheckResult kProved = {Verdict::proved, "all of them", {}, {}};

TEST(Sarif, HasOneRunWithARuleForEveryCheck) {
  const nlohmann::json sarif = sarif_json({}, "1.2.3");
  EXPECT_EQ(sarif["version"], "2.1.0");
  EXPECT_THAT(sarif["$schema"].get<std::string>(), HasSubstr("sarif-schema-2.1.0.json"));
  ASSERT_EQ(sarif["runs"].size(), 1U);
  const nlohmann::json& driver = sarif["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "heddle");
  EXPECT_EQ(driver["version"], "1.2.3");
  EXPECT_EQ(driver["rules"].size(), audit_checks().size());
  EXPECT_TRUE(sarif["runs"][0]["results"].empty());
}

TEST(Sarif, RefutedIsAnErrorAndUnknownIsOpenAndProvedIsNoResult) {
  const nlohmann::json sarif = sarif_json({{"order", &kRefuted, "iteration 4", "./a b.log", 12, ""},
                                           {"shapes", &kUnknown, "", "x.py", 0, ""},
                                           {"code", &kProved, "", "x.py", 0, ""}},
                                          "1");
  const nlohmann::json& results = sarif["runs"][0]["results"];
  const nlohmann::json& rules = sarif["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0]["kind"], "fail");
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[0]["message"]["text"],
            "iteration 4: REFUTED: 65,280 of 65,536 tiles\ntile 9 is done by none");
  const nlohmann::json& place = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b.log");
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_EQ(results[1]["kind"], "fail") << "other kinds may have no level but none";
  EXPECT_EQ(results[1]["level"], "warning");
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  for (const nlohmann::json& result : results)
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
}

TEST(Sarif, FingerprintsAreThoseOfAPlaceNotOfALineOrAFigure) {
  const auto print_of = [](const CheckResult& result, int line, const std::string& key) {
    return sarif_json({{"order", &result, "", "x.py", line, key}},
                      "1")["runs"][0]["results"][0]["partialFingerprints"]["heddle/v1"];
  };
  EXPECT_EQ(print_of(kRefuted, 3, ""), print_of(kRefuted, 30, ""));
  EXPECT_EQ(print_of(kRefuted, 3, ""), print_of(kUnknown, 3, ""));
  EXPECT_NE(print_of(kRefuted, 3, "a = 1"), print_of(kRefuted, 3, "a = 2"));
}

TEST(Sarif, AbsolutePathsHaveAScheme) {
  const auto result = sarif_json(
      {{"order", &kRefuted, "", "/a//b/../c.py", 1, ""}, {"order", &kRefuted, "", "", 1, ""}},
      "1")["runs"][0]["results"];
  EXPECT_EQ(result[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///a/c.py");
  EXPECT_FALSE(result[1].contains("locations"));
}

TEST(Sarif, BytesThatAreNoTextAreReplaced) {
  const CheckResult odd = {Verdict::refuted, "\xff\x1b", {"\xfe"}, {}};
  EXPECT_NO_THROW(sarif_json({{"order", &odd, "\xff", "\xff", 1, ""}}, "1").dump());
}

}  // namespace
}  // namespace heddle::report
