// Values that host code computes: what Python itself would pass to the launch.
#include <gtest/gtest.h>

#include <filesystem>

#include "infer/infer.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace heddle::infer {
namespace {

constexpr const char* kKernel = R"(import math
import os
import torch, triton
import triton.language as tl

@triton.jit
def copy(x, o, A, B, C, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < A + B * 0 + C * 0
    tl.store(o + at, tl.load(x + at, mask=inside), mask=inside)

)";

/// What the launch in `body`, the lines of main(), passes for B and C: "B C".
std::string passed(const std::string& body, const std::string& before = {}) {
  std::string text = kKernel + before + "def main():\n    x = torch.randn(4096, device='cuda')\n";
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    text += "    " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += "    copy[(16,)](x, torch.empty_like(x), 256, b, c, BLOCK=16)\n";
  const TemporaryFolder folder;
  const std::string path = (std::filesystem::path(folder.path()) / "kernel.py").string();
  write_text(path, text);
  InferredJob job = infer_job({path, "copy", {}}).value();
  return job.draft.scalar("B")->text + " " + job.draft.scalar("C")->text;
}

/// The shape and strides of y as main() passes them: "4 8 | 8 1".
std::string view(const std::string& made) {
  const std::string text = std::string(kKernel) + "def main():\n    x = torch.randn(4, 8, 128)\n" +
                           "    y = " + made +
                           "\n    copy[(16,)](y, torch.empty(64), 64, 1, 1, BLOCK=16)\n";
  const TemporaryFolder folder;
  const std::string path = (std::filesystem::path(folder.path()) / "kernel.py").string();
  write_text(path, text);
  InferredJob job = infer_job({path, "copy", {}}).value();
  std::string result;
  for (const std::string& one : job.draft.tensor("x")->shape) result += one + " ";
  result += "|";
  for (const std::string& one : job.draft.tensor("x")->strides) result += " " + one;
  return result;
}

TEST(HostCode, LoopsEndWhereTheyEnd) {
  EXPECT_EQ(passed("for b in [256, 128, 64]:\n    if 4096 % b == 0:\n        break\nc = 1"),
            "256 1");
  EXPECT_EQ(passed("b = 1\nwhile b * 2 <= 512:\n    b *= 2\nc = 1"), "512 1");
  EXPECT_EQ(passed("for b in [3, 5]:\n    if 4 % b == 0:\n        break\nelse:\n    b = 7\nc = 1"),
            "7 1");
  EXPECT_EQ(
      passed("b = 0\nfor i in [1, 2, 3]:\n    if i == 2:\n        continue\n    b += i\nc = i"),
      "4 3");
  // Longer than is followed: a guess by name, and not the sum of the first.
  EXPECT_NE(passed("b = 0\nfor i in range(5000):\n    b += i\nc = 1"), "2016 1");
}

TEST(HostCode, ListsAreSlicedSortedAndChanged) {
  EXPECT_EQ(passed("l = [1, 2, 3, 4][::-1]\nb, c = l[0], l[1:3][0]"), "4 3");
  EXPECT_EQ(passed("l = [1, 2, 3, 4, 5][1::2]\nb, c = l[-1], len(l)"), "4 2");
  EXPECT_EQ(passed("l = sorted([7, 2, 5])\nb = l[0]\nc = sorted(l, reverse=True)[0]"), "2 7");
  EXPECT_EQ(passed("l = [1, 2]\nl.extend([3])\nl.insert(0, 9)\nl[1] = 5\nc = l.pop()\nb = sum(l)"),
            "16 3");
  EXPECT_EQ(passed("b = 0\nfor p, q in zip([1, 2, 3], [4, 5]):\n    b += p * q\nc = 1"), "14 1");
}

TEST(HostCode, ComprehensionsKeepTheirNames) {
  EXPECT_EQ(passed("b = 7\nl = [b * 2 for b in [1, 2]]\nc = l[1]"), "7 4");
  EXPECT_EQ(passed("l = [(p, q) for p in [1, 2] for q in [3, 4]]\nb, c = l[1][1], len(l)"), "4 4");
}

TEST(HostCode, DictsHaveKeysOfAnyKind) {
  EXPECT_EQ(passed("t = {64: 128, 128: 256}\nb = t[64]\nc = t.get(7, 3)"), "128 3");
  EXPECT_EQ(passed("t = {torch.float16: 1, torch.float32: 2}\nb = t[x.dtype]\nc = 1"), "2 1");
  EXPECT_EQ(passed("t = dict(p=5, q=6)\nb = t.pop('p')\nc = t['q']"), "5 6");
}

TEST(HostCode, NumbersAndTexts) {
  EXPECT_EQ(passed("b = 5 ^ 3\nc = 7 // -1"), "6 -7");
  EXPECT_EQ(passed("b = ~3\nc = (1000 - 1).bit_length()"), "-4 10");
  EXPECT_EQ(passed("b = 5 if 'GELU'.lower() == 'gelu' else 9\nc = 1 if 'u' in 'relu' else 2"),
            "5 1");
  EXPECT_EQ(passed("b = int(os.environ.get('HEDDLE_NO_SUCH_NAME', '48'))\nc = 1"), "48 1");
}

TEST(HostCode, FieldsOfClasses) {
  EXPECT_EQ(passed("s = Sizes(dim=128)\nb, c = s.heads, s.dim",
                   "class Sizes:\n    heads: int = 8\n    dim: int = 64\n\n"),
            "8 128");
  EXPECT_EQ(passed("s = Sizes(3)\nb, c = s.heads, s.dim",
                   "class Sizes(NamedTuple):\n    heads: int\n    dim: int = 64\n\n"),
            "3 64");
  EXPECT_EQ(passed("b, c = Sizes.B, Sizes().B", "class Sizes:\n    B = 12\n\n"), "12 12");
}

TEST(HostCode, PiecesOfTensors) {
  EXPECT_EQ(view("x.chunk(2, dim=-1)[0]"), "4 8 64 | 1024 128 1");
  EXPECT_EQ(view("x.split([32, 96], dim=2)[1]"), "4 8 96 | 1024 128 1");
  EXPECT_EQ(view("x.unbind(1)[0]"), "4 128 | 1024 1");
  EXPECT_EQ(view("x[:, -2:]"), "4 2 128 | 1024 128 1");
  EXPECT_EQ(view("x[..., ::2]"), "4 8 64 | 1024 128 2");
  EXPECT_EQ(view("x[:99]"), "4 8 128 |");
}

TEST(HostCode, TensorsThatAreMadeOfOthers) {
  EXPECT_EQ(view("torch.cat([x, x], dim=1)"), "4 16 128 |");
  EXPECT_EQ(view("torch.stack([x, x])"), "2 4 8 128 |");
  EXPECT_EQ(view("torch.randn(1, 6).expand(5, 6)"), "5 6 | 0 1");
  EXPECT_EQ(view("x.repeat(2, 1, 3)"), "8 8 384 |");
  EXPECT_EQ(view("x.flatten(start_dim=1)"), "4 1024 |");
  EXPECT_EQ(view("torch.randn(3, 1) * torch.randn(1, 5)"), "3 5 |");
  EXPECT_EQ(view("torch.randn(3, 4) @ torch.randn(4, 5)"), "3 5 |");
  EXPECT_EQ(view("torch.arange(0, 10, 4)"), "3 |");
}

TEST(HostCode, AQuotientIsNotZero) {
  const std::string text = std::string(kKernel) + R"(
def host(q, k):
    batch, heads, time, dim = q.shape
    few = k.shape[1]
    copy[(batch,)](q, torch.empty_like(q), batch, heads // few, few, BLOCK=16)
)";
  const TemporaryFolder folder;
  const std::string path = (std::filesystem::path(folder.path()) / "kernel.py").string();
  write_text(path, text);
  InferredJob job = infer_job({path, "copy", {}}).value();
  EXPECT_EQ(job.draft.scalar("B")->text, "heads // C");
  const auto find = [&](const std::string& name) {
    for (const auto* list : {&job.draft.sizes, &job.draft.scalars})
      for (const auto& [key, value] : *list)
        if (key == name) return std::stoll(value.text);
    return 0LL;
  };
  EXPECT_EQ(find("heads"), 16);
  EXPECT_EQ(find("C"), 4);
}

/// What the kernel asks for before it uses it stays None, whatever else it needs.
TEST(HostCode, OnlyWhatIsNeededBecomesATensor) {
  const TemporaryFolder folder;
  const std::string path = (std::filesystem::path(folder.path()) / "kernel.py").string();
  write_text(path, R"(import torch, triton
import triton.language as tl

@triton.jit
def take(x, y, scale, index, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    by = 1.0
    if scale is not None:
        by = tl.load(scale)
    where = tl.load(index + at, mask=at < N, other=0)
    tl.store(y + at, tl.load(x + where, mask=at < N) * by, mask=at < N)

def host(x, index=None, scale=None):
    take[(4,)](x, torch.empty_like(x), scale, index, 1024, BLOCK=256)
)");
  InferredJob job = infer_job({path, "take", {}}).value();
  EXPECT_EQ(job.problem, "");
  ASSERT_NE(job.draft.scalar("scale"), nullptr);
  EXPECT_EQ(job.draft.scalar("scale")->text, "None");
  EXPECT_NE(job.draft.tensor("index"), nullptr);
}

}  // namespace
}  // namespace heddle::infer
