// Reports of launches that were traced before: the same, and found again only for the same launch.
#include "trace/kept.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include "subject.h"
#include "support/temporary_folder.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeptSource =
    "__global__ void scale(float* x, const int* index, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = 2.0f * index[i];\n"
    "}\n";
constexpr const char* kKeptJob =
    "grid = [4]\n[launch]\nthreads = [64]\n[scalars]\nn = 250\n"
    "[tensors.x]\ndtype = \"fp32\"\nshape = [256]\n"
    "[tensors.index]\ndtype = \"int32\"\nshape = [256]\ncontents = \"range\"\n";

class KeptTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
    unsetenv("HEDDLE_CACHE");
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    setenv("HEDDLE_CACHE", "off", 1);  // for other tests
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    const fs::path folder = cache_.path() + "/heddle/traces";
    if (!fs::exists(folder)) return paths;
    for (const auto& one : fs::directory_iterator(folder)) paths.push_back(one.path());
    return paths;
  }
  /// Entries that were read since this was called last.
  std::size_t count_used() const {
    std::size_t used = 0;
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const fs::path& path : entries()) {
      if (fs::last_write_time(path) > old) ++used;
      fs::last_write_time(path, old - std::chrono::hours(1));
    }
    return used;
  }
  static TraceReport report_of(const Subject& subject, trace::AnalyzeOptions options = {}) {
    return trace::KeptTrace(*subject.program, subject.launch).analyze(options);
  }
  static IndependenceReport independence_of(const Subject& subject) {
    IndependenceReport report;
    trace::KeptTrace(*subject.program, subject.launch).find_independence({}, report);
    return report;
  }

  TemporaryFolder cache_;
  Folder folder_;
};

void expect_same_report(const TraceReport& one, const TraceReport& other) {
  EXPECT_EQ(one.kernel, other.kernel);
  EXPECT_EQ(one.grid, other.grid);
  EXPECT_EQ(one.threads, other.threads);
  EXPECT_EQ(one.tiles_traced, other.tiles_traced);
  EXPECT_EQ(one.neighbours_sampled, other.neighbours_sampled);
  EXPECT_EQ(one.total_bytes(), other.total_bytes());
  EXPECT_EQ(one.distinct_lines(), other.distinct_lines());
  ASSERT_EQ(one.accesses.size(), other.accesses.size());
  for (std::size_t i = 0; i < one.accesses.size(); ++i) {
    EXPECT_EQ(one.accesses[i].place.text, other.accesses[i].place.text);
    EXPECT_EQ(one.accesses[i].tensor, other.accesses[i].tensor);
    EXPECT_EQ(one.accesses[i].active.mean, other.accesses[i].active.mean);
    EXPECT_EQ(one.accesses[i].requests, other.accesses[i].requests);
    EXPECT_EQ(one.accesses[i].neighbours.size(), other.accesses[i].neighbours.size());
  }
  ASSERT_EQ(one.arithmetic.size(), other.arithmetic.size());
  for (std::size_t i = 0; i < one.arithmetic.size(); ++i)
    EXPECT_EQ(one.arithmetic[i].total, other.arithmetic[i].total);
  ASSERT_EQ(one.faults.size(), other.faults.size());
  for (std::size_t i = 0; i < one.faults.size(); ++i)
    EXPECT_EQ(one.faults[i].detail, other.faults[i].detail);
}

TEST_F(KeptTraces, ASecondLookAtALaunchIsReadAndTheSame) {
  HEDDLE_NEED_CLANG();
  const Subject first = folder_.load("k.hip", kKeptSource, kKeptJob);
  const TraceReport traced = report_of(first);
  const IndependenceReport proved = independence_of(first);
  EXPECT_EQ(entries().size(), 2U);
  EXPECT_EQ(count_used(), 2U);

  const Subject second = folder_.load("k.hip", kKeptSource, kKeptJob);
  const TraceReport read = report_of(second);
  EXPECT_EQ(count_used(), 1U);
  const IndependenceReport read_proof = independence_of(second);
  EXPECT_EQ(count_used(), 1U);
  EXPECT_EQ(entries().size(), 2U);
  ASSERT_EQ(traced.accesses.size(), 2U);
  expect_same_report(traced, read);
  EXPECT_EQ(proved.verdict, Verdict::proved);
  EXPECT_EQ(read_proof.verdict, Verdict::proved);
  EXPECT_EQ(proved.traced_on, read_proof.traced_on);
}

TEST_F(KeptTraces, FaultsAreKeptAsTheyWere) {
  HEDDLE_NEED_CLANG();
  Subject subject = folder_.load("k.hip", kKeptSource, kKeptJob);
  subject.set("n", 260);
  subject.launch.grid = Grid({5});
  const TraceReport traced = report_of(subject);
  const IndependenceReport verdict = independence_of(subject);
  count_used();
  ASSERT_FALSE(traced.faults.empty());
  expect_same_report(traced, report_of(subject));
  EXPECT_EQ(independence_of(subject).reason, verdict.reason);
  EXPECT_EQ(count_used(), 2U);
}

TEST_F(KeptTraces, AnythingElseIsTracedAnew) {
  HEDDLE_NEED_CLANG();
  Subject subject = folder_.load("k.hip", kKeptSource, kKeptJob);
  report_of(subject);
  std::size_t known = 1;
  EXPECT_EQ(entries().size(), known);
  const auto expect_another = [&](const char* what) {
    SCOPED_TRACE(what);
    report_of(subject);
    EXPECT_EQ(entries().size(), ++known);
  };
  trace::AnalyzeOptions options;
  options.line_bytes = 64;
  EXPECT_EQ(report_of(subject, options).line_bytes, 64);
  EXPECT_EQ(entries().size(), ++known);
  subject.set("n", 100);
  expect_another("a scalar");
  subject.launch.grid = Grid({3});
  expect_another("the grid");
  subject.launch.tensors[subject.index_of("index")].contents.kind = config::Contents::Kind::zeros;
  expect_another("contents");
  subject.launch.tensors[subject.index_of("x")].address += 4096;
  expect_another("an address");
  subject = folder_.load("k.hip", std::string(kKeptSource) + "// a word\n", kKeptJob);
  expect_another("the text");
  subject = folder_.load("k.hip",
                         "#ifdef __AMDGCN__\n#define TWICE(a) sinf(a)\n#else\n#define TWICE(a) a\n"
                         "#endif\n__global__ void scale(float* x, const int* index, int n) {\n"
                         "  int i = threadIdx.x;\n  if (i < n) x[i] = TWICE(index[i]);\n}\n",
                         kKeptJob);
  expect_another("the code");
}

TEST_F(KeptTraces, FailuresAndTracesWithoutACacheAreNotKept) {
  HEDDLE_NEED_CLANG();
  Subject subject = folder_.load("k.hip", kKeptSource, kKeptJob);
  subject.set("n", 1 << 20);
  subject.launch.grid = Grid({1 << 14});
  EXPECT_THROW(report_of(subject), Error);
  EXPECT_TRUE(independence_of(subject).failed);
  EXPECT_TRUE(entries().empty());
  setenv("HEDDLE_CACHE", "off", 1);
  subject.set("n", 10);
  EXPECT_EQ(report_of(subject).tiles, 1 << 14);
  EXPECT_TRUE(entries().empty());
}

}  // namespace
}  // namespace heddle::test
