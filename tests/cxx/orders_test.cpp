// Tiles of C++ kernels that depend on one another, and kernels with another order written into
// them.
#include <fmt/format.h>

#include "subject.h"
#include "support/child_process.h"
#include "trace/independence.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

IndependenceReport report_of(const Subject& subject) {
  IndependenceReport report;
  const auto independent = trace::find_independence(*subject.program, subject.launch, {}, report);
  EXPECT_EQ(independent.has_value(), report.verdict == Verdict::proved);
  return report;
}

TEST(CxxOrders, TilesThatDependOnOneAnother) {
  HEDDLE_NEED_CLANG();
  const Folder folder;
  constexpr const char* kOrdersJob = R"(grid = [8]
[tensors.x]
dtype = "int32"
shape = [1024]
contents = "zeros"
[tensors.next]
dtype = "int32"
shape = [1]
contents = "zeros"
[scalars]
mode = 0
[launch]
threads = 64
)";
  Subject subject = folder.load("depends.hip", R"(#include <hip/hip_runtime.h>
__global__ void depends(int* x, int* next, int mode) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mode == 0) {
    x[i] = x[i + 1] + 1;  // of the next block, too
  } else if (mode == 1) {
    x[atomicAdd(next, 1)] = i;  // a ticket
  } else if (mode == 2) {
    atomicExch(&next[0], i);
  } else if (mode == 3) {
    x[threadIdx.x] = i;
  } else {
    atomicMax(&next[0], i);
  }
}
)",
                                kOrdersJob);
  const auto conflict = [&](int mode) {
    subject.set("mode", mode);
    const IndependenceReport report = report_of(subject);
    EXPECT_EQ(report.verdict, Verdict::refuted) << mode;
    return report.conflicts.empty() ? TileConflict{} : report.conflicts.front();
  };
  const TileConflict neighbour = conflict(0);
  EXPECT_EQ(neighbour.kind, TileConflict::Kind::read_after_write);
  EXPECT_EQ(neighbour.tensor, "x");
  EXPECT_EQ(neighbour.byte % 256, 0) << "the first number of a block";
  EXPECT_EQ(neighbour.first.line, 5);
  EXPECT_THAT(conflict(1).tensor, testing::AnyOf("next", "x"));
  EXPECT_EQ(conflict(2).kind, TileConflict::Kind::lock);
  EXPECT_EQ(conflict(3).kind, TileConflict::Kind::write_after_write);
  subject.set("mode", 4);
  const IndependenceReport report = report_of(subject);
  EXPECT_EQ(report.verdict, Verdict::proved) << "a maximum does not mind the order";
  EXPECT_TRUE(report.commuting.has_value());
  EXPECT_FALSE(report.rounding_may_differ);
}

TEST(CxxOrders, AKernelWithAnotherOrderComputesTheSame) {
  HEDDLE_NEED_CLANG();
  const Folder folder;
  const std::string job = example("stencil_2d_hip");
  const std::vector<std::string> sizes = {"rows=50", "columns=450"};
  const Subject before = load(job, sizes);
  const auto expected = before.run();
  ASSERT_EQ(expected.size(), 1U);
  for (const char* const order : {"xcd(8)", "group(4)", "reverse"}) {
    SCOPED_TRACE(order);
    const std::string made = folder.path() + "/made.hip";
    const ChildResult emitted = run_child(
        {HEDDLE_PROGRAM, "emit", order, "--job", job, "--set", "rows=50,columns=450", "-o", made},
        "", {});
    ASSERT_EQ(emitted.exit_code, 0) << emitted.errors;
    std::ifstream file(made);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_THAT(text, HasSubstr("tile_x"));
    Subject after = before;
    after.program = std::make_shared<const kernel::KernelProgram>(
        kernel::Source::open(made, text)->compile(before.launch));
    EXPECT_EQ(after.run(), expected);
    EXPECT_NE(after.trace({1, 0, 0}), before.trace({1, 0, 0})) << "another order, other tiles";
  }
}

}  // namespace
}  // namespace heddle::test
