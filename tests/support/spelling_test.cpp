#include "support/spelling.h"

#include <gtest/gtest.h>

#include "support/version.h"

namespace heddle {
namespace {

TEST(Spelling, names_the_nearest_word) {
  EXPECT_EQ(did_you_mean("tensor", {"sizes", "tensors"}), "did you mean 'tensors'? ");
  EXPECT_EQ(did_you_mean("--GRID", {"--grid", "--grids"}), "did you mean '--grid'? ");
  EXPECT_EQ(did_you_mean("frobnicate", {"check", "emit"}), "");
  EXPECT_EQ(did_you_mean("", {"check"}), "");
  EXPECT_EQ(did_you_mean(std::string(65, 'a'), {std::string(64, 'a')}), "");
}

TEST(Spelling, neighbours_that_are_swapped_are_one_slip) {
  EXPECT_EQ(did_you_mean("xdc", {"group", "xcd"}), "did you mean 'xcd'? ");
  EXPECT_EQ(did_you_mean("chek", {"check", "chat"}), "did you mean 'check'? ");
  EXPECT_EQ(did_you_mean("progam_id", {"program_id", "num_programs"}),
            "did you mean 'program_id'? ");
  EXPECT_EQ(did_you_mean("ab", {"ba"}), "did you mean 'ba'? ");
  EXPECT_EQ(did_you_mean("dcx", {"xcd"}), "");  // not neighbours
}

TEST(Spelling, long_lists_are_cut) {
  EXPECT_EQ(word_list({"a", "b"}), "a b");
  EXPECT_TRUE(word_list(std::vector<std::string>(40, "x")).ends_with(" ... (40 in all)"));
}

TEST(Version, says_which_one_it_is) {
  EXPECT_TRUE(version_text().starts_with(version()));
  EXPECT_EQ(version_text().find(commit()) != std::string::npos, true);
}

}  // namespace
}  // namespace heddle
