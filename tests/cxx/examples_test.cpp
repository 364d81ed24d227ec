// The C++ kernels of examples/: what they compute, what their tiles touch and whether tiles depend
// on one another, each against loops that say the same the slow and obvious way.
#include <cmath>
#include <set>

#include "references.h"
#include "subject.h"
#include "trace/independence.h"

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;
using Elements = std::map<std::string, std::set<std::int64_t>>;

/// Elements of tensors that a tile reads, and that it writes or changes.
struct Touched {
  Elements read;
  Elements written;
  friend bool operator==(const Touched&, const Touched&) = default;
};

struct Example {
  std::string name;
  std::vector<std::vector<std::string>> sizes;
  std::int64_t grid = 0;  ///< of a kernel that takes any; 0: the job's
  std::string output;
  double tolerance = 0;  ///< relative to the same sum of absolute values; 0: every bit
  std::function<Numbers(const Subject&, const std::function<Numbers(const std::string&)>&)>
      reference;
  std::function<Touched(const Subject&, Tile)> touched;  ///< empty: it depends on data
  bool commutes = false;  ///< tiles meet in atomics whose order does not matter
};

void PrintTo(const Example& one, std::ostream* out) {
  *out << one.name;
}

std::size_t scalar(const Subject& subject, const std::string& name) {
  return static_cast<std::size_t>(std::get<std::int64_t>(subject.launch.find(name)->value.data));
}

std::int64_t number(const Subject& subject, const std::string& name) {
  return static_cast<std::int64_t>(scalar(subject, name));
}

Touched touched_by_yax(const Subject& subject, Tile tile, bool by_rows) {
  const auto n = number(subject, "n");
  const auto m = number(subject, "m");
  const std::int64_t blocks = subject.launch.grid.count();
  Touched touched;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t block = by_rows ? i % blocks : i / 64 % blocks;
    if (block != tile[0]) continue;
    touched.read["y"].insert(i);
    for (std::int64_t j = 0; j < m; ++j) {
      touched.read["x"].insert(j);
      touched.read["A"].insert(by_rows ? i * m + j : j * n + i);
    }
  }
  touched.written["result"].insert(0);
  return touched;
}

Touched touched_by_transpose(const Subject& subject, Tile tile, int tile_rows) {
  const auto rows = number(subject, "rows");
  const auto columns = number(subject, "columns");
  Touched touched;
  for (std::int64_t row = tile[1] * tile_rows; row < (tile[1] + 1) * tile_rows; ++row) {
    for (std::int64_t column = tile[0] * 32; column < (tile[0] + 1) * 32; ++column) {
      if (row >= rows || column >= columns) continue;
      touched.read["input"].insert(row * columns + column);
      touched.written["output"].insert(column * rows + row);
    }
  }
  return touched;
}

Touched touched_by_stencil(const Subject& subject, Tile tile) {
  const auto rows = number(subject, "rows");
  const auto columns = number(subject, "columns");
  Touched touched;
  for (std::int64_t row = tile[1] * 4; row < tile[1] * 4 + 4; ++row) {
    for (std::int64_t column = tile[0] * 64; column < tile[0] * 64 + 64; ++column) {
      if (row >= rows || column >= columns) continue;
      touched.written["output"].insert(row * columns + column);
      for (std::int64_t r = row - 1; r <= row + 1; ++r)
        for (std::int64_t c = column - 1; c <= column + 1; ++c)
          if ((r == row || c == column) && r >= 0 && r < rows && c >= 0 && c < columns)
            touched.read["input"].insert(r * columns + c);
    }
  }
  return touched;
}

Touched touched_by_sgemm(const Subject& subject, Tile tile) {
  const auto M = number(subject, "M");
  const auto N = number(subject, "N");
  const auto K = number(subject, "K");
  Touched touched;
  for (std::int64_t row = tile[1] * 32; row < tile[1] * 32 + 32 && row < M; ++row) {
    for (std::int64_t k = 0; k < K; ++k) touched.read["A"].insert(row * K + k);
    for (std::int64_t column = tile[0] * 32; column < tile[0] * 32 + 32 && column < N; ++column)
      touched.written["C"].insert(row * N + column);
  }
  for (std::int64_t column = tile[0] * 32; column < tile[0] * 32 + 32 && column < N; ++column)
    for (std::int64_t k = 0; k < K; ++k) touched.read["B"].insert(k * N + column);
  return touched;
}

std::vector<Example> examples() {
  return {
      {"yax_slow",
       {{"n=200", "m=37"}, {"n=63", "m=1"}, {"n=700", "m=5"}},
       7,
       "result",
       1e-12,
       [](const Subject& s, const auto& in) {
         return yax_by_columns_reference(in("y"), in("A"), in("x"), scalar(s, "n"), scalar(s, "m"));
       },
       [](const Subject& s, Tile tile) { return touched_by_yax(s, tile, false); },
       true},
      {"yax_fast",
       {{"n=9", "m=200"}, {"n=13", "m=63"}},
       5,
       "result",
       1e-12,
       [](const Subject& s, const auto& in) {
         return yax_by_rows_reference(in("y"), in("A"), in("x"), scalar(s, "n"), scalar(s, "m"));
       },
       [](const Subject& s, Tile tile) { return touched_by_yax(s, tile, true); },
       true},
      {"transpose_naive",
       {{"rows=20", "columns=70"}, {"rows=33", "columns=1"}},
       0,
       "output",
       0,
       [](const Subject& s, const auto& in) {
         return transpose_reference(in("input"), scalar(s, "rows"), scalar(s, "columns"));
       },
       [](const Subject& s, Tile tile) { return touched_by_transpose(s, tile, 8); }},
      {"transpose_shared",
       {{"rows=45", "columns=70"}, {"rows=64", "columns=31"}},
       0,
       "output",
       0,
       [](const Subject& s, const auto& in) {
         return transpose_reference(in("input"), scalar(s, "rows"), scalar(s, "columns"));
       },
       [](const Subject& s, Tile tile) { return touched_by_transpose(s, tile, 32); }},
      {"sgemm_tiled",
       {{"M=40", "N=33", "K=50"}, {"M=64", "N=64", "K=31"}},
       0,
       "C",
       1e-5,
       [](const Subject& s, const auto& in) {
         return sgemm_reference(in("A"), in("B"), scalar(s, "M"), scalar(s, "N"), scalar(s, "K"));
       },
       touched_by_sgemm},
      {"reduction",
       {{"count=5003"}, {"count=3"}},
       3,
       "total",
       1e-5,
       [](const Subject& s, const auto& in) {
         return reduction_reference(in("input"), scalar(s, "count"));
       },
       {},
       true},
      {"stencil_2d_hip",
       {{"rows=10", "columns=130"}, {"rows=1", "columns=65"}},
       0,
       "output",
       1e-5,
       [](const Subject& s, const auto& in) {
         return stencil_2d_reference(in("input"), scalar(s, "rows"), scalar(s, "columns"));
       },
       touched_by_stencil},
      {"spmv_csr",
       {{"rows=70", "DENSITY=0.3"}, {"rows=256", "DENSITY=0.02"}},
       0,
       "y",
       1e-5,
       [](const Subject& s, const auto& in) {
         // Offsets and columns are whole numbers whatever is asked for.
         return spmv_csr_reference(s.before("offsets"), s.before("columns"), in("values"), in("x"),
                                   scalar(s, "rows"));
       },
       {}},
      {"histogram_shared",
       {{"count=2003"}, {"count=4096"}},
       3,
       "counts",
       0,
       [](const Subject& s, const auto& in) {
         return histogram_reference(in("input"), scalar(s, "count"), 256);
       },
       {},
       true},
  };
}

class CxxExample : public testing::TestWithParam<Example> {
 protected:
  static void check_results(const Example& one, const Subject& subject) {
    const Numbers expected =
        one.reference(subject, [&](const std::string& name) { return subject.before(name); });
    const Numbers scale = one.reference(subject, [&](const std::string& name) {
      Numbers numbers = subject.before(name);
      for (double& number : numbers) number = std::fabs(number);
      return numbers;
    });
    const auto results = subject.run();
    ASSERT_EQ(results.size(), 1U) << "only the output changes";
    const Numbers& found = results.at(one.output);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      ASSERT_LE(std::fabs(found[k] - expected[k]), one.tolerance * scale[k]) << "element " << k;
  }

  static Touched touched_in(const std::vector<Instruction>& stream, const Subject& subject) {
    Touched touched;
    for (const Instruction& one : stream) {
      const int width =
          config::byte_width(subject.launch.tensors[subject.index_of(one.tensor)].dtype);
      auto& elements = one.kind == kernel::MemoryKind::read ? touched.read[one.tensor]
                                                            : touched.written[one.tensor];
      for (const auto& [thread, byte] : one.at)
        for (int more = 0; more < one.bytes; more += width) elements.insert((byte + more) / width);
    }
    return touched;
  }

  /// Forward, backward, and each tile twice: always the same stream.
  static void check_traces(const Example& one, const Subject& subject) {
    const std::int64_t tiles = subject.launch.grid.count();
    trace::Tracer tracer(*subject.program, subject.launch, {});
    std::vector<std::vector<Instruction>> streams;
    for (std::int64_t id = 0; id < tiles; ++id) {
      const Tile tile = block_of(subject.launch.grid, LaunchId{id});
      streams.push_back(subject.trace(tracer, tile));
      if (!one.touched) continue;
      ASSERT_EQ(touched_in(streams.back(), subject), one.touched(subject, tile)) << "tile " << id;
    }
    for (std::int64_t id = tiles; id-- > 0;) {
      const Tile tile = block_of(subject.launch.grid, LaunchId{id});
      for (int again = 0; again < 2; ++again)
        ASSERT_EQ(subject.trace(tracer, tile), streams[static_cast<std::size_t>(id)]);
    }
    EXPECT_TRUE(tracer.faults().empty());
  }

  static void check_independence(const Example& one, const Subject& subject) {
    IndependenceReport report;
    const auto independent = trace::find_independence(*subject.program, subject.launch, {}, report);
    EXPECT_EQ(report.verdict, Verdict::proved) << report.reason;
    ASSERT_TRUE(independent.has_value());
    EXPECT_EQ(report.commuting.has_value(), one.commutes);
    EXPECT_EQ(independent->rounding_may_differ(), one.commutes && one.tolerance > 0);
  }
};

TEST_P(CxxExample, ComputesAndTouchesWhatItShould) {
  HEDDLE_NEED_CLANG();
  const Example& one = GetParam();
  const Subject first = load(example(one.name), one.sizes.front());
  for (const auto& sizes : one.sizes) {
    SCOPED_TRACE(testing::PrintToString(sizes));
    Subject subject = with_sizes(first, example(one.name), sizes);
    if (one.grid > 0) subject.launch.grid = Grid({one.grid});
    check_results(one, subject);
    check_traces(one, subject);
    if (&sizes == &one.sizes.front()) check_independence(one, subject);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CxxExample, testing::ValuesIn(examples()),
                         [](const auto& one) { return one.param.name; });

TEST(CxxKernels, AWriteOfATileIsUndone) {
  HEDDLE_NEED_CLANG();
  const Folder folder;
  // Each address depends on what was written before: of every width, by stores, atomics and copies.
  const Subject subject = folder.load("undo.hip", R"(
struct Three { int a, b, c; };
__global__ void undo(int* x, long long* wide, float4* four, Three* threes) {
  const int t = threadIdx.x;
  const int old = atomicAdd(&x[0], 1);
  x[8 + (old + t) % 8] = 1;
  wide[wide[0] % 8] = 5;
  wide[0] += 3;
  four[static_cast<int>(four[0].x) % 8] = make_float4(1, 2, 3, 4);
  four[0].x += 1;
  threes[1 + threes[0].a % 4] = threes[0];
  threes[0].a += 1;
  unsigned char* bytes = reinterpret_cast<unsigned char*>(x + 16);
  bytes[bytes[0] % 16] = 9;
  bytes[0] += 1;
}
)",
                                      R"(grid = [2]
[tensors.x]
dtype = "int32"
shape = [64]
contents = "zeros"
[tensors.wide]
dtype = "int64"
shape = [64]
contents = "zeros"
[tensors.four]
dtype = "fp32"
shape = [64]
contents = "zeros"
[tensors.threes]
dtype = "int32"
shape = [64]
contents = "zeros"
[launch]
threads = 4
)");
  trace::Tracer tracer(*subject.program, subject.launch, {});
  const auto first = subject.trace(tracer, {0, 0, 0});
  EXPECT_GT(first.size(), 10U);
  for (const std::int64_t tile : {1, 0, 0, 1})
    EXPECT_EQ(subject.trace(tracer, {tile, 0, 0}), first);
}

constexpr const char* kSelfCheckJob = R"toml(grid = [1]
[tensors.failures]
dtype = "int32"
shape = [128]
contents = "constant(-1)"
[tensors.sums]
dtype = "int32"
shape = [4]
contents = "zeros"
[launch]
threads = 128
)toml";

/// The matrix instructions of both vendors, inline assembly, copies and the blocks of libraries.
TEST(CxxKernels, DeviceLibrariesComputeWhatPlainLoopsDo) {
  HEDDLE_NEED_CLANG();
  std::string job = kSelfCheckJob;
  job.replace(job.find("[4]"), 3, "[64]");
  const Folder folder;
  for (const char* const name : {"matrix_check.cu", "mfma_check.hip", "buffer_check.hip",
                                 "random_check.cu", "rocprim_check.hip"}) {
    SCOPED_TRACE(name);
    std::ifstream file(fmt::format("{}/device/{}", HEDDLE_TESTS_DIR, name));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto results = folder.load(name, text, job).run();
    EXPECT_EQ(results.at("failures"), Numbers(128, 0)) << "numbers are lines of " << name;
    if (name != std::string_view("buffer_check.hip")) continue;
    for (std::size_t i = 0; i < 64; ++i)
      EXPECT_EQ(results.at("sums")[i], i < 48 ? 7.0 + double(i) : 3.0 * double(i)) << i;
  }
}

TEST(CxxKernels, TheDeviceHeadersComputeWhatTheyShould) {
  HEDDLE_NEED_CLANG();
  std::ifstream file(std::string(HEDDLE_TESTS_DIR) + "/device/self_check.hip");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const Folder folder;
  for (const char* const name : {"self_check.hip", "self_check.cu"}) {
    SCOPED_TRACE(name);
    const auto results = folder.load(name, text, kSelfCheckJob).run();
    EXPECT_EQ(results.at("sums"), (Numbers{128, -256, -127, 0}));
    EXPECT_EQ(results.at("failures"), Numbers(128, 0)) << "numbers are lines of self_check.hip";
  }
}

}  // namespace
}  // namespace heddle::test
