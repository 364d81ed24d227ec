// Several bundles in one command, and lean ones of C++ kernels. Those of Triton kernels are in
// tests/agent_triton/lean_test.py.
#include "agent/running.h"

namespace heddle::agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Batches : public Running {
 protected:
  Batches() {
    rounds_ = 7;
    kernel("add;time_us 100 noise 2");
    kernel("add;time_us 80 noise 2");
  }

  /// A bundle of its own in the folder `sweep`, with this as candidate 1.
  void bundle(const std::string& name, const std::string& candidate) {
    const std::string inside = folder_ + "/sweep/" + name;
    std::filesystem::create_directories(inside);
    write_bundle();
    std::filesystem::copy(folder_ + "/kernels", inside + "/kernels");
    std::filesystem::copy_file(folder_ + "/bundle.txt", inside + "/bundle.txt");
    std::ofstream(inside + "/kernels/1.cu") << "// fake: " + candidate + "\n";
  }

  int run_all(const std::string& arguments = "--no-counters") {
    return run_on("'" + folder_ + "/sweep'", arguments);
  }

  std::string result_of(const std::string& name, const std::string& file) const {
    return text_of(folder_ + "/sweep/" + name + "/results/" + file);
  }
};

TEST_F(Batches, a_folder_of_bundles_is_run_by_name) {
  bundle("002", "add");
  bundle("001", "fault");
  bundle("003", "add");
  EXPECT_EQ(run_all(), 0) << errors();
  EXPECT_THAT(result_of("001", "checks.csv"), HasSubstr("\n1,main,1,rejected,fault,"));
  for (const char* name : {"001", "002", "003"})
    EXPECT_EQ(result_of(name, "done.txt"), "done\n") << name;
}

TEST_F(Batches, one_that_cannot_be_measured_does_not_end_the_others) {
  bundle("001", "add");
  bundle("002", "add");
  std::ofstream(folder_ + "/sweep/001/kernels/0.cu") << "// fake: compile-error\n";
  EXPECT_EQ(run_all(), 0) << errors();
  EXPECT_THAT(result_of("001", "done.txt"), StartsWith("failed 5 "));
  EXPECT_EQ(result_of("002", "done.txt"), "done\n");
  std::filesystem::remove_all(folder_ + "/sweep/002");
  bundle("003", "add");
  std::ofstream(folder_ + "/sweep/003/kernels/0.cu") << "// fake: compile-error\n";
  EXPECT_EQ(run_all(), 5);
}

TEST_F(Batches, what_is_done_is_left_as_it_is) {
  bundle("001", "add");
  bundle("002", "add");
  EXPECT_EQ(run_on("'" + folder_ + "/sweep/001'", "--no-counters"), 0) << errors();
  const std::string samples = result_of("001", "samples.csv");
  std::ofstream(folder_ + "/sweep/001/results/mark") << "x";
  EXPECT_EQ(run_all("--no-counters --resume"), 0) << errors();
  EXPECT_EQ(result_of("001", "mark"), "x");
  EXPECT_EQ(result_of("002", "done.txt"), "done\n");
  // A kernel that was changed since makes it another bundle.
  std::ofstream(folder_ + "/sweep/001/kernels/1.cu") << "// fake: skip 1\n";
  EXPECT_EQ(run_all("--no-counters --resume"), 0) << errors();
  EXPECT_EQ(result_of("001", "mark"), "");
  EXPECT_THAT(result_of("001", "checks.csv"), HasSubstr(",unwritten,"));
}

TEST_F(Batches, nothing_is_begun_after_the_budget) {
  bundle("001", "add");
  bundle("002", "add");
  EXPECT_EQ(run_all("--no-counters --budget 0.001"), 0) << errors();
  EXPECT_EQ(result_of("001", "done.txt"), "");
  EXPECT_EQ(run_all("--budget soon"), 2);
}

TEST_F(Batches, lean_ones_are_timed_cold_and_once) {
  more_ = "mode lean\ncounters 1\n";
  write("bin/ncu", "#!/bin/sh\necho \"$@\" >\"$0.arguments\"\necho '\"ID\"'\necho '\"0\"'\n", true);
  EXPECT_EQ(run(), 0) << errors();
  EXPECT_EQ(count_lines("samples.csv", "time,"), 21U);
  EXPECT_EQ(count_lines("samples.csv", "confirm,"), 0U);
  EXPECT_THAT(result("samples.csv"), testing::Not(HasSubstr("warm")));
  EXPECT_EQ(result("counters.txt"), "order 1 1 1\n");
  EXPECT_THAT(text_of(folder_ + "/bin/ncu.arguments"), HasSubstr(" profile 1 1 1"));
}

}  // namespace
}  // namespace heddle::agent
