// What a kernel does with its parameters, as it shows in the jobs that are inferred for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "infer/infer.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace heddle::infer {
namespace {

using testing::StartsWith;

constexpr const char* kImports = "import torch, triton\nimport triton.language as tl\n\n";

class KernelUses : public testing::Test {
 protected:
  /// The job of the only kernel in a text; nothing of it may be left to mend.
  config::JobDraft draft(const std::string& text, const char* imports = kImports) {
    const std::string path = (std::filesystem::path(folder_.path()) / "kernel.py").string();
    write_text(path, imports + text);
    InferredJob job = infer_job({path, {}, {}}).value();
    EXPECT_EQ(job.problem, "");
    return job.draft;
  }
  static std::string contents(config::JobDraft draft, const std::string& tensor) {
    const auto& held = draft.tensor(tensor)->contents;
    return held ? held->text : "";
  }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kDouble = R"(@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

)";

TEST_F(KernelUses, launches_outside_functions_are_followed) {
  config::JobDraft job = draft(std::string(kDouble) + R"(
if __name__ == "__main__":
    size = 96
    a = torch.arange(size, dtype=torch.float32)
    b = torch.empty_like(a)
    grid = lambda meta: (triton.cdiv(size, meta["BLOCK"]),)
    double[grid](a, b, size, BLOCK=8)
)");
  EXPECT_EQ(job.launch, "kernel.py:15");
  EXPECT_EQ(job.tensor("x")->shape, std::vector<std::string>{"96"});
  EXPECT_EQ(job.tensor("x")->dtype.text, "fp32");
  EXPECT_EQ(job.scalar("n")->text, "96");
  EXPECT_EQ(job.constexpr_value("BLOCK")->text, "8");
}

TEST_F(KernelUses, scripts_give_sizes_to_the_functions_that_they_call) {
  config::JobDraft job = draft(std::string(kDouble) + R"(
def run(a):
    b = torch.empty_like(a)
    double[(triton.cdiv(a.numel(), 64),)](a, b, a.numel(), BLOCK=64)
    return b

a = torch.randn((128, 48), dtype=torch.bfloat16)
run(a)
)");
  EXPECT_EQ(job.tensor("y")->shape, (std::vector<std::string>{"128", "48"}));
  EXPECT_EQ(job.tensor("y")->dtype.text, "bf16");
}

TEST_F(KernelUses, stand_ins_for_a_missing_triton_are_not_triton) {
  config::JobDraft job = draft(kDouble, R"(import torch
try:
    import triton
    import triton.language as tl
except ImportError:
    import types
    triton = types.ModuleType("triton")
    triton.jit = lambda f: f
    tl = types.ModuleType("triton.language")
    tl.constexpr = int

)");
  EXPECT_TRUE(job.tensor("x") != nullptr);
}

/// A scale that is multiplied with unpacked numbers does not hold bits itself, in a loop either.
TEST_F(KernelUses, only_what_is_shifted_holds_bits) {
  config::JobDraft job = draft(R"(@triton.jit
def unpack(packed, scales, out, n, BLOCK: tl.constexpr):
    for i in range(4):
        at = (tl.program_id(0) * 4 + i) * BLOCK + tl.arange(0, BLOCK)
        b = tl.load(packed + at, mask=at < n)
        s = tl.load(scales + at, mask=at < n)
        b = (b >> 4) & 15
        b = b * s
        tl.store(out + at, b, mask=at < n)

def run(p, s):
    o = torch.empty(p.shape, dtype=torch.float16)
    unpack[(triton.cdiv(p.shape[0], 256),)](p, s, o, p.shape[0], BLOCK=64)
)");
  EXPECT_EQ(job.tensor("packed")->dtype.text, "int32");
  EXPECT_EQ(job.tensor("scales")->dtype.text, "fp16");
}

TEST_F(KernelUses, what_is_read_as_an_integer_holds_integers) {
  config::JobDraft job = draft(R"(@triton.jit
def widen(sizes, out):
    tl.store(out + tl.program_id(0), tl.load(sizes + tl.program_id(0)).to(tl.int32))

def run(s):
    widen[(s.shape[0],)](s, torch.empty(s.shape[0], dtype=torch.int32))
)");
  EXPECT_EQ(job.tensor("sizes")->dtype.text, "int32");
}

constexpr const char* kRows = R"(@triton.jit
def rows(x, u, out, stride_x, stride_u, stride_o, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x += row * stride_x
    u += row.to(tl.int64) * stride_u
    total = tl.load(x + cols, mask=cols < D) + tl.load(u + cols, mask=cols < D)
    tl.store(out + row * stride_o + cols, total, mask=cols < D)

def run(x, u):
    N, D = x.shape
    o = torch.empty_like(u)
    rows[(N,)](x, u, o, x.stride(0), u.stride(0), o.stride(0), D, BLOCK=triton.next_power_of_2(D))
)";

TEST_F(KernelUses, lanes_behind_the_last_stride_are_an_axis) {
  config::JobDraft job = draft(kRows);
  EXPECT_EQ(job.tensor("u")->shape, (std::vector<std::string>{"N", "D"}));
  EXPECT_EQ(job.tensor("out")->shape, (std::vector<std::string>{"N", "D"}));
}

/// q.stride(1) is passed, and the kernel takes it for 1.
TEST_F(KernelUses, a_stride_that_is_not_used_is_no_further_axis) {
  config::JobDraft job = draft(R"(@triton.jit
def rows(q, out, stride_qm, stride_qd, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + cols, tl.load(q + row * stride_qm + cols))

def run(q):
    rows[(64,)](q, torch.empty(64, 128), q.stride(0), q.stride(1), BLOCK=128)
)");
  EXPECT_EQ(job.tensor("q")->shape.size(), 2U);
}

TEST_F(KernelUses, strides_say_how_many_axes_there_are) {
  config::JobDraft job = draft(R"(@triton.jit
def rows(q, out, sz, sh, sm, sd, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    place = tl.program_id(0) * sz + tl.program_id(1) * sh + tl.program_id(2) * sm
    tl.store(out + cols, tl.load(q + place + cols * sd))

def run(q):
    d = q.shape[-1]
    grid = (q.shape[0], q.shape[1], q.shape[2])
    rows[grid](q, torch.empty(64), q.stride(0), q.stride(1), q.stride(2), q.stride(3), BLOCK=16)
)");
  EXPECT_EQ(job.tensor("q")->shape.size(), 4U);
}

TEST_F(KernelUses, what_says_where_is_written_has_each_place_once) {
  const config::JobDraft job = draft(R"(@triton.jit
def place(x, where, out, stride, D: tl.constexpr):
    token = tl.program_id(0)
    block = tl.load(where + token)
    lanes = tl.arange(0, D)
    tl.store(out + block * stride + lanes, tl.load(x + token * D + lanes))

def run(x, table):
    T, D = x.shape
    o = torch.empty((T, D))
    place[(T,)](x, table, o, o.stride(0), D=D)
)");
  EXPECT_EQ(contents(job, "where"), "permutation");
}

TEST_F(KernelUses, what_is_read_at_i_and_beside_it_ascends) {
  const config::JobDraft job = draft(R"(@triton.jit
def pieces(x, begins, out, D: tl.constexpr):
    i = tl.program_id(0)
    first = tl.load(begins + i)
    last = tl.load(begins + i + 1)
    total = tl.zeros([D], tl.float32)
    for k in range(first, last):
        total += tl.load(x + k * D + tl.arange(0, D))
    tl.store(out + i * D + tl.arange(0, D), total)

def run(x, begins):
    T, D = x.shape
    n = begins.shape[0] - 1
    pieces[(n,)](x, begins, torch.empty((n, D)), D=D)
)");
  EXPECT_THAT(contents(job, "begins"), testing::AnyOf(StartsWith("values(0, "), "range"));
}

/// Another kernel counts in it first.
TEST_F(KernelUses, zeros_that_another_kernel_gets_are_not_kept) {
  const std::string path = R"(@triton.jit
def count(counts, x):
    tl.atomic_add(counts + tl.load(x + tl.program_id(0)), 1)

@triton.jit
def pieces(x, begins, out):
    i = tl.program_id(0)
    for k in range(tl.load(begins + i), tl.load(begins + i + 1)):
        tl.store(out + k, tl.load(x + k))

def run(x, where):
    counts = torch.zeros(65, dtype=torch.int32)
    count[(x.shape[0],)](counts, where)
    begins = counts.cumsum(0)
    pieces[(64,)](x, begins, torch.empty_like(x))
)";
  const TemporaryFolder folder;
  const std::string file = (std::filesystem::path(folder.path()) / "kernel.py").string();
  write_text(file, kImports + path);
  config::JobDraft job = infer_job({file, "pieces", {}}).value().draft;
  EXPECT_THAT(contents(job, "begins"), StartsWith("values(0, "));
  EXPECT_EQ(job.tensor("begins")->dtype.text, "int64");
}

/// Indices of a tensor of integers are not all 0.
TEST_F(KernelUses, indices_point_into_tensors_of_integers_where_there_are_no_others) {
  const config::JobDraft job = draft(R"(@triton.jit
def count(counts, x):
    tl.atomic_add(counts + tl.load(x + tl.program_id(0)), 1)

def run(x):
    count[(x.shape[0],)](torch.zeros(65, dtype=torch.int32), x)
)");
  EXPECT_EQ(contents(job, "x"), "uniform(0, 65)");
}

TEST_F(KernelUses, rows_of_a_given_width_are_made_of_what_is_not_known) {
  config::JobDraft job = draft(R"(import functools, operator
@triton.jit
def norm(x, y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * stride + cols
    tl.store(y + at, tl.load(x + at, mask=cols < N), mask=cols < N)

def run(x, normalized_shape):
    y = torch.empty_like(x)
    N = functools.reduce(operator.mul, normalized_shape, 1)
    flat = x.reshape(-1, N)
    M, N = flat.shape
    norm[(M,)](flat, y, flat.stride(0), N, BLOCK=triton.next_power_of_2(N))
)");
  EXPECT_EQ(job.tensor("x")->shape, (std::vector<std::string>{"M", "N"}));
  EXPECT_EQ(job.grid, std::vector<std::string>{"M"});
}

TEST_F(KernelUses, shapes_that_are_compared_are_one) {
  config::JobDraft job = draft(R"(@triton.jit
def copy(k, v, out, s0, s1, BLOCK: tl.constexpr):
    place = tl.program_id(0) * s0 + tl.program_id(1) * s1 + tl.arange(0, BLOCK)
    tl.store(out + place, tl.load(k + place) + tl.load(v + place))

def run(q, k, v):
    batch, length, dim = q.shape
    assert k.shape == (batch, length, dim)
    assert v.shape == k.shape
    o = torch.empty_like(q)
    copy[(batch, length)](k, v, o, o.stride(0), o.stride(1), BLOCK=64)
)");
  const std::vector<std::string> wanted = {"batch", "length", "dim"};
  EXPECT_EQ(job.tensor("k")->shape, wanted);
  EXPECT_EQ(job.tensor("v")->shape, wanted);
}

/// (rows, 1) says nothing of what other axes are called.
TEST_F(KernelUses, an_axis_of_one_is_its_own) {
  config::JobDraft job = draft(R"(@triton.jit
def scale(x, s, out, x0, x1, x2, s0, s1, BLOCK: tl.constexpr):
    place = tl.program_id(0) * x0 + tl.program_id(1) * x1
    a = tl.load(s + tl.program_id(0) * s0 + tl.program_id(1) * s1)
    lanes = tl.arange(0, BLOCK) * x2
    tl.store(out + place + lanes, tl.load(x + place + lanes) * a)

def run(x, s):
    B, H, D = x.shape
    assert s.shape == (B, H, 1)
    o = torch.empty_like(x)
    scale[(B, H)](x, s, o, x.stride(0), x.stride(1), x.stride(2), s.stride(0), s.stride(1), BLOCK=64)
)");
  EXPECT_EQ(job.tensor("x")->shape, (std::vector<std::string>{"B", "H", "D"}));
  EXPECT_EQ(job.tensor("s")->shape.size(), 3U);
  EXPECT_EQ(job.tensor("s")->shape.front(), "B");
  for (const auto& [name, value] : job.sizes)
    if (name == "D") {
      EXPECT_EQ(value.text, "64");
    }
}

TEST_F(KernelUses, tensors_of_the_same_strides_have_the_same_axes) {
  config::JobDraft job = draft(R"(@triton.jit
def add(q, k, out, sb, sh, st, sd, T, BLOCK: tl.constexpr):
    at = tl.program_id(0) * sb + tl.program_id(1) * sh
    place = at + tl.arange(0, BLOCK)[:, None] * st + tl.arange(0, 64)[None, :] * sd
    tl.store(out + place, tl.load(q + place) + tl.load(k + place))

def run(q, k):
    B, H, T, D = q.shape
    add[(B, H)](q, k, torch.empty_like(k), *q.stride(), T, BLOCK=64)
)");
  EXPECT_EQ(job.tensor("k")->shape, (std::vector<std::string>{"B", "H", "T", "D"}));
}

TEST_F(KernelUses, sizes_are_called_as_the_kernel_calls_them) {
  config::JobDraft job = draft(R"(@triton.jit
def copy(x, o, H, N_CTX, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(x + at, mask=at < N_CTX), mask=at < N_CTX)

def run(x):
    copy[(x.shape[1],)](x, torch.empty(4096), x.shape[1], x.shape[2], BLOCK=64)
)");
  EXPECT_EQ(job.tensor("x")->shape, (std::vector<std::string>{"x_0", "H", "N_CTX"}));
  EXPECT_EQ(job.scalar("H")->text, "16");
  EXPECT_EQ(job.scalar("N_CTX")->text, "1024");
}

/// `configs` is a list of other things behind the kernel, and of one config where tests are run.
TEST_F(KernelUses, configs_are_those_in_front_of_the_kernel) {
  const config::JobDraft job = draft(R"(import os
configs = [triton.Config({"BLOCK": size}, num_warps=4) for size in [64, 128]]
if "PYTEST_VERSION" in os.environ:
    configs = [triton.Config({"BLOCK": 16})]

@cached_autotune(configs=list(filter(lambda one: True, configs)), key=["n"])
@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

def run(x):
    y = torch.empty_like(x)
    double[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())

configs = []
)");
  ASSERT_TRUE(job.config.has_value());
  EXPECT_THAT(job.config->remark, testing::HasSubstr("first of 2 "));
}

TEST_F(KernelUses, rules_of_dict_calls_set_their_names) {
  config::JobDraft job = draft(R"(@triton.heuristics(dict(WIDE=lambda args: args["n"] // 64))
@triton.jit
def double(x, y, n, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * WIDE, mask=at < n)

def run(x):
    double[(64,)](x, torch.empty_like(x), x.numel(), BLOCK=64)
)");
  EXPECT_EQ(job.constexpr_value("WIDE"), nullptr);
}

TEST_F(KernelUses, integers_know_their_length_in_bits) {
  config::JobDraft job = draft(R"(@triton.jit
def parts(x, y, D: tl.constexpr):
    FIRST: tl.constexpr = 2 ** (D.bit_length() - 1)
    lanes = tl.arange(0, FIRST)
    tl.store(y + lanes, tl.load(x + lanes))

def run(x):
    parts[(1,)](x, torch.empty(96), D=96)
)");
  EXPECT_EQ(job.constexpr_value("D")->text, "96");
}

}  // namespace
}  // namespace heddle::infer
