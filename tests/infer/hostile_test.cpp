// Host code that is made to hang, to crash or to fill the memory: following it ends soon all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "infer/infer.h"
#include "support/error.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace heddle::infer {
namespace {

using testing::HasSubstr;

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

class HostileHost : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    write_text(folder_.path() + "/" + name, text);
  }
  /// A job for a kernel with this host code around it: `body` stands in front of the launch.
  InferredJob infer(const std::string& body, const std::string& before = {}) {
    write("kernel.py", "import torch, triton\nimport triton.language as tl\n" + before + R"(
@triton.jit
def copy(src, dst, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + i, tl.load(src + i, mask=i < n), mask=i < n)

def run(x):
)" + body + "    copy[(4,)](x, x, 256, 64)\n");
    const auto begin = std::chrono::steady_clock::now();
    InferredJob job = infer_job({folder_.path() + "/kernel.py", {}, {}}).value();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
    return job;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(HostileHost, ends_loops_within_loops) {
  std::string body;
  for (int depth = 1; depth <= 12; ++depth)
    body += repeated("    ", depth) + "for i in range(10 ** 18):\n";
  body += repeated("    ", 13) + "x[i] = i\n";
  EXPECT_EQ(infer("    while True:\n        pass\n").draft.function, "copy");
  EXPECT_EQ(infer(body).draft.function, "copy");
}

TEST_F(HostileHost, ends_functions_that_call_themselves) {
  EXPECT_FALSE(
      infer("    f(1)\n    g = lambda h: h(h)\n    g(g)\n", "def f(x):\n    return f(x) + f(x)\n")
          .draft.launch.empty());
}

TEST_F(HostileHost, bounds_lists_texts_and_numbers) {
  const InferredJob job = infer(R"(    none = [] * 10 ** 18
    many = [0] * 10 ** 18
    text = "a"
    for i in range(64):
        many = many + many
        text = text + text
        x = x.y
    number = 10 ** 10 ** 10
    low = range(9223372036854775806, 9223372036854775807, 2)
    nan = int(float("nan"))
    far = triton.cdiv(10 ** 18, 1e-300)
)");
  EXPECT_EQ(job.draft.launch, "kernel.py:21");
}

TEST_F(HostileHost, drops_chains_and_circles_of_values) {
  const std::string loops = R"(    held = 0
    for a in range(64):
        for b in range(64):
            held = [held]
            grid = copy[held]
            call = lambda: call
            named = {"x": held}
            named["me"] = named
    first = [1]
    second = [first]
    first.append(second)
    if first == second:
        pass
)";
  EXPECT_EQ(infer(loops).draft.function, "copy");
}

TEST_F(HostileHost, names_the_limit_that_a_giant_literal_passes) {
  const std::string list = "    many = [" + repeated("0,", 1'100'000) + "]\n";
  try {
    infer(list);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("larger than 2097152 bytes"));
  }
  EXPECT_EQ(infer("    many = [" + repeated("0,", 20'000) + "]\n").draft.function, "copy");
}

TEST_F(HostileHost, follows_long_chains_of_definitions) {
  std::string chain;
  for (int i = 0; i < 2000; ++i)
    chain += "def f" + std::to_string(i) + "(): f" + std::to_string(i + 1) + "()\n";
  EXPECT_EQ(infer("    f0()\n", chain + "def f2000(): run(None)\n").draft.launch, "kernel.py:2012");
}

TEST_F(HostileHost, indexes_nothing_that_is_not_there) {
  const InferredJob job = infer(R"(    a = torch.empty(2, 3)
    b = a[..., ..., None, 0, 1, 2, 3]
    c = torch.empty(*[2] * 500).stride()
    d = a.flatten(9, -9).permute(7, 7, 7).transpose(-9, 9).squeeze(5).unsqueeze(-7)
    e, f, g, h, i, j, k, l, m, n = x.shape
    o = x.shape[10 ** 17]
)");
  EXPECT_EQ(job.draft.function, "copy");
}

}  // namespace
}  // namespace heddle::infer
