// What lanes do to shared memory: each kernel has one mistake, or none.
#include "subject.h"
#include "trace/independence.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Shared : public testing::Test {
 protected:
  void SetUp() override { HEDDLE_NEED_CLANG(); }

  /// The faults of two blocks of 128 threads; `body` has `tile`, 128 floats, and i, the thread.
  std::vector<trace::Fault> faults(const std::string& body, const std::string& more = "") {
    subject_ = folder_.load("k.cu",
                            "__global__ void k(float* x) {\n  __shared__ float tile[128];\n"
                            "  const int i = threadIdx.x;\n" +
                                body + "\n}\n",
                            "grid = [2]\n[tensors.x]\ndtype = \"fp32\"\nshape = [4096]\n[launch]\n"
                            "threads = 128\n" +
                                more);
    trace::Tracer tracer(*subject_.program, subject_.launch, {});
    Recorder recorder(*subject_.program, subject_.launch);
    tracer.run({0, 0, 0}, recorder);
    return tracer.faults();
  }

  Folder folder_;
  Subject subject_;
};

TEST_F(Shared, AnExchangeWithBarriersIsClean) {
  EXPECT_THAT(faults("tile[i] = x[i]; __syncthreads(); x[i] = tile[127 - i]; __syncthreads();"
                     "tile[127 - i] = x[i + 128]; __syncthreads(); x[i + 128] = tile[i];"),
              IsEmpty());
  // Within a warp, and by atomics.
  EXPECT_THAT(faults("tile[i] = x[i]; __syncwarp(); x[i] = tile[i ^ 1];"), IsEmpty());
  EXPECT_THAT(faults("if (i == 0) tile[0] = 0; __syncthreads(); atomicAdd(&tile[0], 1.0f);"
                     "__syncthreads(); x[i] = tile[0];"),
              IsEmpty());
  EXPECT_THAT(faults("extern __shared__ float own[]; own[i] = x[i]; __syncthreads();"
                     "x[i] = own[127 - i];",
                     "shared_bytes = 512\n"),
              IsEmpty());
}

TEST_F(Shared, IndicesBeyondAnArray) {
  const auto found = faults("tile[i + 1] = x[i];");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, trace::Fault::Kind::out_of_bounds);
  EXPECT_EQ(found[0].detail, "writes byte 512 of shared 'tile', which has 512");
  EXPECT_EQ(subject_.program->places[static_cast<std::size_t>(found[0].place)].position.line, 4);
  const auto dynamic =
      faults("extern __shared__ float own[]; own[i] = x[i];", "shared_bytes = 500\n");
  ASSERT_EQ(dynamic.size(), 1u);
  EXPECT_EQ(dynamic[0].detail, "writes byte 500 of shared 'dynamic shared memory', which has 500");
}

TEST_F(Shared, ReadsOfWhatNobodyWrote) {
  const auto found = faults("if (i < 100) tile[i] = x[i]; __syncthreads(); x[i] = tile[127 - i];");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, trace::Fault::Kind::uninitialized);
  EXPECT_EQ(found[0].detail,
            "thread 0 reads byte 508 of shared 'tile', which no thread has written");
}

TEST_F(Shared, NoBarrierBetweenWarps) {
  const auto found = faults("tile[i] = x[i]; x[i] = tile[i ^ 32];");
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].detail, HasSubstr("with no barrier between them"));
  // A tile that is filled again before all have read it.
  const auto again = faults(
      "for (int k = 0; k < 4; ++k) { tile[i] = x[i]; __syncthreads();"
      "x[i] = tile[127 - i]; }");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_THAT(again[0].detail, HasSubstr("with no barrier between them"));
}

TEST_F(Shared, NothingIsProvedOfThem) {
  faults(
      "tile[i + 1] = x[i + 128 * blockIdx.x]; __syncthreads(); x[i + 128 * blockIdx.x] = tile[i];");
  IndependenceReport report;
  trace::find_independence(*subject_.program, subject_.launch, {}, report);
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_THAT(report.reason, HasSubstr("goes beyond a shared array"));
}

}  // namespace
}  // namespace heddle::test
