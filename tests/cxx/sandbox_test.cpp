// Kernels that do what no kernel may: each ends in an Error with its reason, and nothing happens.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/protocol.h"
#include "subject.h"
#include "trace/native/session.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

constexpr const char* kSandboxJob = R"(grid = [8]
[tensors.x]
dtype = "int32"
shape = [1000]
contents = "zeros"
[tensors.text]
dtype = "int8"
shape = [4096]
contents = "zeros"
[scalars]
mode = 0
bad = 0
number = 0
a = 0
b = 0
c = 0
d = 0
[launch]
threads = 4
)";

// One tile is bad. Mode 0 makes a system call; an argument of -77 is a pointer to the
// text "heddle_forbidden".
constexpr const char* kSandboxKernel = R"(#include <hip/hip_runtime.h>
extern "C" __device__ long syscall(long, ...);
extern "C" __device__ void* malloc(unsigned long);
extern "C" __device__ void _exit(int);
extern "C" __device__ void exit(int);
__device__ __attribute__((noinline)) int deeper(volatile int* x, int depth) {
  volatile int room[64];
  room[depth & 63] = depth;
  return deeper(x, depth + 1) + room[depth & 31];
}
__global__ void forbidden(int* x, signed char* text, int mode, int bad, long long number,
                          long long a, long long b, long long c, long long d) {
  const int t = threadIdx.x;
  x[t] = 1;
  if (blockIdx.x != bad) return;
  volatile int* y = x;
  switch (mode) {
    case 0: {
      const char name[] = "heddle_forbidden";
      for (int k = 0; k < 17; ++k) text[k] = name[k];
      const long long at = reinterpret_cast<long long>(text);
      syscall(number, a == -77 ? at : a, b == -77 ? at : b, c == -77 ? at : c, d == -77 ? at : d);
      break;
    }
    case 1: _exit(0);
    case 2: exit(0);
    case 3: for (volatile int k = 0;; k = k + 1) {}
    case 4: for (;;) y[t] = y[t] + 1;
    case 5: y[t] = deeper(y, 0); break;
    case 6: {
      volatile char* huge = static_cast<volatile char*>(malloc(100ull << 30));
      huge[0] = 1;  // LINE huge
      break;
    }
    case 7: for (;;) *static_cast<volatile char*>(malloc(1 << 20)) = 1;
    case 8: *reinterpret_cast<volatile int*>(a) = 1; break;  // LINE wild
    case 9: y[a] = y[a] + 1; break;                          // LINE beyond
    case 10: y[t] = 7 / static_cast<int>(a); break;
    case 11: __trap(); break;
    case 12: assert(a == 99); break;
    case 13: __builtin_trap(); break;
    case 14:
      if (t < 2) { __syncthreads(); y[t] = 5; } else { __syncthreads(); y[t] = 6; }
      break;
    case 15: for (long long k = 0; k < a; ++k) y[t] = 1; break;
    case 16: for (long long k = 0; k < a; ++k) number += y[k & 511]; y[t] = number; break;
    case 17: {  // says what is in the text itself
      for (int k = 0; k < 64; ++k) {
        const long long word = k < 8 ? number : k < 16 ? a : b;
        text[k] = static_cast<signed char>(k < 16 ? word >> 8 * (k % 8) : word);
      }
      for (;;) syscall(c, 1, text, 64);
    }
    case 18: if (t == 0) __shfl_sync(2ull, 1, 0); break;
  }
}
)";

int line_with(const std::string& words) {
  const std::string text = kSandboxKernel;
  const std::size_t at = text.find(words);
  EXPECT_NE(at, std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_NEED_CLANG();
    temporary_ = folder_.path() + "/temporary";
    std::filesystem::create_directory(temporary_);
    setenv("TMPDIR", temporary_.c_str(), 1);
  }
  /// Nothing is left behind: no files, no processes.
  void TearDown() override {
    unsetenv("TMPDIR");
    if (IsSkipped()) return;
    subject_ = {};
    EXPECT_TRUE(std::filesystem::is_empty(temporary_));
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  }

  Subject& forbidden() {
    if (subject_.program == nullptr)
      subject_ = folder_.load("forbidden.hip", kSandboxKernel, kSandboxJob);
    return subject_;
  }

  /// The Error of tile 0, after which the same tracer traces a good tile.
  Error refused(int mode) {
    subject_.set("mode", mode);
    trace::TraceOptions options;
    options.limits.steps = 20'000;
    trace::Tracer tracer(*subject_.program, subject_.launch, options);
    const Error error = error_of([&] { subject_.trace(tracer, {0, 0, 0}); });
    EXPECT_NE(error.source(), "") << error.full_text();
    EXPECT_EQ(subject_.trace(tracer, {3, 0, 0}).size(), 1U);
    return error;
  }

  Error refused_call(long number, std::int64_t a = 0, std::int64_t b = 0, std::int64_t c = 0,
                     std::int64_t d = 0) {
    subject_.set("number", number);
    subject_.set("a", a);
    subject_.set("b", b);
    subject_.set("c", c);
    subject_.set("d", d);
    return refused(0);
  }

  Folder folder_;
  std::string temporary_;
  Subject subject_;
};

TEST_F(Sandbox, SystemCallsAreRefusedByName) {
  forbidden();
  constexpr std::int64_t kText = -77;
  const std::string target = folder_.write("heddle_forbidden", "as it was");
  struct Call {
    const char* name;
    Error error;
  };
  const std::vector<Call> calls = {
      {"socket", refused_call(SYS_socket, 2, 1)},
      {"clone", refused_call(SYS_clone, SIGCHLD)},
      {"execve", refused_call(SYS_execve, kText)},
      {"openat", refused_call(SYS_openat, AT_FDCWD, kText, O_WRONLY | O_CREAT, 0644)},
      {"openat", refused_call(SYS_openat, AT_FDCWD, kText, O_RDONLY)},
      {"unlinkat", refused_call(SYS_unlinkat, AT_FDCWD, kText)},
      {"kill", refused_call(SYS_kill, getpid(), SIGTERM)},
      {"tgkill", refused_call(SYS_tgkill, getpid(), getpid(), SIGKILL)},
      {"ptrace", refused_call(SYS_ptrace, 16, getpid())},
      {"process_vm_readv", refused_call(SYS_process_vm_readv, getpid(), kText, 1, kText)},
      {"mprotect", refused_call(SYS_mprotect, kText, 4096, PROT_READ | PROT_EXEC)},
      {"mmap", refused_call(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS)},
      {"ioctl", refused_call(SYS_ioctl, 0, 0x5413, kText)},
      {"dup", refused_call(SYS_dup, 1)},
      {"prctl", refused_call(SYS_prctl, 15, kText)},
      {"rt_sigaction", refused_call(SYS_rt_sigaction, SIGSYS, kText, 0, 8)},
      {"setrlimit", refused_call(SYS_setrlimit, 7, kText)},
      {"bpf", refused_call(SYS_bpf, 0, kText, 0)},
      {"read", refused_call(SYS_read, 3, kText, 8)},
      {"write", refused_call(SYS_write, 2, kText, 8)},
      {"write", refused_call(SYS_write, 3, kText, 8)},
      {"write", refused_call(SYS_write, 100, kText, 8)},
  };
  for (const auto& [name, error] : calls) {
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr("tile (0)"), HasSubstr("'" + std::string(name) + "'"),
                      HasSubstr("sandbox refused")));
    EXPECT_EQ(error.code(), ExitCode::target_failed);
  }
  std::ifstream file(target);
  std::string held((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(held, "as it was");
}

TEST_F(Sandbox, KernelsThatEndOrBreakTheirProcess) {
  forbidden();
  EXPECT_THAT(refused(1).message(), HasSubstr("ended without a word"));
  EXPECT_THAT(refused(2).message(), HasSubstr("calls exit()"));
  EXPECT_THAT(refused(5).message(), HasSubstr("more than 256 KiB for its variables and calls"));
  EXPECT_THAT(refused(11).message(), AllOf(HasSubstr("thread 0"), HasSubstr("__trap")));
  EXPECT_THAT(refused(12).message(), HasSubstr("an assert fails: a == 99"));
  EXPECT_THAT(refused(13).message(), HasSubstr("trap"));
  EXPECT_THAT(refused(18).message(), HasSubstr("mask leaves it out"));
  const Error huge = refused(6);
  EXPECT_THAT(huge.message(), HasSubstr("writes a null pointer"));
  EXPECT_EQ(huge.position().line, line_with("LINE huge"));
  EXPECT_THAT(refused(7).message(), HasSubstr("writes a null pointer"));
}

TEST_F(Sandbox, TheTileThatEndsItsProcessIsNamed) {
  // Tiles are run ahead of being asked for: what the good ones among them said must not be lost.
  forbidden();
  subject_.set("mode", 1);
  subject_.set("bad", 40);
  subject_.launch.grid = Grid({64});
  for (const std::int64_t step : {1, -1}) {
    trace::Tracer tracer(*subject_.program, subject_.launch, {});
    for (std::int64_t k = 0; k < 64; ++k) {
      const std::int64_t tile = step > 0 ? k : 63 - k;
      if (tile != 40) {
        EXPECT_EQ(subject_.trace(tracer, {tile, 0, 0}).size(), 1U) << tile;
        continue;
      }
      const Error error = error_of([&] { subject_.trace(tracer, {tile, 0, 0}); });
      EXPECT_THAT(error.message(), AllOf(HasSubstr("tile (40)"), HasSubstr("without a word")));
    }
  }
}

TEST_F(Sandbox, WildPointersHaveTheirLine) {
  forbidden();
  const auto wild = [&](int mode, std::int64_t at) {
    subject_.set("a", at);
    return refused(mode);
  };
  const Error null = wild(8, 0);
  EXPECT_THAT(null.message(), AllOf(HasSubstr("tile (0), thread 0"), HasSubstr("a null pointer")));
  EXPECT_EQ(null.position().line, line_with("LINE wild"));
  EXPECT_THAT(wild(8, 0x123456789000).message(),
              HasSubstr("0x123456789000, which is in no tensor"));
  EXPECT_THAT(wild(8, -4096).message(), HasSubstr("in no tensor"));
  const Error before = wild(9, -1);
  EXPECT_THAT(before.message(), HasSubstr("reads byte -4 of 'x'"));
  EXPECT_EQ(before.position().line, line_with("LINE beyond"));
  EXPECT_THAT(wild(9, 1 << 18).message(), HasSubstr("byte 1048576 of 'x', which has 4000"));

  // One past the end, where there is memory by chance: noted, and left out of the stream.
  subject_.set("mode", 9);
  subject_.set("a", 1000);
  trace::Tracer tracer(*subject_.program, subject_.launch, {});
  const auto stream = subject_.trace(tracer, {0, 0, 0});
  EXPECT_EQ(stream, subject_.trace(tracer, {3, 0, 0}));
  const auto faults = tracer.faults();
  ASSERT_EQ(faults.size(), 2U);  // a read and a write
  EXPECT_EQ(faults[0].kind, trace::Fault::Kind::out_of_bounds);
  EXPECT_THAT((std::vector<std::string>{faults[0].detail, faults[1].detail}),
              testing::UnorderedElementsAre("reads byte 4000 of 4000", "writes byte 4000 of 4000"));
  const auto place = static_cast<std::size_t>(faults[0].place);
  EXPECT_EQ(subject_.program->places[place].position.line, line_with("LINE beyond"));
  trace::TraceOptions strict;
  strict.strict = true;
  trace::Tracer strict_tracer(*subject_.program, subject_.launch, strict);
  EXPECT_EQ(error_of([&] { subject_.trace(strict_tracer, {0, 0, 0}); }).code(), ExitCode::refuted);
}

TEST_F(Sandbox, WhatIsNoErrorEverywhere) {
  forbidden();
  // Barriers in both branches open together, as on the GPUs that allow it.
  subject_.set("mode", 14);
  EXPECT_EQ(subject_.trace({0, 0, 0}).size(), 3U);
  // A division by zero traps on some machines and gives a number on others.
  subject_.set("mode", 10);
  subject_.set("a", 0);
  try {
    EXPECT_EQ(subject_.trace({0, 0, 0}).size(), 2U);
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("divided by zero"));
  }
}

/// Listens to no access.
class Nobody final : public trace::AccessSink {
 public:
  void access(const trace::AccessPattern& /*pattern*/) override {}
};

TEST_F(Sandbox, WorkWithoutEndIsBounded) {
  forbidden();
  subject_.set("a", 1'000'000);
  EXPECT_THAT(refused(16).message(), HasSubstr("reads and writes more than 20000 times"));
  EXPECT_THAT(refused(4).message(), HasSubstr("reads and writes more than 20000 times"));

  subject_.set("mode", 15);
  subject_.set("a", 6'000'000);
  trace::Tracer tracer(*subject_.program, subject_.launch, {});
  Nobody nobody;  // to keep so many takes longer than to make them
  EXPECT_THAT(error_of([&] {
                tracer.run({0, 0, 0}, nobody);
              }).message(),
              HasSubstr("writes more than 16 million times"));

  subject_.set("mode", 3);
  const trace::native::NativeMemory memory(subject_.launch);
  trace::native::SessionLimits limits;
  limits.silence = std::chrono::seconds(1);
  trace::native::Session session(*subject_.program, subject_.launch, memory, limits);
  EXPECT_THAT(error_of([&] {
                session.run({0, 0, 0});
              }).message(),
              HasSubstr("runs for more than 1 s without"));
  session.run({3, 0, 0});
  limits.silence = std::chrono::seconds(60);
  limits.cpu_seconds = 1;
  trace::native::Session short_session(*subject_.program, subject_.launch, memory, limits);
  EXPECT_THAT(error_of([&] {
                short_session.run({0, 0, 0});
              }).message(),
              HasSubstr("used up its time on the CPU"));
}

TEST_F(Sandbox, FalseRecordsAreSeenThrough) {
  forbidden();
  subject_.set("c", SYS_write);
  const auto said = [&](std::uint64_t first, std::uint64_t second, int rest) {
    subject_.set("number", static_cast<std::int64_t>(first));
    subject_.set("a", static_cast<std::int64_t>(second));
    subject_.set("b", rest);
    return refused(17).message();
  };
  using runner::RecordKind;
  const auto kind = [](RecordKind one) { return static_cast<std::uint64_t>(one); };
  const auto nonsense = HasSubstr("says what makes no sense");
  EXPECT_THAT(said(~0ULL, ~0ULL, -1), nonsense);
  EXPECT_THAT(said(0, 0, 0), nonsense);  // "started", again
  // Accesses: a site that is not there; of no lanes; with a mask that is none.
  EXPECT_THAT(said(kind(RecordKind::access) | 1 << 16, 60'000, 0), nonsense);
  EXPECT_THAT(said(kind(RecordKind::access) | 1 << 16, 0, 0), nonsense);
  EXPECT_THAT(said(kind(RecordKind::access) | 7 << 8 | 1 << 16, 0, 1), nonsense);
  // The end of a tile, bytes that nobody asked for, a fault: of lengths that cannot be.
  EXPECT_THAT(said(kind(RecordKind::end) | 5ULL << 32, 0, 0), nonsense);
  EXPECT_THAT(said(kind(RecordKind::bytes) | 0xffff'fff0ULL << 32, 0, 0), nonsense);
  EXPECT_THAT(said(kind(RecordKind::fault) | 0xffff'fff0ULL << 32, 0, 0), nonsense);
  EXPECT_THAT(said(kind(RecordKind::fault) | 1ULL << 32, 0, 0), nonsense);
  // A fault that could be: nothing but an Error comes of it, whatever it says.
  said(kind(RecordKind::fault) | 40ULL << 32, 0x7777'7777'7777'7777, 0x77);
}

TEST_F(Sandbox, CodeThatRunsWhileItIsLoadedIsHeldToo) {
  const auto kernel_with = [](const std::string& body) {
    return R"(extern "C" __device__ long syscall(long, ...);
extern "C" __device__ void _exit(int);
__device__ __attribute__((constructor)) void early() { )" +
           body + R"( }
__global__ void k(int* x) { x[threadIdx.x] = 1; }
)";
  };
  constexpr const char* kSmallJob =
      "grid = [1]\n[tensors.x]\ndtype = \"int32\"\nshape = [64]\n[launch]\nthreads = 64\n";
  const auto early = [&](const char* name, long number, const std::string& arguments) {
    const std::string call = "syscall(" + std::to_string(number) + ", " + arguments + ");";
    const Subject subject = folder_.load(name, kernel_with(call), kSmallJob);
    return error_of([&] { subject.trace({0, 0, 0}); }).message();
  };
  const std::string made = folder_.path() + "/made";
  EXPECT_THAT(early("writes.hip", SYS_openat,
                    "-100, \"" + made + "\", " + std::to_string(O_WRONLY | O_CREAT) + ", 420"),
              HasSubstr("'openat'"));
  EXPECT_FALSE(std::filesystem::exists(made));
  EXPECT_THAT(early("socket.hip", SYS_socket, "2, 1, 0"), HasSubstr("'socket'"));
  EXPECT_THAT(early("forks.hip", SYS_clone, "17, 0, 0, 0, 0"), HasSubstr("'clone'"));

  const Subject leaves = folder_.load("leaves.hip", kernel_with("_exit(0);"), kSmallJob);
  EXPECT_THAT(error_of([&] {
                leaves.trace({0, 0, 0});
              }).message(),
              HasSubstr("ended without a word"));

  // A descriptor that heddle itself was given is not handed on.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  constexpr int kGiven = 50;
  ASSERT_EQ(dup2(ends[0], kGiven), kGiven);
  ASSERT_EQ(write(ends[1], "!", 1), 1);
  fcntl(kGiven, F_SETFL, O_NONBLOCK);
  close(ends[0]);
  const Subject reader =
      folder_.load("reads.hip",
                   kernel_with("char c; if (syscall(" + std::to_string(SYS_read) + ", " +
                               std::to_string(kGiven) + ", &c, 1) == 1) _exit(7);"),
                   kSmallJob);
  EXPECT_EQ(reader.trace({0, 0, 0}).size(), 1U);
  char left = 0;
  EXPECT_EQ(read(kGiven, &left, 1), 1) << "the kernel has read it";
  close(kGiven);
  close(ends[1]);
}

TEST_F(Sandbox, LimitsThatTheUserHasSetStay) {
  HEDDLE_NEED_CLANG();
  const Subject subject = folder_.load(
      "fine.hip", "__global__ void k(int* x) { x[threadIdx.x] = 1; }\n",
      "grid = [1]\n[tensors.x]\ndtype = \"int32\"\nshape = [64]\n[launch]\nthreads = 64\n");
  const rlimit lower{2000, 3000};  // seconds, of this process, which has no other test
  ASSERT_EQ(setrlimit(RLIMIT_CPU, &lower), 0);
  EXPECT_FALSE(subject.trace({0, 0, 0}).empty());
}

}  // namespace
}  // namespace heddle::test
