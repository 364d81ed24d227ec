// -d, -k and --gpu-id.
#include "profile/workload/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Dispatches 1, 3, 4 and 9; the second row is damaged.
class SelectionTest : public ::testing::Test {
 protected:
  SelectionTest() {
    folder_.write("pmc_perf.csv",
                  "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp\n"
                  "1,a(int),2,0,10\n2,cut\n3,b(int),2,20,120\n4,a(int),11995,130,150\n"
                  "9,c(float),2,200,300\n");
    workload_ = read_workload(folder_.path());
  }
  std::vector<std::int64_t> ids(const Choice& choice) const {
    std::vector<std::int64_t> result;
    for (const std::size_t place : select(workload_, choice).measured)
      result.push_back(workload_.dispatches[place].id);
    return result;
  }
  std::vector<std::int64_t> of(const std::string& range) const {
    return ids({{range}, {}, {}, {}});
  }
  std::string refusal(const Choice& choice) const {
    try {
      select(workload_, choice);
    } catch (const Error& error) {
      EXPECT_FALSE(error.hint().empty());
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.full_text();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }

  Folder folder_;
  Workload workload_;
};

TEST_F(SelectionTest, nothing_chosen_is_everything) {
  EXPECT_THAT(ids({}), ElementsAre(1, 3, 4, 9));
}

TEST_F(SelectionTest, dispatches_by_id) {
  EXPECT_THAT(of("3"), ElementsAre(3));
  EXPECT_THAT(of("3-5"), ElementsAre(3, 4));
  EXPECT_THAT(of("3:5"), ElementsAre(3, 4));
  EXPECT_THAT(of(">3"), ElementsAre(4, 9));
  EXPECT_THAT(of("> 3"), ElementsAre(4, 9));
  EXPECT_THAT(of(">=3"), ElementsAre(3, 4, 9));
  EXPECT_THAT(of("<3"), ElementsAre(1));
  EXPECT_THAT(of("<=3"), ElementsAre(1, 3));
  EXPECT_THAT(ids({{"9", "1"}, {}, {}, {}}), ElementsAre(1, 9));
}

TEST_F(SelectionTest, dispatches_by_row_count_the_damaged) {
  const Selection selection = select(workload_, {{"2"}, {}, {}, true});
  ASSERT_EQ(selection.measured.size(), 1U);
  EXPECT_EQ(workload_.dispatches[selection.measured[0]].id, 3);
  EXPECT_TRUE(selection.listed.empty()) << "lists go by Dispatch_ID, and there is no 2";
  EXPECT_THAT(refusal({{"1"}, {}, {}, true}), HasSubstr("has no row 1"));
}

TEST_F(SelectionTest, dispatches_that_are_not_there) {
  EXPECT_THAT(refusal({{"2"}, {}, {}, {}}), HasSubstr("dispatches it has: 1, 3, 4, 9"));
  EXPECT_THAT(refusal({{"5-3"}, {}, {}, {}}), HasSubstr("has no dispatch 5-3"));
  EXPECT_THAT(refusal({{"1", "77"}, {}, {}, {}}), HasSubstr("has no dispatch 77"));
}

TEST_F(SelectionTest, texts_that_are_no_dispatch) {
  for (const std::string text : {"", "x", "1-", "-", ">", ">=", "1-2-3", "1.5",
                                 ">9223372036854775807", "99999999999999999999"})
    EXPECT_THAT(refusal({{text}, {}, {}, {}}), HasSubstr("is not a dispatch")) << text;
}

TEST_F(SelectionTest, kernels_by_number_and_by_name) {
  // b and c took 100 each, a 30: equal times go by name.
  EXPECT_THAT(ids({{}, {"0"}, {}, {}}), ElementsAre(3));
  EXPECT_THAT(ids({{}, {"1"}, {}, {}}), ElementsAre(9));
  EXPECT_THAT(ids({{}, {"2"}, {}, {}}), ElementsAre(1, 4));
  EXPECT_THAT(ids({{}, {"(int)"}, {}, {}}), ElementsAre(1, 3, 4));
  EXPECT_THAT(refusal({{}, {"3"}, {}, {}}), HasSubstr("there is no kernel 3"));
  EXPECT_THAT(refusal({{}, {"-1"}, {}, {}}), HasSubstr("there is no kernel -1"));
  EXPECT_THAT(refusal({{}, {"zz"}, {}, {}}), HasSubstr("no kernel has 'zz' in its name"));
}

TEST_F(SelectionTest, gpus) {
  EXPECT_THAT(ids({{}, {}, {"2"}, {}}), ElementsAre(1, 3, 9));
  EXPECT_THAT(ids({{}, {}, {"2", "11995"}, {}}), ElementsAre(1, 3, 4, 9));
  EXPECT_THAT(refusal({{}, {}, {"0"}, {}}), HasSubstr("GPU_IDs it has: 11995, 2"));
  EXPECT_THAT(refusal({{"4"}, {}, {"2"}, {}}), HasSubstr("dispatches it has: 1, 3, 9"));
}

TEST_F(SelectionTest, times_heed_dispatches_and_gpus_but_not_kernels) {
  const Selection selection = select(workload_, {{"<9"}, {"a"}, {}, {}});
  EXPECT_EQ(selection.listed.size(), 3U);
  EXPECT_EQ(selection.measured.size(), 2U);
  ASSERT_EQ(selection.kernels.size(), 2U);
  EXPECT_EQ(selection.kernels[0].name, "b(int)");
  EXPECT_FALSE(selection.kernels[0].chosen);
  EXPECT_TRUE(selection.kernels[1].chosen);
  EXPECT_EQ(selection.kernels[1].count, 2U);
  EXPECT_EQ(selection.kernels[1].sum_ns, 30);
  EXPECT_EQ(selection.kernels[1].mean_ns, 15);
  EXPECT_EQ(selection.kernels[1].median_ns, 15);
  EXPECT_NEAR(selection.kernels[1].share, 30.0 / 130, 1e-12);
}

TEST(Selection, durations_of_zero_or_none_have_no_share) {
  const Folder folder;
  folder.write("pmc_perf.csv", "Kernel_Name,Start_Timestamp,End_Timestamp\na,5,5\nb,,\n");
  const Selection selection = select(read_workload(folder.path()), {});
  ASSERT_EQ(selection.kernels.size(), 2U);
  for (const KernelTime& kernel : selection.kernels) EXPECT_EQ(kernel.share, 0);
}

}  // namespace
}  // namespace heddle::profile
