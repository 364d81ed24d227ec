// bundle.txt, as it should be and as a stranger might write it.
#include "agent/program/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "agent/program/failure.h"

namespace heddle::agent {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "heddle-bundle 1\n# a comment\n\njob examples/add.toml of mine\ngpu h200\nlanguage cuda\n"
    "function ns::scale<float, 4>\ndefine BINS=256\ndefine FAST\nseeds 1 2 18446744073709551615\n"
    "limit_s 60\nrounds 40\nbudget_s 120\ncandidate 0 kernels/0.cu identity\n"
    "candidate 1 kernels/1.cu group(8) | xcd(8)\n";
constexpr const char* kLaunchLines =
    "launch main\ngrid 256 32 1\nthreads 64 2 1\nshared_bytes 1024\nwarps 8\nstages 2\n"
    "tensor a fp16 32 read random\nshape a 4 4\nstrides a 4 1\nblock a 2 2\n"
    "tensor b int32 16 write uniform -3 5\ntensor d fp32 4 read normal\n"
    "tensor e fp64 8 update constant 2.5\ntensor f bool 3 read zeros\ntensor g uint8 4 read range\n"
    "tensor h int64 8 read file data/h.bin\ntensor i int64 16 read addresses a b\n"
    "argument a tensor a\nargument n int32 -5\nargument scale fp32 0.125\nargument bias none\n"
    "argument big uint64 18446744073709551615\n"
    "constexpr BLOCK int 128\nconstexpr EPSILON float 1e-5\nconstexpr CAUSAL bool True\n"
    "constexpr ACTIVATION text leaky relu\nconstexpr MASK none\nend\n";

std::string problem_of(const std::string& text) {
  try {
    parse_bundle(text);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), kUsage);
    EXPECT_FALSE(failure.attempt().empty());
    return failure.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(BundleText, every_statement_is_read) {
  const Bundle bundle = parse_bundle(std::string(kHead) + kLaunchLines);
  EXPECT_EQ(bundle.job, "examples/add.toml of mine");
  EXPECT_EQ(bundle.gpu, "h200");
  EXPECT_EQ(bundle.language, Language::cuda);
  EXPECT_EQ(bundle.function, "ns::scale<float, 4>");
  EXPECT_EQ(bundle.defines, (std::vector<std::string>{"BINS=256", "FAST"}));
  EXPECT_EQ(bundle.seeds, (std::vector<std::uint64_t>{1, 2, 18446744073709551615U}));
  EXPECT_EQ(bundle.limit_s, 60U);
  EXPECT_EQ(bundle.rounds, 40U);
  EXPECT_EQ(bundle.budget_s, 120U);
  ASSERT_EQ(bundle.candidates.size(), 2U);
  EXPECT_EQ(bundle.candidates[1].path, "kernels/1.cu");
  EXPECT_EQ(bundle.candidates[1].title, "group(8) | xcd(8)");
  ASSERT_EQ(bundle.launches.size(), 1U);
  const Launch& launch = bundle.launches[0];
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{256, 32, 1}));
  EXPECT_EQ(launch.threads, (std::array<std::uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(launch.shared_bytes, 1024U);
  ASSERT_EQ(launch.tensors.size(), 8U);
  EXPECT_EQ(launch.tensors[0].strides, (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(launch.tensors[0].block, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(launch.tensors[1].contents.low, -3);
  EXPECT_EQ(launch.tensors[1].contents.high, 5);
  EXPECT_EQ(launch.tensors[3].contents.low, 2.5);
  EXPECT_EQ(launch.tensors[6].contents.path, "data/h.bin");
  EXPECT_EQ(launch.tensors[7].contents.tensors, (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(launch.arguments.size(), 5U);
  std::int32_t number = 0;
  std::memcpy(&number, launch.arguments[1].bytes.data(), 4);
  EXPECT_EQ(number, -5);
  EXPECT_EQ(launch.arguments[1].size, 4U);
  EXPECT_EQ(launch.arguments[3].kind, ArgumentKind::none);
  EXPECT_EQ(launch.constants, 5U);
}

TEST(BundleText, lean_ones_count_three) {
  const auto with = [](const std::string& statements, int more = 0) {
    std::string head = kHead + statements;
    for (int i = 0; i < more; ++i)
      head += "candidate " + std::to_string(i + 2) + " kernels/0.cu x\n";
    return parse_bundle(head + kLaunchLines);
  };
  using Numbers = std::vector<std::size_t>;
  EXPECT_FALSE(with("").lean);
  EXPECT_EQ(with("", 2).counters, (Numbers{0, 1, 2, 3}));
  EXPECT_TRUE(with("mode lean\n").lean);
  EXPECT_EQ(with("mode lean\n").counters, (Numbers{0, 1}));
  EXPECT_EQ(with("mode lean\n", 5).counters, (Numbers{0, 3, 6}));
  EXPECT_EQ(with("mode full\ncounters 1\n").counters, (Numbers{1}));
  EXPECT_THAT(problem_of(std::string(kHead) + "mode quick\n" + kLaunchLines),
              HasSubstr("unknown mode 'quick'"));
  EXPECT_THAT(problem_of(std::string(kHead) + "counters 2\n" + kLaunchLines),
              HasSubstr("counters of candidate 2"));
  EXPECT_THAT(problem_of(std::string(kHead) + "counters all\n" + kLaunchLines),
              HasSubstr("'all' is not a candidate"));
}

TEST(BundleText, names_of_kernels) {
  EXPECT_EQ(base_name("add"), "add");
  EXPECT_EQ(base_name("ns::scale<float, other<4>>"), "scale");
  EXPECT_EQ(base_name("a b"), "");
}

TEST(BundleText, what_is_missing_is_named) {
  const std::string text = std::string(kHead) + kLaunchLines;
  for (const char* line : {"language cuda\n", "function ns::scale<float, 4>\n", "limit_s 60\n",
                           "rounds 40\n", "budget_s 120\n"}) {
    const std::string word(line, std::strchr(line, ' '));
    EXPECT_THAT(problem_of(replaced(text, line, "")), HasSubstr("the bundle has no " + word));
  }
  EXPECT_THAT(problem_of(kHead), HasSubstr("has no launch"));
  EXPECT_THAT(problem_of(""), HasSubstr("it is empty"));
  EXPECT_THAT(problem_of(replaced(text, "grid 256 32 1\n", "")), HasSubstr("has no grid"));
  EXPECT_THAT(problem_of(replaced(text, "threads 64 2 1\n", "")), HasSubstr("has no threads"));
  EXPECT_THAT(problem_of(replaced(text, "none\nend\n", "none\n")), HasSubstr("has no 'end'"));
}

TEST(BundleText, errors_have_a_line) {
  EXPECT_THAT(problem_of("heddle-bundle 2\n"), HasSubstr("line 1: a bundle begins with"));
  EXPECT_THAT(problem_of("heddle-bundle 1\n\n# x\nlanguage opencl\n"),
              HasSubstr("bundle.txt, line 4: unknown language 'opencl'"));
}

struct Hostile {
  const char* from;
  const char* to;
  const char* problem;
};

TEST(BundleText, bounds_and_forms) {
  const Hostile cases[] = {
      {"seeds 1 2", "seeds 1 1", "stands there twice"},
      {"seeds 1 2", "seeds 1  2", "is not a seed"},
      {"seeds 1 2", "seeds -1 2", "is not a seed"},
      {"limit_s 60", "limit_s 0", "not in range"},
      {"limit_s 60", "limit_s 99999999999999999999", "not in range"},
      {"rounds 40", "rounds 40.5", "not in range"},
      {"rounds 40", "rounds +40", "not in range"},
      {"rounds 40", "rounds", "says nothing"},
      {"candidate 1", "candidate 2", "out of turn"},
      {"candidate 1 kernels/1.cu", "candidate 1 ../1.cu", "leads out of the bundle"},
      {"candidate 1 kernels/1.cu", "candidate 1 kernels/../../1.cu", "leads out of the bundle"},
      {"candidate 1 kernels/1.cu", "candidate 1 /etc/passwd", "leads out of the bundle"},
      {"define FAST", "define -fplugin=x", "is not a macro"},
      {"function ns::scale<float, 4>", "function a;b", "not the name of a kernel"},
      {"grid 256 32 1", "grid 256 0 1", "not in range"},
      {"grid 256 32 1", "grid 2147483648 1 1", "not in range"},
      {"grid 256 32 1", "grid 256 32", "three numbers"},
      {"threads 64 2 1", "threads 64 64 1", "at most 1024 threads"},
      {"shared_bytes 1024", "shared_bytes 4294967296", "not in range"},
      {"tensor a fp16 32", "tensor a fp16 33", "not a whole number of elements"},
      {"tensor a fp16 32", "tensor a fp16 0", "bytes"},
      {"tensor a fp16 32", "tensor a fp16 1099511627778", "bytes"},
      {"tensor a fp16 32", "tensor a fp17 32", "unknown type 'fp17'"},
      {"32 read random", "32 borrow random", "unknown use"},
      {"32 read random", "32 read anything", "unknown contents"},
      {"32 read random", "32 read random 3", "with 1 words"},
      {"uniform -3 5", "uniform 5 -3", "from more to less"},
      {"uniform -3 5", "uniform nan 5", "bounds of uniform"},
      {"uniform -3 5", "uniform -3 inf", "bounds of uniform"},
      {"file data/h.bin", "file data/../../h", "leads out of the bundle"},
      {"tensor i int64 16 read addresses a b", "tensor i int64 8 read addresses a b",
       "8 bytes each"},
      {"addresses a b", "addresses a z", "no tensor 'z'"},
      {"tensor b int32", "tensor a int32", "two tensors 'a'"},
      {"strides a 4 1", "strides a 4", "2 sizes and 1 strides"},
      {"shape a 4 4", "shape a 4 -4", "along an axis"},
      {"shape a 4 4", "shape z 4 4", "no tensor 'z'"},
      {"shape a 4 4", "shape a 1 2 3 4 5 6 7 8 9", "1 to 8 axes"},
      {"argument n int32 -5", "argument n int32 2147483648", "is not of type int32"},
      {"argument n int32 -5", "argument n uint8 -5", "is not of type uint8"},
      {"argument n int32 -5", "argument n fp32 five", "is not of type fp32"},
      {"argument n int32 -5", "argument n int32", "an argument is"},
      {"argument a tensor a", "argument a tensor z", "no tensor 'z'"},
      {"constexpr BLOCK int 128", "constexpr BLOCK int x", "its kind is"},
      {"constexpr BLOCK int 128", "constexpr BLOCK", "constexpr has a name"},
      {"launch main", "launch a,b", "is not a name"},
      {"launch main", "end", "outside a launch"},
      {"warps 8", "seeds 8", "within a launch"},
      {"warps 8", "wraps 8", "unknown statement 'wraps'"}};
  const std::string text = std::string(kHead) + kLaunchLines;
  for (const Hostile& hostile : cases) {
    const std::string problem = problem_of(replaced(text, hostile.from, hostile.to));
    EXPECT_THAT(problem, testing::StartsWith("bundle.txt, line ")) << hostile.to;
    const bool tells = problem.find(hostile.problem) != std::string::npos ||
                       std::strncmp(hostile.problem, "its kind", 8) == 0;
    EXPECT_TRUE(tells) << hostile.to << ": " << problem;
  }
}

TEST(BundleText, lists_and_lines_have_a_longest_length) {
  std::string many(kHead);
  for (int i = 2; i < 1200; ++i) many += "candidate " + std::to_string(i) + " k.cu t\n";
  EXPECT_THAT(problem_of(many), HasSubstr("more than 1000 candidates"));
  EXPECT_THAT(problem_of("heddle-bundle 1\njob " + std::string(70'000, 'x')),
              HasSubstr("longer than 64 KiB"));
  EXPECT_THAT(problem_of("heddle-bundle 1\njob " + std::string("a\0b", 3)),
              HasSubstr("a zero byte"));
  EXPECT_THAT(problem_of(std::string(std::size_t{17} << 20, '\n')),
              HasSubstr("larger than 16 MiB"));
  std::string launches(kHead);
  for (int i = 0; i < 70; ++i)
    launches += "launch l" + std::to_string(i) + "\ngrid 1 1 1\nthreads 1 1 1\nend\n";
  EXPECT_THAT(problem_of(launches), HasSubstr("more than 64 launches"));
}

class BundleFolder : public testing::Test {
 protected:
  BundleFolder() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/kernels");
    std::filesystem::create_directories(folder_ + "/data");
    for (const char* name : {"kernels/0.cu", "kernels/1.cu"}) write(name, "x");
    write("data/h.bin", "12345678");
    write("bundle.txt", std::string(kHead) + kLaunchLines);
  }
  ~BundleFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string problem() const {
    try {
      read_bundle(folder_);
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "";
  }

  std::string folder_ = std::string(HEDDLE_WORK_DIR) + "/agent_bundle_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(BundleFolder, is_read_with_its_files) {
  EXPECT_EQ(problem(), "");
}

TEST_F(BundleFolder, files_must_be_there_and_inside) {
  std::filesystem::remove(folder_ + "/kernels/1.cu");
  EXPECT_THAT(problem(), HasSubstr("kernels/1.cu cannot be read: No such file"));
  std::filesystem::create_directory(folder_ + "/kernels/1.cu");
  EXPECT_THAT(problem(), HasSubstr("is not a plain file"));
  std::filesystem::remove(folder_ + "/kernels/1.cu");
  std::filesystem::create_symlink("0.cu", folder_ + "/kernels/1.cu");
  EXPECT_EQ(problem(), "");
  std::filesystem::remove(folder_ + "/kernels/1.cu");
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/kernels/1.cu");
  EXPECT_THAT(problem(), HasSubstr("is not a plain file inside it"));
}

TEST_F(BundleFolder, contents_have_the_size_of_their_tensor) {
  write("data/h.bin", "123456789");
  EXPECT_THAT(problem(), HasSubstr("tensor h has 8 bytes, its file data/h.bin has 9"));
}

}  // namespace
}  // namespace heddle::agent
