// What host code and kernels say of several values at once: sizes that bound each other, strides that
// are passed together, indices and what they point into.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "infer/infer.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace heddle::infer {
namespace {

class Relations : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    write_text(
        path.string(),
        "import torch, triton\nimport triton.language as tl\nfrom random import randint\n\n" +
            text);
    return path.string();
  }
  config::JobDraft draft(const std::string& text) {
    InferredJob job = infer_job({write("kernel.py", text), {}, {}}).value();
    EXPECT_EQ(job.problem, "");
    return job.draft;
  }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kRotate = R"(@triton.jit
def rotate(x, cos, T, D, R, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    c = tl.load(cos + row * R + at, mask=at < R)
    tl.store(x + row * D + at, tl.load(x + row * D + at, mask=at < R) * c, mask=at < R)

def run(x, cos):
    seq, head_dim = x.shape
    length, rotary_dim = cos.shape
    )";

TEST_F(Relations, sizes_keep_to_the_bounds_that_host_code_asserts) {
  config::JobDraft job = draft(std::string(kRotate) + R"(rotary_dim *= 2
    assert rotary_dim <= head_dim
    assert length >= seq
    rotate[(seq,)](x, cos, seq, head_dim, rotary_dim // 2, BLOCK=256)
)");
  EXPECT_EQ(job.scalar("D")->text, "128");
}

TEST_F(Relations, a_size_that_is_refused_is_smaller) {
  config::JobDraft job = draft(std::string(kRotate) + R"(if rotary_dim > 32:
        raise ValueError("too wide")
    if seq < 2048:
        rotate[(seq,)](x, cos, seq, head_dim, rotary_dim, BLOCK=64)
)");
  EXPECT_EQ(job.scalar("R")->text, "32");
}

TEST_F(Relations, strides_of_several_tensors_go_by_what_they_are_called) {
  config::JobDraft job = draft(R"(@triton.jit
def add(x, row, out, n, stride_x_b, stride_x_n, stride_row_n, stride_ob, stride_on, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    a = tl.load(x + b * stride_x_b + at * stride_x_n, mask=at < n)
    c = tl.load(row + at * stride_row_n, mask=at < n)
    tl.store(out + b * stride_ob + at * stride_on, a + c, mask=at < n)

def run(x, row, out):
    n = x.shape[1]
    add[(x.shape[0],)](x, row, out, n, *x.stride(), *row.stride(), *out.stride(), BLOCK=1024)
)");
  EXPECT_EQ(job.tensor("x")->shape.size(), 2U);
  EXPECT_EQ(job.tensor("row")->shape.size(), 1U);
  EXPECT_EQ(job.scalar("stride_row_n")->text, "row.stride(0)");
  EXPECT_EQ(job.scalar("stride_on")->text, "out.stride(1)");
}

TEST_F(Relations, strides_without_a_launch_belong_to_the_tensor_that_begins_so) {
  config::JobDraft job = draft(R"(@triton.jit
def copy(X, Out, stride_xm, stride_xn, stride_om, stride_on, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(Out + row * stride_om + at * stride_on, tl.load(X + row * stride_xm + at * stride_xn))
)");
  EXPECT_EQ(job.scalar("stride_om")->text, "Out.stride(0)");
  EXPECT_EQ(job.scalar("stride_on")->text, "Out.stride(1)");
}

TEST_F(Relations, numbers_of_random_are_no_tensors) {
  config::JobDraft job = draft(R"(@triton.jit
def drop(x, y, n, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, at) > 0.5
    tl.store(y + at, tl.where(keep, tl.load(x + at, mask=at < n), 0.0), mask=at < n)

def run(x):
    y = torch.empty_like(x)
    drop[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), randint(0, 65535), BLOCK=64)
)");
  EXPECT_EQ(job.tensor("seed"), nullptr);
}

TEST_F(Relations, a_histogram_is_of_integers) {
  config::JobDraft job = draft(R"(@triton.jit
def count(experts, counts, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.arange(0, BLOCK)
    found = tl.histogram(tl.load(experts + at, mask=at < n, other=0), BINS)
    tl.store(counts + tl.arange(0, BINS), found)

def run(x):
    count[(1,)](x, torch.zeros(8, dtype=torch.int32), x.numel(), BLOCK=1024, BINS=8)
)");
  EXPECT_EQ(job.tensor("experts")->dtype.text, "int32");
}

TEST_F(Relations, only_whole_numbers_have_a_next_power_of_two) {
  config::JobDraft job = draft(R"(@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)

def run(x, scale):
    n = x.numel()
    copy[(1,)](x, torch.empty_like(x), n, BLOCK=triton.next_power_of_2(n // scale))
)");
  EXPECT_TRUE(job.constexpr_value("BLOCK") != nullptr);
}

constexpr const char* kGather = R"(@triton.jit
def gather(weights, experts, labels, logits, out, stride_we, stride_wk, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    e = tl.load(experts + row)
    w = tl.load(weights + e * stride_we + at * stride_wk, mask=at < K)
    label = tl.load(labels + row)
    w += tl.load(logits + row * K + label)
    tl.store(out + row * K + at, w, mask=at < K)

def run(weights, experts, labels):
    E, K = weights.shape
    logits = torch.empty((experts.shape[0], K))
    out = torch.empty_like(logits)
    gather[(experts.shape[0],)](weights, experts, labels, logits, out, weights.stride(0),
                                weights.stride(1), K, BLOCK=triton.next_power_of_2(K))
)";

TEST_F(Relations, indices_stay_within_what_they_point_into) {
  config::JobDraft job = draft(kGather);
  EXPECT_EQ(job.tensor("experts")->contents->text, "uniform(0, 8)");
  EXPECT_EQ(job.tensor("labels")->contents->text, "uniform(0, 4096)");
  EXPECT_EQ(job.tensor("weights")->shape, (std::vector<std::string>{"E", "K"}));
}

TEST_F(Relations, sequences_do_not_run_into_each_other) {
  config::JobDraft job = draft(R"(@triton.jit
def copy(X, Out, Start_Loc, Seqlen, stride_x, stride_o, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    start = tl.load(Start_Loc + b)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < tl.load(Seqlen + b)
    x = tl.load(X + (start + at) * stride_x, mask=inside)
    tl.store(Out + (start + at) * stride_o, x, mask=inside)
)");
  const std::string& starts = job.tensor("Start_Loc")->contents->text;
  const std::string& lengths = job.tensor("Seqlen")->contents->text;
  const std::string second = starts.substr(starts.find(' ') + 1);
  const int step = std::stoi(second);
  const int length = std::stoi(lengths.substr(lengths.find('(') + 1));
  EXPECT_LE(length, step);
}

TEST_F(Relations, a_kernel_of_the_same_name_elsewhere_is_another) {
  write("setup.py", "");
  const std::string kernel = R"(@triton.jit
def fwd(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)
)";
  const std::string path = write("kernels/copying.py", kernel);
  for (const char* name : {"kernels/a.py", "kernels/b.py", "kernels/c.py", "kernels/d.py"})
    write(name, kernel + "\ndef run(x):\n    fwd[(1,)](x, x, 16, BLOCK=16)\n");
  write("host/copy.py",
        "from kernels.copying import fwd\n\ndef run(x):\n"
        "    fwd[(7,)](x, torch.empty_like(x), 448, BLOCK=64)\n");
  InferredJob job = infer_job({path, {}, {}}).value();
  EXPECT_EQ(job.draft.scalar("n")->text, "448");
}

}  // namespace
}  // namespace heddle::infer
