#include "proof/by_division.h"

#include <fmt/format.h>

#include "proof/testing.h"

namespace heddle::testing {
namespace {

using proof::DivisionProof;
using proof::prove_by_division;

DivisionProof prove(const std::string& text, std::vector<std::string> results,
                    const std::string& tiles = {}) {
  const bool is_line = results.size() > 1;
  const Text order{text, {}, results};
  const int axes = static_cast<int>(results.size());
  return prove_by_division(
      order.order().program(is_line ? order::Shape{1, axes, true} : order::Shape{1, 1, false}, {}),
      tiles);
}

const std::string kGrouped = R"(
pid = tl.program_id(0)
num_m = tl.cdiv(M, BM)
num_n = tl.cdiv(N, BN)
width = G * num_n
first = pid // width * G
height = min(num_m - first, G)
)";

TEST(ByDivision, GroupsAreProvedForEveryHeight) {
  const DivisionProof proof =
      prove(kGrouped + "m = first + pid % width % height\nn = pid % width // height\n", {"m", "n"});
  EXPECT_TRUE(proof.is_proved) << proof.reason;
  EXPECT_EQ(proof.walk, "bands of G along m");
  EXPECT_EQ(proof.extents[0].text, "num_m");
  EXPECT_EQ(proof.extents[1].text, "num_n");
  EXPECT_EQ(proof.extents[1].sizes, std::vector<std::string>{"N"});
  ASSERT_EQ(proof.limits.size(), 1U);
}

TEST(ByDivision, ARotationInsideAColumnIsOneToOne) {
  EXPECT_TRUE(prove(kGrouped + "m = first + pid % height\nn = pid % width // height\n", {"m", "n"})
                  .is_proved);
}

TEST(ByDivision, WrongGroupsAreNotProved) {
  for (const char* wrong : {"m = first + pid % width % G\nn = pid % width // G\n",
                            "m = first + pid % width % height\nn = pid % width // G\n",
                            "m = first + pid % width // height\nn = pid % width // height\n",
                            "m = first + pid % width % height + 1\nn = pid % width // height\n",
                            "m = first + pid % width % num_m\nn = pid % width // num_m\n",
                            "m = first + pid % width % height\nn = pid // height\n"})
    EXPECT_FALSE(prove(kGrouped + wrong, {"m", "n"}).is_proved) << wrong;
}

TEST(ByDivision, DigitsAreFoundInAnyForm) {
  for (const char* right :
       {"m = pid // n_tiles\nn = pid % n_tiles\n", "m = pid // n_tiles\nn = pid - m * n_tiles\n",
        "m = n_tiles - 1 - pid % n_tiles\nn = pid // n_tiles\n"}) {
    const DivisionProof proof =
        prove("pid = tl.program_id(0)\nn_tiles = tl.cdiv(N, B)\n" + std::string(right), {"m", "n"});
    EXPECT_TRUE(proof.is_proved) << right << proof.reason;
  }
  EXPECT_TRUE(
      prove("t = tl.program_id(0)\nx = t % X\nt = t // X\ny = t % Y\nz = t // Y\n", {"z", "y", "x"})
          .is_proved);
}

TEST(ByDivision, DigitsThatDoNotMeetAreNotProved) {
  for (const char* wrong : {"m = pid // A\nn = pid % B\n", "m = pid % A\nn = pid % A\n",
                            "m = pid // A\nn = pid\n", "m = pid // A\nn = pid % (A - 1)\n",
                            "m = pid // A + 1\nn = pid % A\n", "m = A - pid % A\nn = pid // A\n"})
    EXPECT_FALSE(prove("pid = tl.program_id(0)\n" + std::string(wrong), {"m", "n"}).is_proved)
        << wrong;
}

TEST(ByDivision, ALoopEndsAtTheNumberOfTiles) {
  const std::string text =
      "t = tl.program_id(0)\nm_tiles = tl.cdiv(M, B)\nn_tiles = tl.cdiv(N, B)\n"
      "m = t // n_tiles\nn = t % n_tiles\n";
  EXPECT_TRUE(prove(text + "tiles = m_tiles * n_tiles\n", {"m", "n"}, "tiles").is_proved);
  EXPECT_FALSE(prove(text + "tiles = m_tiles * n_tiles - 1\n", {"m", "n"}, "tiles").is_proved);
}

/// Whatever is proved with free names is counted with values, on every small tile space.
TEST(ByDivision, ProofsAgreeWithCounting) {
  const std::vector<std::string> texts = {
      kGrouped + "m = first + pid % width % height\nn = pid % width // height\n",
      kGrouped + "m = first + pid % height\nn = pid % width // height\n",
      "pid = tl.program_id(0)\nnum_m = tl.cdiv(M, BM)\nnum_n = tl.cdiv(N, BN)\n"
      "m = num_m - 1 - pid // num_n\nn = pid % num_n\n"};
  for (const std::string& text : texts) {
    ASSERT_TRUE(prove(text, {"m", "n"}).is_proved) << text;
    for (const char* height : {"1", "2", "3", "5", "8", "40"}) {
      Text order{text, fmt::format("M=4*t0,N=4*t1,BM=4,BN=4,G={}", height), {"m", "n"}};
      EXPECT_EQ(check_range(order, "", "1..12x1..12").verdict, Verdict::proved) << text << height;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
