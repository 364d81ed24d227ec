// What kernels may read while they are compiled, and what compiling and running leaves behind.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "subject.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kJob = R"(grid = [4]
[tensors.x]
dtype = "fp32"
shape = [4096]
[scalars]
n = 3
[launch]
threads = 32
)";

std::string kernel(const std::string& body, const std::string& before = "") {
  return before + "__global__ void k(float* x, int n) {\n" + body + "\n  x[threadIdx.x] = 1;\n}\n";
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_NEED_CLANG();
    temporary_ = folder_.path() + "/temporary";
    kernels_ = folder_.path() + "/kernels";
    fs::create_directory(temporary_);
    fs::create_directory(kernels_);
    fs::create_directory(kernels_ + "/.git");  // a repository of its own
    setenv("TMPDIR", temporary_.c_str(), 1);
    folder_.write("secret.h", "zebra_token { secret_number_4711\n");
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    if (IsSkipped()) return;
    EXPECT_TRUE(fs::is_empty(temporary_)) << "something is left behind";
  }

  Subject load(const std::string& source) {
    const std::string name = "kernels/k" + std::to_string(number_++) + ".hip";
    folder_.write(name, source);
    return test::load(
        folder_.write(name + ".toml",
                      "kernel = \"" + fs::path(name).filename().string() + "\"\n" + kJob),
        {});
  }
  std::string refused(const std::string& source) {
    return error_of([&] { load(source); }).full_text();
  }
  std::string traced_error(const std::string& source) {
    const Subject subject = load(source);
    return error_of([&] { subject.trace({0, 0, 0}); }).full_text();
  }

  Folder folder_;
  std::string temporary_;
  std::string kernels_;
  int number_ = 0;
};

TEST_F(Files, HeadersOutsideAreNotRead) {
  const std::string secret = folder_.path() + "/secret.h";
  const auto quiet = AllOf(Not(HasSubstr("zebra")), Not(HasSubstr("4711")));
  for (const std::string& include :
       {"#include \"" + secret + "\"\n", std::string("#include \"../secret.h\"\n"),
        std::string("#include <../secret.h>\n"),
        "#define FILE \"" + secret + "\"\n#include FILE\n"})
    EXPECT_THAT(refused(kernel("", include)), AllOf(quiet, HasSubstr("outside its folder")))
        << include;
  EXPECT_THAT(refused(kernel("", "#include \"/etc/passwd\"\n")),
              AllOf(HasSubstr("'/etc/passwd', which is outside"), Not(HasSubstr("root"))));
  // By a link that lies beside the kernel.
  fs::create_symlink(secret, kernels_ + "/innocent.h");
  EXPECT_THAT(refused(kernel("", "#include \"innocent.h\"\n")), quiet);
  fs::create_directory_symlink(folder_.path(), kernels_ + "/up");
  EXPECT_THAT(refused(kernel("", "#include \"up/secret.h\"\n")), quiet);
}

TEST_F(Files, FilesOutsideCannotBeProbed) {
  const std::string secret = folder_.path() + "/secret.h";
  for (const std::string& name : {secret, std::string("../secret.h"), std::string("/etc/passwd")}) {
    EXPECT_NO_THROW(load(kernel("", "#if __has_include(\"" + name + "\")\n#error seen\n#endif\n")))
        << name;
    EXPECT_NO_THROW(load(kernel("", "#if __has_embed(\"" + name + "\")\n#error seen\n#endif\n")))
        << name;
  }
  EXPECT_THAT(refused(kernel("", "__device__ const unsigned char data[] = {\n#embed \"" + secret +
                                     "\"\n};\n")),
              HasSubstr("outside its folder"));
}

TEST_F(Files, FunctionsOfOtherFilesAreNamed) {
  Subject subject = load(kernel("x[1] = other(n);", "__device__ float other(int);\n"));
  const Error error = error_of([&] {
    trace::Tracer tracer(*subject.program, subject.launch, {});
    subject.trace(tracer, {0, 0, 0});
  });
  EXPECT_THAT(error.message(), HasSubstr("the kernel uses 'other(int)', and no file"));
  EXPECT_THAT(error.hint(), HasSubstr("include the file that defines it"));
}

TEST_F(Files, HeadersOfTheKernelAreRead) {
  fs::create_directory(kernels_ + "/inner");
  folder_.write("kernels/outer.h", "#pragma once\n#include <cmath>\nconstexpr float kOuter = 2;\n");
  folder_.write("kernels/inner/more.h",
                "#include \"../outer.h\"\nconstexpr float kMore = kOuter;\n");
  const Subject subject = load(
      kernel("x[n] = kMore + sqrtf(n);", "#include \"inner/more.h\"\n#include <cublas_v2.h>\n"));
  EXPECT_EQ(subject.trace({0, 0, 0}).size(), 2U);
}

TEST_F(Files, HugeVariablesLeaveNothing) {
  constexpr const char* kWords = "variables take more than 512 MiB";
  EXPECT_THAT(refused(kernel("x[n] = huge[n];", "__device__ int huge[3ull << 28] = {1};\n")),
              HasSubstr(kWords));
  EXPECT_THAT(refused(kernel("x[n] = huge[n];", "__device__ char huge[5ull << 30];\n")),
              HasSubstr(kWords));
  EXPECT_THAT(refused(kernel("x[n] = a[n] + b[n];",
                             "struct Part { char c[300 << 20]; };\n__device__ Part a_{1}, b_{2};\n"
                             "#define a a_.c\n#define b b_.c\n")),
              HasSubstr(kWords));
}

TEST_F(Files, LargeStackVariables) {
  for (const char* const body :
       {"volatile char big[1 << 20]; big[0] = 1; big[(1 << 20) - n] = n;",
        "volatile int big[300000]; big[n] = 1; x[n] = big[299999 - n];",
        "volatile char* big = (volatile char*)__builtin_alloca(n << 18); big[0] = 1; big[n] = 2;"})
    EXPECT_THAT(traced_error(kernel(body)), HasSubstr("needs more than 256 KiB")) << body;
}

TEST_F(Files, StandardInputIsNotRead) {
  EXPECT_THAT(
      traced_error(kernel("char c[8]; x[n] = read(0, c, 8);",
                          "extern \"C\" __device__ long read(int, void*, unsigned long);\n")),
      HasSubstr("asked the operating system for 'read'"));
  EXPECT_THAT(traced_error(kernel("x[n] = getchar();", "extern \"C\" __device__ int getchar();\n")),
              HasSubstr("the sandbox refused"));
}

/// The runner that a process has started; 0 if there is none.
pid_t runner_of(pid_t parent) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    int id = 0;
    std::string name;
    char state = 0;
    int its_parent = 0;
    if (!(file >> id >> name >> state >> its_parent) || its_parent != parent) continue;
    std::string command;
    std::getline(std::ifstream(entry.path() / "cmdline"), command, '\0');
    if (command == "heddle-runner") return id;
  }
  return 0;
}

template <class Condition>
bool comes_true(Condition condition) {
  for (int tries = 0; tries < 600; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST_F(Files, AKilledRunLeavesNoProcessAndItsFolderGoes) {
  const pid_t process = fork();
  if (process == 0) {
    try {
      const Subject subject = load(kernel("for (volatile int k = 0;; k = k + 1) {}"));
      subject.trace({0, 0, 0});
    } catch (const Error&) {
    }
    _exit(0);
  }
  pid_t runner = 0;
  ASSERT_TRUE(comes_true([&] { return (runner = runner_of(process)) != 0; }));
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  EXPECT_TRUE(comes_true([&] {
    std::ifstream file("/proc/" + std::to_string(runner) + "/stat");
    std::string id, name, state;
    return !(file >> id >> name >> state) || state == "Z";
  }));
  EXPECT_FALSE(fs::is_empty(temporary_));
  // Folders of others, and those that somebody still uses, stay.
  fs::create_directory(temporary_ + "/heddle-run-mine");
  fs::create_directory(temporary_ + "/heddle-run-7-abcdefg");
  {
    const Subject first = load(kernel(""));
    const Subject second = load(kernel(""));
    EXPECT_EQ(std::distance(fs::directory_iterator(temporary_), fs::directory_iterator()), 5)
        << "two places and their headers";
    EXPECT_EQ(first.trace({0, 0, 0}).size(), 1U);
  }
  EXPECT_EQ(fs::remove(temporary_ + "/heddle-run-mine"), true);
  EXPECT_EQ(fs::remove(temporary_ + "/heddle-run-7-abcdefg"), true);
}

}  // namespace
}  // namespace heddle::test
