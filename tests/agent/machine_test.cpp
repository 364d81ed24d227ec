// What a machine has and has not, and workers that cannot be relied on.
#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "agent/running.h"

namespace heddle::agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Machines : public Running {
 protected:
  Machines() {
    kernel("add;time_us 100 noise 2");
    kernel("add;time_us 80 noise 2");
  }

  void set(const std::string& name, const std::string& value) {
    environment_.emplace_back(name, value);  // the last one counts
  }

  /// `ncu` is a script of the test.
  void profiler(const std::string& body) { write("bin/ncu", "#!/bin/sh\n" + body, true); }
};

TEST_F(Machines, without_a_driver_is_code_4) {
  set("HEDDLE_CUDA_LIBRARY", "/nonexistent/libcuda.so");
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(result("done.txt"), StartsWith("failed 4 no library /nonexistent/libcuda.so: "));
  EXPECT_THAT(errors(), HasSubstr("HEDDLE_CUDA_LIBRARY"));
}

TEST_F(Machines, without_a_compiler_is_code_4) {
  set("HEDDLE_NVRTC_LIBRARY", "/nonexistent/libnvrtc.so");
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(result("done.txt"), StartsWith("failed 4 no library /nonexistent/libnvrtc.so: "));
}

TEST_F(Machines, a_library_without_its_functions_is_code_4) {
  set("HEDDLE_CUDA_LIBRARY", library("fake_nvml"));
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(result("done.txt"), HasSubstr("has no function cuInit"));
}

TEST_F(Machines, without_a_gpu_is_code_4) {
  set("FAKE_NO_DEVICE", "1");
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(result("done.txt"), StartsWith("failed 4 no GPU can be used"));
}

TEST_F(Machines, clocks_that_cannot_be_read_have_a_reason) {
  set("HEDDLE_NVML_LIBRARY", "/nonexistent/libnvml.so");
  EXPECT_EQ(run("--no-counters"), 0) << errors();
  EXPECT_EQ(result("clocks.csv"),
            "phase,elapsed_s,sm_mhz,memory_mhz,temperature_c,power_w,throttle\n");
  EXPECT_THAT(result("machine.txt"), HasSubstr("\nclocks unreadable: no library /nonexistent/"));
}

TEST_F(Machines, memory_that_is_not_there_is_code_4) {
  launches_ = "launch huge\ngrid 1 1 1\nthreads 1 1 1\ntensor a fp32 2147483648 write zeros\nend\n";
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(result("done.txt"), StartsWith("failed 4 the GPU has no memory for "));
}

TEST_F(Machines, counters_are_what_ncu_prints) {
  profiler(
      "echo \"$@\" >\"$0.arguments\"\necho '==PROF== Connected'\necho 'begin 0 main 1'\n"
      "echo '\"ID\",\"Kernel Name\",\"lts__t_sectors.sum\"'\necho '\"\",\"\",\"sector\"'\n"
      "echo '\"0\",\"add\",\"12\"'\necho done\necho '\"1\",\"add\",\"13\"'\n");
  EXPECT_EQ(run("--only counters"), 0) << errors();
  EXPECT_EQ(result("counters.csv"),
            "\"ID\",\"Kernel Name\",\"lts__t_sectors.sum\"\n\"\",\"\",\"sector\"\n"
            "\"0\",\"add\",\"12\"\n\"1\",\"add\",\"13\"\n");
  EXPECT_EQ(result("counters.txt"), "order 0 1 0 1 0 1\n");
  const std::string arguments = text_of(folder_ + "/bin/ncu.arguments");
  EXPECT_THAT(arguments, HasSubstr("--kernel-name regex:^add "));
  EXPECT_THAT(arguments, HasSubstr(" profile 0 1 0 1 0 1"));
}

TEST_F(Machines, a_profiler_that_runs_the_worker_sees_each_launch) {
  profiler(
      "while [ \"$1\" != worker ]; do last=$1; shift; done\n\"$last\" \"$@\" >\"$0.said\"\n"
      "echo '\"ID\",\"Kernel Name\"'\necho '\"0\",\"add\"'\n");
  EXPECT_EQ(run("--only counters"), 0) << errors();
  const std::string said = text_of(folder_ + "/bin/ncu.said");
  EXPECT_THAT(said, HasSubstr("begin 0 main 1\nbegin 1 main 1\nbegin 0 main 1\n"));
  EXPECT_THAT(said, testing::EndsWith("\ndone\n"));
}

TEST_F(Machines, counters_may_be_kept_from_users) {
  profiler("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'\nexit 1\n");
  EXPECT_EQ(run("--only counters"), 0) << errors();
  EXPECT_THAT(result("counters.txt"), StartsWith("refused permission "));
  EXPECT_EQ(result("counters.csv"), "");
}

TEST_F(Machines, a_profiler_can_fail) {
  profiler("echo '==ERROR== something else'\nexit 3\n");
  EXPECT_EQ(run("--only counters"), 0) << errors();
  EXPECT_THAT(result("counters.txt"),
              StartsWith("refused failed ncu: its process ended with code 3: ==ERROR== something"));
}

TEST_F(Machines, counters_need_not_be_asked_for) {
  EXPECT_EQ(run("--no-counters"), 0) << errors();
  EXPECT_THAT(result("counters.txt"), StartsWith("refused not-asked "));
}

TEST_F(Machines, results_of_before_are_gone) {
  std::filesystem::create_directories(folder_ + "/results/old");
  write("results/old/file", "x");
  EXPECT_EQ(run("--only check"), 0) << errors();
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/results/old"));
}

TEST_F(Machines, results_that_are_a_link_are_not_followed) {
  std::filesystem::create_directories(folder_ + "/elsewhere");
  write("elsewhere/precious", "x");
  std::filesystem::create_directory_symlink(folder_ + "/elsewhere", folder_ + "/results");
  EXPECT_EQ(run("--only check"), 0) << errors();
  EXPECT_EQ(text_of(folder_ + "/elsewhere/precious"), "x");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/elsewhere/done.txt"));
}

TEST_F(Machines, commands_that_are_not_understood) {
  EXPECT_EQ(run("--only everything"), 2);
  EXPECT_THAT(errors(), HasSubstr("there is no phase 'everything'\n  try: write check, time"));
  EXPECT_EQ(run("--fast"), 2);
  EXPECT_EQ(run("--python"), 2);
  EXPECT_EQ(run("--help"), 0);
  EXPECT_THAT(text_of(folder_ + "/out.txt"), StartsWith("usage: heddle-agent DIR"));
  EXPECT_EQ(run("--version"), 0);
  EXPECT_EQ(text_of(folder_ + "/out.txt"), "heddle-agent " HEDDLE_AGENT_VERSION "\n");
}

TEST_F(Machines, a_bundle_that_is_not_understood) {
  launches_ = "gird 1 2 3\n";
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(result("done.txt"), StartsWith("failed 2 bundle.txt, line "));
  EXPECT_THAT(errors(), HasSubstr("unknown statement 'gird'\n  try: "));
}

TEST_F(Machines, a_file_of_the_bundle_that_leads_out_of_it) {
  write("secret.txt", "// fake: add\n");
  std::filesystem::remove(folder_ + "/kernels/1.cu");
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/kernels/1.cu");
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(result("done.txt"), HasSubstr("kernels/1.cu is not a plain file inside it"));
  EXPECT_EQ(text_of(folder_ + "/results/samples.csv"), "");
}

/// Workers that are a script, in the place of Python.
class Strangers : public Running {
 protected:
  Strangers() {
    language_ = "triton";
    kernel("add");
    kernel("add");
    write("agent/triton_worker.py", "");
  }

  /// `body`: what it does after it named the device; $3 is the task.
  int run_with(const std::string& body) {
    write("bin/stranger",
          "#!/bin/sh\nif [ $3 = device ]; then echo fact device x; echo done; exit; fi\n" + body,
          true);
    return run("--python stranger --no-counters");
  }
};

constexpr const char* kOriginalIsGood = "for s in 1 2; do echo equal 0 main $s; done\n";

TEST_F(Strangers, one_that_does_as_it_should) {
  EXPECT_EQ(
      run_with(
          "if [ $3 = check ]; then echo some chatter\n"
          "for c in 0 1; do for s in 1 2; do echo begin $c main $s; echo equal $c main $s; done; "
          "echo checked $c; done\nelse echo warmed 20 stable\n"
          "for r in 1 2 3 4 5 6; do for c in 0 1 0b; do "
          "echo sample $r 1 $c cold 1 100.$r; echo sample $r 1 $c warm 3 99; done; done; fi\n"
          "echo done\n"),
      0)
      << errors();
  EXPECT_EQ(count_lines("samples.csv", "time,"), 36U);
  EXPECT_THAT(result("log.txt"), HasSubstr("some chatter\n"));
}

TEST_F(Strangers, one_that_never_stops_is_killed) {
  EXPECT_EQ(run_with(std::string(kOriginalIsGood) + "echo begin 1 main 1\nyes begin 1 main 1\n"),
            5);
  EXPECT_THAT(result("checks.csv"),
              HasSubstr("1,main,1,rejected,crash,its process wrote too much"));
}

TEST_F(Strangers, chatter_is_no_sign_of_life) {
  EXPECT_EQ(run_with("echo begin 0 main 1\nwhile :; do echo still here; sleep 0.2; done\n"), 5);
  EXPECT_THAT(result("done.txt"), StartsWith("failed 5 the original kernel failed (hang)"));
}

TEST_F(Strangers, a_line_that_has_no_end_is_too_much) {
  EXPECT_EQ(run_with("echo begin 0 main 1\ntr '\\0' x </dev/zero\n"), 5);
  EXPECT_THAT(result("done.txt"), HasSubstr("its process wrote too much"));
}

TEST_F(Strangers, broken_lines_are_a_crash) {
  EXPECT_EQ(run_with("echo begin 0 main 1\necho equal 7 main 1\n"), 5);
  EXPECT_THAT(result("done.txt"),
              HasSubstr("(crash): its process said what is not of the protocol"));
}

TEST_F(Strangers, one_that_passes_over_checks_is_found_out) {
  EXPECT_EQ(
      run_with("if [ \"$3 $5\" = 'check 1' ]; then\necho begin 1 main 1\necho equal 1 main 1\n"
               "echo checked 1\nfi\nif [ $3 = check ]; then echo checked 0; fi\necho done\n"),
      0)
      << errors();
  EXPECT_THAT(
      result("checks.csv"),
      HasSubstr("1,main,1,rejected,crash,its process did not check candidate 1 on everything"));
}

TEST_F(Strangers, one_that_says_nothing_of_a_candidate_is_found_out) {
  EXPECT_EQ(run_with("if [ $3 = check ]; then echo checked 0; fi\necho done\n"), 0) << errors();
  EXPECT_THAT(result("checks.csv"), HasSubstr("1,-,-,rejected,crash,its check did not come to"));
}

/// A process that has ended but is not buried yet does not run.
bool is_running(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return stat >> number >> name >> state && state != "Z";
}

TEST_F(Strangers, children_of_a_worker_end_with_it) {
  run_with(
      "echo begin 0 main 1\nsleep 1000 </dev/null >/dev/null 2>&1 &\necho $! >\"$2/child\"\nexit "
      "1\n");
  const auto child = static_cast<pid_t>(std::stol(text_of(folder_ + "/child")));
  for (int i = 0; i < 2000 && is_running(child); ++i)  // a kill takes a moment
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(is_running(child));
}

TEST_F(Strangers, what_they_miss_is_code_4) {
  EXPECT_EQ(run_with("echo missing Triton is not installed\nexit 4\n"), 4);
  EXPECT_EQ(result("done.txt"), "failed 4 Triton is not installed\n");
}

TEST_F(Strangers, without_python_is_code_4) {
  EXPECT_EQ(run("--python /nonexistent/python"), 4);
  EXPECT_THAT(result("done.txt"),
              StartsWith("failed 4 cannot find the program /nonexistent/python"));
}

TEST_F(Strangers, of_standard_error_the_end_is_kept) {
  run_with("echo begin 0 main 1\nyes error | head -n 200000 >&2\necho the last word >&2\nexit 9\n");
  EXPECT_THAT(result("done.txt"), HasSubstr("ended with code 9: the last word"));
  EXPECT_LT(result("log.txt").size(), std::size_t{70} << 10);
}

}  // namespace
}  // namespace heddle::agent
