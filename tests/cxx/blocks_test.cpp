// Blocks of every shape through the whole runner: lanes that part, leave early, meet at barriers
// and exchange values. What each instruction must hold is said by loops over threads.
#include "subject.h"

namespace heddle::test {
namespace {

using kernel::MemoryKind;

constexpr const char* kBlocksJob = R"toml(grid = [2]
[tensors.input]
dtype = "int32"
shape = [16384]
contents = "range"
[tensors.output]
dtype = "int32"
shape = [16384]
contents = "constant(-1)"
[tensors.wide]
dtype = "int64"
shape = [16384]
contents = "constant(-1)"
[scalars]
mode = 0
[launch]
threads = 64
)toml";

constexpr const char* kBlocksKernel = R"(#include <hip/hip_runtime.h>
__global__ void blocks(const int* input, int* output, long long* wide, int mode) {
  __shared__ int kept[1024];
  const int count = blockDim.x * blockDim.y * blockDim.z;
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  switch (mode) {
    case 0:  // rows of 0..4 numbers
      for (int i = 0; i < t * 7 % 5; ++i) output[t * 8 + i] = input[t * 8 + i];
      break;
    case 1:
      if (t % 3 == 0) return;
      output[t] = input[t];
      break;
    case 2:
      if (t & 1) {
        output[t] = input[t] + 1;
      } else {
        wide[t] = input[2048 + t];
      }
      output[4096 + t] = 3;
      break;
    case 3:
      for (int k = 0; k < 4; ++k) {
        kept[t] = input[k * count + t];
        __syncthreads();
        output[k * count + t] = kept[count - 1 - t];
        __syncthreads();
      }
      break;
    case 4:
      output[t] = __shfl_xor(input[t], 1);
      output[1024 + t] = __shfl_down(input[t], 2);
      wide[t] = __ballot(t % 3 == 0);
      break;
    case 5:
      if (t % 64 < 10) output[t] = __shfl(input[t], 3);
      break;
    case 6:
      output[threadIdx.z * 1000 + threadIdx.y * 100 + threadIdx.x * 2] =
          input[threadIdx.z * 7 + threadIdx.y * 64 + threadIdx.x];
      break;
  }
}
)";

struct Row {
  const char* tensor;
  MemoryKind kind;
  std::map<std::int64_t, std::int64_t> elements;  ///< by thread
  friend bool operator==(const Row&, const Row&) = default;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.tensor << (row.kind == MemoryKind::read ? " read" : " write");
  for (const auto& [thread, element] : row.elements) *out << ' ' << thread << ':' << element;
}

class Blocks : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_NEED_CLANG();
    subject_ = folder_.load("blocks.hip", kBlocksKernel, kBlocksJob);
  }

  std::vector<Row> traced(int mode, std::array<int, 3> threads) {
    subject_.set("mode", mode);
    subject_.launch.threads = threads;
    std::vector<Row> rows;
    for (const Instruction& one : subject_.trace({1, 0, 0})) {
      rows.push_back({one.tensor == "input"    ? "input"
                      : one.tensor == "output" ? "output"
                                               : "wide",
                      one.kind,
                      {}});
      for (const auto& [thread, byte] : one.at) rows.back().elements[thread] = byte / one.bytes;
    }
    return rows;
  }

  /// An instruction of the threads for which element(thread) is not negative, if there are any.
  static void add(std::vector<Row>& rows, const char* tensor, MemoryKind kind, int threads,
                  const std::function<int(int)>& element) {
    Row row{tensor, kind, {}};
    for (int t = 0; t < threads; ++t)
      if (element(t) >= 0) row.elements[t] = element(t);
    if (!row.elements.empty()) rows.push_back(row);
  }
  static void add_copy(std::vector<Row>& rows, int threads, const std::function<int(int)>& from,
                       const std::function<int(int)>& to) {
    add(rows, "input", MemoryKind::read, threads, from);
    add(rows, "output", MemoryKind::write, threads, to);
  }

  Folder folder_;
  Subject subject_;
};

constexpr std::array<int, 6> kSizes = {1, 32, 63, 64, 65, 1024};

TEST_F(Blocks, LanesThatPartAndMeet) {
  for (const int n : kSizes) {
    SCOPED_TRACE(n);
    std::vector<Row> loop;
    for (int i = 0; i < 4; ++i) {
      const auto at = [&](int t) { return i < t * 7 % 5 ? t * 8 + i : -1; };
      add_copy(loop, n, at, at);
    }
    EXPECT_EQ(traced(0, {n, 1, 1}), loop);

    std::vector<Row> early;
    const auto stays = [](int t) { return t % 3 == 0 ? -1 : t; };
    add_copy(early, n, stays, stays);
    EXPECT_EQ(traced(1, {n, 1, 1}), early);

    // Which branch lies first is the compiler's choice.
    std::vector<Row> odd;
    const auto is_odd = [](int t) { return t % 2 == 1 ? t : -1; };
    add_copy(odd, n, is_odd, is_odd);
    std::vector<Row> even;
    add(even, "input", MemoryKind::read, n, [](int t) { return t % 2 == 0 ? 2048 + t : -1; });
    add(even, "wide", MemoryKind::write, n, [](int t) { return t % 2 == 0 ? t : -1; });
    std::vector<Row> odd_first = odd;
    odd_first.insert(odd_first.end(), even.begin(), even.end());
    std::vector<Row> even_first = even;
    even_first.insert(even_first.end(), odd.begin(), odd.end());
    for (auto* const rows : {&odd_first, &even_first})
      add(*rows, "output", MemoryKind::write, n, [](int t) { return 4096 + t; });
    EXPECT_THAT(traced(2, {n, 1, 1}), testing::AnyOf(odd_first, even_first));
  }
}

TEST_F(Blocks, BarriersAndWaves) {
  for (const int n : kSizes) {
    SCOPED_TRACE(n);
    std::vector<Row> rounds;
    for (int k = 0; k < 4; ++k) {
      const auto at = [&](int t) { return k * n + t; };
      add_copy(rounds, n, at, at);
    }
    EXPECT_EQ(traced(3, {n, 1, 1}), rounds);
    const std::vector<double> reversed = subject_.run().at("output");
    for (int k = 0; k < 4; ++k)
      for (int t = 0; t < n; ++t)
        ASSERT_EQ(reversed[static_cast<std::size_t>(k * n + t)], k * n + n - 1 - t);

    traced(4, {n, 1, 1});
    const auto exchanged = subject_.run();
    for (int t = 0; t < n; ++t) {
      // A lane that is not there gives what the asking lane gave.
      const int partner = (t ^ 1) < n ? t ^ 1 : t;
      const int below = t % 64 + 2 < 64 && t + 2 < n ? t + 2 : t;
      ASSERT_EQ(exchanged.at("output")[static_cast<std::size_t>(t)], partner);
      ASSERT_EQ(exchanged.at("output")[static_cast<std::size_t>(1024 + t)], below);
      std::uint64_t votes = 0;
      for (int lane = 0; lane < 64; ++lane)
        if (t / 64 * 64 + lane < n && (t / 64 * 64 + lane) % 3 == 0) votes |= 1ULL << lane;
      ASSERT_EQ(exchanged.at("wide")[static_cast<std::size_t>(t)],
                static_cast<double>(static_cast<std::int64_t>(votes)));
    }

    std::vector<Row> few;
    const auto first_ten = [](int t) { return t % 64 < 10 ? t : -1; };
    add_copy(few, n, first_ten, first_ten);
    EXPECT_EQ(traced(5, {n, 1, 1}), few);
    const std::vector<double> told = subject_.run().at("output");
    for (int t = 0; t < n; ++t) {
      const int source = t / 64 * 64 + 3 < n ? t / 64 * 64 + 3 : t;
      ASSERT_EQ(told[static_cast<std::size_t>(t)], t % 64 < 10 ? source : -1);
    }
  }
}

TEST_F(Blocks, ThreadsOfOneTwoAndThreeAxes) {
  const std::vector<std::array<int, 3>> shapes = {{1, 1, 1}, {7, 1, 1}, {1, 7, 1}, {1, 1, 7},
                                                  {8, 4, 1}, {8, 1, 4}, {1, 8, 4}, {8, 4, 2},
                                                  {3, 5, 7}, {32, 8, 4}};
  for (const auto& threads : shapes) {
    SCOPED_TRACE(testing::PrintToString(threads));
    const auto [nx, ny, nz] = threads;
    const auto by_index = [&, nx = nx, ny = ny](int t, int z, int y, int x) {
      return t / nx / ny * z + t / nx % ny * y + t % nx * x;
    };
    std::vector<Row> rows;
    add_copy(
        rows, nx * ny * nz, [&](int t) { return by_index(t, 7, 64, 1); },
        [&](int t) { return by_index(t, 1000, 100, 2); });
    EXPECT_EQ(traced(6, threads), rows);
  }
}

}  // namespace
}  // namespace heddle::test
