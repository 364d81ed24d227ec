// From a job to a measured answer, on a GPU that is none (tests/agent/fake): what is measured, what
// is rejected, and what is handed back. No figure of it means anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKernel = R"(// A sum of two vectors.
__global__ void add(const float* a, const float* b, float* c, int n) {
  // fake: add
  // fake: time_us 100 noise 1
  // fake: less_with reverse 20
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";

constexpr const char* kJob = R"job(kernel = "add.cu"
grid = ["cdiv(n, 64)"]
[tensors.a]
dtype = "fp32"
shape = ["n"]
[tensors.b]
dtype = "fp32"
shape = ["n"]
[tensors.c]
dtype = "fp32"
shape = ["n"]
[scalars]
n = 65536
[launch]
threads = 64
)job";

class Loop : public testing::Test {
 protected:
  Loop() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::string(HEDDLE_WORK_DIR) + "/loop_" + info->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    put("add.cu", kKernel);
    put("job.toml", kJob);
  }
  ~Loop() override {
    if (!HasFailure()) fs::remove_all(folder_);
  }

  void put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  /// A kernel of somebody's: the original with a line more.
  void put_candidate(const std::string& name, const std::string& marker) {
    put(name, std::string(kKernel) + "// fake: " + marker + "\n");
  }

  int heddle(const std::string& arguments, const std::string& environment = "") {
    const std::string fake = HEDDLE_FAKE_DIR;
    const std::string command =
        "cd " + folder_ + " && env HEDDLE_CUDA_LIBRARY=" + fake + "/libfake_cuda.so" +
        " HEDDLE_NVRTC_LIBRARY=" + fake + "/libfake_nvrtc.so" + " HEDDLE_NVML_LIBRARY=" + fake +
        "/libfake_nvml.so CUDA_HOME=/nonexistent" + " PATH=/usr/bin:/bin " + environment + " " +
        HEDDLE_PROGRAM + " " + arguments + " > output.txt 2> errors.txt";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string text(const std::string& name) { return read_text(folder_ + "/" + name, 1 << 24); }

  std::string folder_;
};

TEST_F(Loop, OptimizeEndsWithWhatWasMeasuredFastest) {
  put("mine.txt", "reverse\n");
  ASSERT_EQ(heddle("optimize job.toml --gpu h200 --measure --propose mine.txt --iterations 6 "
                   "--no-history --rounds 10 --seeds 1"),
            0)
      << text("errors.txt");
  EXPECT_THAT(text("output.txt"), ::testing::AllOf(HasSubstr("faster, measured 1."),
                                                   HasSubstr("x: reverse, PROVED for all sizes")));
  const json report = json::parse(text("out/report.json"));
  EXPECT_EQ(report["best"]["formula"], "reverse");
  EXPECT_NEAR(report["best"]["measured"]["ratio"].get<double>(), 1.25, 0.03);
  EXPECT_EQ(report["best"]["measured"]["difference"], "faster");
  ASSERT_FALSE(report["measurements"].empty());
  const json& round = report["measurements"][0];
  EXPECT_EQ(round["answer"], "faster");
  EXPECT_EQ(round["launches"], json({"main", "ragged"}));
  EXPECT_THAT(round["counters_reason"].get<std::string>(), HasSubstr("no-profiler"));
  EXPECT_THAT(text("out/kernel.patch"), HasSubstr("reverse: proved"));
  EXPECT_THAT(text("out/summary.md"), HasSubstr("## Measured"));
  // Others were measured as well, and are no different.
  int none = 0;
  for (const json& attempt : report["iterations"])
    if (attempt["measured"].is_object() && attempt["measured"]["difference"] == "none") ++none;
  EXPECT_GE(none, 1);
}

TEST_F(Loop, NoDifferenceIsAnAnswer) {
  put("add.cu",
      std::string(kKernel).replace(std::string(kKernel).find("reverse 20"), 10, "reverse 0 "));
  ASSERT_EQ(heddle("optimize job.toml --gpu h200 --measure --iterations 4 --no-history --rounds 10 "
                   "--seeds 1"),
            0)
      << text("errors.txt");
  EXPECT_THAT(text("output.txt"),
              HasSubstr("leave it: no order that was measured is significantly faster"));
  EXPECT_FALSE(fs::exists(folder_ + "/out/kernel.patch"));
}

TEST_F(Loop, AMachineWithoutAGpuSaysSo) {
  EXPECT_EQ(heddle("optimize job.toml --gpu h200 --measure --iterations 4 --no-history",
                   "FAKE_NO_DEVICE=1"),
            4);
  EXPECT_THAT(text("errors.txt"), HasSubstr("nothing can be measured here"));
  EXPECT_THAT(text("errors.txt"), HasSubstr("heddle bundle"));
  // What the model says is handed back all the same.
  EXPECT_THAT(text("output.txt"), HasSubstr("note           nothing can be measured here"));
  EXPECT_TRUE(fs::exists(folder_ + "/out/report.json"));
}

TEST_F(Loop, CandidatesThatCheatAreNamedAndTheRunGoesOn) {
  put("skips.cu",
      std::string(kKernel).replace(std::string(kKernel).find("fake: add"), 9, "fake: skip 16"));
  put_candidate("guards.cu", "guard");
  put_candidate("faults.cu", "fault");
  put_candidate("hangs.cu", "hang");
  // Right as long as nobody looks at the time.
  put_candidate("pretends.cu", "only time\n// fake: wrong 7");
  ASSERT_EQ(
      heddle("bundle job.toml --gpu h200 -o b --order reverse --candidate skips.cu --candidate "
             "guards.cu --candidate faults.cu --candidate hangs.cu --candidate pretends.cu --limit "
             "2 --rounds 10 "
             "--seeds 1"),
      0)
      << text("errors.txt");
  EXPECT_THAT(text("output.txt"), HasSubstr("2  skips.cu: not proved"));
  EXPECT_EQ(heddle("merge b"), 4);
  EXPECT_THAT(text("errors.txt"), HasSubstr("run the agent first"));
  const std::string agent = fs::path(HEDDLE_PROGRAM).parent_path().string() + "/heddle-agent";
  const std::string fake = HEDDLE_FAKE_DIR;
  const std::string command = "cd " + folder_ + " && HEDDLE_CUDA_LIBRARY=" + fake +
                              "/libfake_cuda.so HEDDLE_NVRTC_LIBRARY=" + fake +
                              "/libfake_nvrtc.so CUDA_HOME=/nonexistent PATH=/usr/bin:/bin " +
                              agent + " b > agent.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << text("agent.txt");
  put("0.csv",
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"add(const float *, const float *, float *, "
      "int)\",\"dram__bytes_read.sum\",\"Mbyte\","
      "\"1,234.5\"\n");
  ASSERT_EQ(heddle("merge b --json --import 0=0.csv --patch faster.patch --points points.csv"), 0)
      << text("errors.txt");
  const json report = json::parse(text("output.txt"));
  EXPECT_EQ(report["winner"], 1);
  const json& candidates = report["candidates"];
  EXPECT_EQ(candidates[2]["rejected"]["kind"], "unwritten");
  EXPECT_EQ(candidates[3]["rejected"]["kind"], "guard");
  EXPECT_EQ(candidates[4]["rejected"]["kind"], "fault");
  EXPECT_EQ(candidates[5]["rejected"]["kind"], "hang");
  EXPECT_EQ(candidates[6]["rejected"]["kind"], "different");
  EXPECT_THAT(candidates[6]["rejected"]["detail"].get<std::string>(),
              HasSubstr("after a launch that was timed"));
  EXPECT_EQ(candidates[0]["counters"]["dram_read_bytes"], 1234.5e6);
  EXPECT_THAT(text("faster.patch"), HasSubstr("reverse: proved"));
  EXPECT_THAT(text("points.csv"), HasSubstr("job.toml,h200,identity,,,1234.5,"));
  EXPECT_EQ(heddle("merge b --import 9=0.csv"), 2);
  EXPECT_EQ(heddle("merge b --import 0.csv"), 2);
  EXPECT_EQ(heddle("merge nowhere"), 2);
}

TEST_F(Loop, OnlyProvedOrdersAreMeasured) {
  EXPECT_EQ(heddle("bundle job.toml --gpu h200 -o b --order \"p0//2\""), 1);
  EXPECT_THAT(text("errors.txt"), HasSubstr("is left out: REFUTED"));
  EXPECT_FALSE(fs::exists(folder_ + "/b"));
}

}  // namespace
}  // namespace heddle
