// What becomes of candidates, good ones and bad ones.
#include <set>

#include "agent/running.h"

namespace heddle::agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kOriginal = "add;time_us 100 noise 2";
constexpr const char* kFaster = "add;time_us 80 noise 2";

class Candidates : public Running {
 protected:
  Candidates() { kernel(kOriginal); }

  /// A bad candidate beside a good one: it is rejected, and the good one is measured.
  void expect_rejected(const std::string& markers, const std::string& row) {
    kernel(markers);
    kernel(kFaster);
    EXPECT_EQ(run("--no-counters"), 0) << errors();
    EXPECT_EQ(result("done.txt"), "done\n");
    EXPECT_THAT(result("checks.csv"), HasSubstr("\n1," + row));
    EXPECT_EQ(count_lines("checks.csv", "2,main,1,equal"), 1U);
    EXPECT_EQ(count_lines("checks.csv", "2,main,2,equal"), 1U);
    EXPECT_GT(count_lines("samples.csv", "confirm"), 0U);
    EXPECT_THAT(result("samples.csv"), HasSubstr(",2,cold,1,"));
    EXPECT_THAT(result("samples.csv"), testing::Not(HasSubstr(",1,cold,")));
  }
};

TEST_F(Candidates, a_faster_one_is_measured_and_confirmed) {
  kernel(kFaster);
  EXPECT_EQ(run(), 0) << errors();
  EXPECT_EQ(result("done.txt"), "done\n");
  EXPECT_THAT(result("machine.txt"), StartsWith("device Fake 100\ndriver "));
  EXPECT_THAT(result("machine.txt"), HasSubstr("llc_bytes 1048576\nflush_bytes 2097152\n"));
  EXPECT_EQ(result("checks.csv"),
            "candidate,launch,seed,verdict,kind,detail\n0,main,1,equal,,\n0,main,2,equal,,\n"
            "1,main,1,equal,,\n1,main,2,equal,,\n");
  // 20 rounds of three, cold and warm.
  EXPECT_EQ(count_lines("samples.csv", "time,"), 120U);
  EXPECT_EQ(count_lines("samples.csv", "confirm,"), 120U);
  EXPECT_EQ(count_lines("samples.csv", "time,20,"), 6U);
  EXPECT_THAT(result("warmup.csv"), StartsWith("phase,launches,stable\ntime,"));
  EXPECT_EQ(result("compiled.csv"),
            "candidate,registers,shared_bytes,spills\n0,40,512,4\n1,40,512,4\n");
  EXPECT_THAT(result("clocks.csv"), HasSubstr("1980,2619,41,123.456,0x4\n"));
  EXPECT_THAT(result("counters.txt"), StartsWith("refused no-profiler "));
}

TEST_F(Candidates, equal_speed_is_not_confirmed) {
  kernel(kOriginal);
  EXPECT_EQ(run(), 0) << errors();
  EXPECT_EQ(count_lines("samples.csv", "time,"), 120U);
  EXPECT_EQ(count_lines("samples.csv", "confirm,"), 0U);
}

TEST_F(Candidates, a_slower_one_is_not_confirmed) {
  kernel("add;time_us 120 noise 2");
  EXPECT_EQ(run(), 0) << errors();
  EXPECT_EQ(count_lines("samples.csv", "confirm,"), 0U);
}

TEST_F(Candidates, order_differs_between_rounds) {
  kernel(kFaster);
  EXPECT_EQ(run("--only time"), 0) << errors();
  std::set<std::string> firsts;
  std::istringstream lines(result("samples.csv"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(",1,", line.find(',', 5));
    if (at != std::string::npos)
      firsts.insert(line.substr(at + 3, line.find(',', at + 3) - at - 3));
  }
  EXPECT_THAT(firsts, testing::IsSupersetOf({"0", "0b", "1"}));
}

TEST_F(Candidates, skipped_work_is_unwritten) {
  expect_rejected("skip 16;time_us 50 noise 1",
                  "main,1,rejected,unwritten,\"tensor c at (15, 0): expected ");
  EXPECT_THAT(result("checks.csv"), HasSubstr("; 16 of 256 elements\""));
}

TEST_F(Candidates, other_values_are_different) {
  expect_rejected("add;wrong 35", "main,1,rejected,different,\"tensor c at (2, 3): expected ");
  EXPECT_THAT(result("checks.csv"), HasSubstr("; 1 of 256 elements\""));
}

TEST_F(Candidates, writes_behind_a_tensor_break_its_guard) {
  expect_rejected("add;guard",
                  "main,1,rejected,guard,\"wrote behind tensor c: byte 1 after its end, 4 bytes");
}

TEST_F(Candidates, writes_in_front_of_a_tensor_break_its_guard) {
  expect_rejected("add;front", "main,1,rejected,guard,\"wrote in front of tensor c: byte 1 before");
}

TEST_F(Candidates, inputs_stay_what_they_are) {
  expect_rejected("add;input", "main,1,rejected,input,\"tensor a at element 3: was ");
}

TEST_F(Candidates, a_fault_ends_its_worker_only) {
  expect_rejected("add;fault", "main,1,rejected,fault,running: an illegal memory access");
}

TEST_F(Candidates, a_launch_can_be_refused) {
  expect_rejected("refuse", "main,1,rejected,launch,launching: invalid argument");
}

TEST_F(Candidates, one_that_hangs_is_killed) {
  expect_rejected("hang", "main,1,rejected,hang,nothing was heard of it for 2 s");
}

TEST_F(Candidates, one_that_crashes_its_process_is_rejected) {
  expect_rejected("crash", "main,1,rejected,crash,its process was ended by signal 6");
}

TEST_F(Candidates, what_does_not_compile_is_rejected) {
  expect_rejected("compile-error",
                  "-,-,rejected,compile,\"0.cu(3): error: expected a \"\";\"\", or so\"");
}

TEST_F(Candidates, what_a_kernel_prints_is_no_verdict) {
  kernel("print equal 1 main 1;print checked 1;print done;skip 4");
  EXPECT_EQ(run("--only check"), 0) << errors();
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n1,main,1,rejected,unwritten,"));
  EXPECT_THAT(result("log.txt"), HasSubstr("checked 1"));
}

TEST_F(Candidates, a_timing_that_is_broken_off_is_begun_again) {
  kernel("add;time_us 50 noise 1;only time;fault");
  kernel(kFaster);
  EXPECT_EQ(run("--no-counters"), 0) << errors();
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n1,main,1,rejected,fault,in time: "));
  EXPECT_EQ(count_lines("samples.csv", "time,"), 120U);
  EXPECT_EQ(count_lines("samples.csv", "confirm,"), 120U);
}

TEST_F(Candidates, several_launches_are_checked) {
  launches_ = std::string("launch ragged\n") + kLaunch;
  kernel(kFaster);
  EXPECT_EQ(run("--only check"), 0) << errors();
  EXPECT_EQ(count_lines("checks.csv", "1,ragged,2,equal"), 1U);
  EXPECT_EQ(count_lines("samples.csv", "time,"), 0U);
}

class Originals : public Running {};

TEST_F(Originals, a_launch_besides_the_first_that_it_fails_on_is_left_out) {
  std::string odd = kLaunch;
  odd.replace(odd.find("n int32 256"), 11, "n int32 255");
  launches_ = "launch ragged\n" + odd;
  kernel("add;time_us 100 noise 1;odd;fault");
  kernel("add;time_us 80 noise 1");
  kernel("skip 4");
  EXPECT_EQ(run("--only check"), 0) << errors();
  EXPECT_THAT(errors(), HasSubstr("launch ragged is left out: the original failed on it: fault"));
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n0,ragged,1,rejected,fault,"));
  EXPECT_EQ(count_lines("checks.csv", "1,main,"), 2U);
  EXPECT_EQ(count_lines("checks.csv", "1,ragged,"), 0U);
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n2,main,1,rejected,unwritten,"));
}

TEST_F(Originals, one_that_varies_is_compared_within_its_spread) {
  kernel("add;vary;time_us 100 noise 2");
  kernel("add;vary;time_us 100 noise 2");
  kernel("add;wrong 5");
  kernel("add;wrong 6");
  EXPECT_EQ(run("--only check"), 0) << errors();
  EXPECT_THAT(result("checks.csv"), HasSubstr("0,main,1,close,,tensor c differs from run to run"));
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n1,main,1,close,,\"tensor c within "));
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n2,main,1,rejected,different,"));
  EXPECT_THAT(result("checks.csv"), HasSubstr("\n3,main,1,rejected,different,"));
}

TEST_F(Originals, a_failing_one_is_code_5) {
  for (const char* markers : {"fault", "hang", "crash", "guard", "compile-error"}) {
    SCOPED_TRACE(markers);
    write("kernels/bad.cu", std::string("// fake: ") + markers + "\n");
    std::filesystem::remove(folder_ + "/kernels/0.cu");
    if (result("done.txt").empty()) kernel("add");
    std::filesystem::copy_file(folder_ + "/kernels/bad.cu", folder_ + "/kernels/0.cu",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(run(), 5);
    EXPECT_THAT(result("done.txt"), testing::StartsWith("failed 5 the original kernel failed ("));
    EXPECT_THAT(errors(), HasSubstr("\n  try: "));
  }
}

TEST_F(Originals, a_failing_one_in_times_is_code_5) {
  kernel("add;time_us 100 noise 1;only time;fault");
  kernel("add;time_us 90 noise 1");
  EXPECT_EQ(run(), 5);
  EXPECT_THAT(result("done.txt"), testing::StartsWith("failed 5 "));
}

TEST_F(Originals, hip_is_the_same) {
  language_ = "hip";
  function_ = "ns::add<float, 4>";
  kernel("add;time_us 100 noise 2");
  kernel("skip 1");
  kernel("add;time_us 80 noise 2");
  EXPECT_EQ(run(), 0) << errors();
  EXPECT_THAT(result("machine.txt"), HasSubstr("device Fake MI300X\n"));
  EXPECT_THAT(result("machine.txt"),
              HasSubstr("llc_bytes 268435456\nllc_source the largest there is"));
  EXPECT_THAT(result("checks.csv"), HasSubstr("1,main,1,rejected,unwritten,"));
  EXPECT_EQ(count_lines("samples.csv", "confirm,"), 120U);
  EXPECT_THAT(result("counters.txt"), testing::StartsWith("refused not-supported "));
}

}  // namespace
}  // namespace heddle::agent
