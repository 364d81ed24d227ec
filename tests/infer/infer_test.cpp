// Jobs that are inferred from small kernels and their host code.
#include "infer/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/error.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace heddle::infer {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHead = "import torch, triton\nimport triton.language as tl\n";

class InferJob : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    write_text(path.string(), text);
    return path.string();
  }
  InferredJob infer(const std::string& text, const std::string& function = {}) {
    return infer_job({write("kernel.py", kHead + text), function, {}}).value();
  }

 private:
  TemporaryFolder folder_;
};

std::string shape_of(InferredJob& job, const std::string& tensor) {
  std::string text;
  for (const std::string& extent : job.draft.tensor(tensor)->shape) text += extent + " ";
  return text;
}

constexpr const char* kScale = R"(
@triton.jit
def scale_rows(src, dst, rows, width, pitch, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(src + row * pitch + col, mask=col < width, other=0.0)
    tl.store(dst + row * pitch + col, x * 2, mask=col < width)
)";

TEST_F(InferJob, follows_shapes_strides_and_the_grid_to_the_launch) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x):
    rows, width = x.shape
    y = torch.empty_like(x)
    grid = lambda meta: (rows,)
    scale_rows[grid](x, y, rows, width, x.stride(0), BLOCK=triton.next_power_of_2(width), num_warps=8)
    return y
)");
  EXPECT_THAT(job.problem, IsEmpty());
  EXPECT_EQ(job.draft.launch, "kernel.py:15");
  EXPECT_EQ(shape_of(job, "src"), "rows width ");
  EXPECT_EQ(shape_of(job, "dst"), "rows width ");
  EXPECT_THAT(job.draft.grid, ElementsAre("rows"));
  EXPECT_EQ(job.draft.scalar("pitch")->text, "src.stride(0)");
  EXPECT_EQ(job.draft.constexpr_value("BLOCK")->text, "next_power_of_2(width)");
  EXPECT_EQ(job.draft.launch_values.at(0).second.text, "8");
  EXPECT_THAT(job.draft.repairs, IsEmpty());
}

TEST_F(InferJob, takes_sizes_from_a_benchmark_beside_the_kernel) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x):
    y = torch.empty_like(x)
    scale_rows[(x.shape[0],)](x, y, x.shape[0], x.shape[1], x.stride(0), BLOCK=1024)
    return y

@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["width"], x_vals=[256, 768, 1024], line_arg="provider", line_vals=["torch", "triton"],
    args={"rows": 96}))
def bench(rows, width, provider):
    x = torch.randn(rows, width, dtype=torch.bfloat16)
    if provider == "triton":
        triton.testing.do_bench(lambda: scale(x))
)");
  EXPECT_THAT(job.problem, IsEmpty());
  EXPECT_EQ(job.draft.tensor("src")->dtype.text, "bf16");
  EXPECT_EQ(job.draft.scalar("width")->text, "768");
  EXPECT_EQ(job.draft.scalar("rows")->text, "96");
  EXPECT_THAT(job.draft.scalar("width")->remark, HasSubstr("kernel.py:"));
}

TEST_F(InferJob, sees_integers_and_gives_them_contents) {
  InferredJob job = infer(R"(
@triton.jit
def pick(table, src, dst, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(table + i, mask=i < n, other=0)
    tl.store(dst + i, tl.load(src + at, mask=i < n), mask=i < n)

def gather(table, src):
    out = torch.empty(table.numel())
    pick[(triton.cdiv(table.numel(), 128),)](table, src, out, table.numel(), BLOCK=128)
)");
  EXPECT_THAT(job.problem, IsEmpty());
  EXPECT_EQ(job.draft.tensor("table")->dtype.text, "int32");
  ASSERT_TRUE(job.draft.tensor("table")->contents.has_value());
  EXPECT_THAT(job.draft.repairs, ElementsAre(HasSubstr("contents of 'table'")));
}

TEST_F(InferJob, keeps_the_rank_that_axes_by_number_show) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x):
    shape = x.shape
    dim = shape[-1]
    x = x.view(-1, dim)
    rows, width = x.shape
    scale_rows[(rows,)](x, x, rows, width, x.stride(0), BLOCK=triton.next_power_of_2(width))
)");
  EXPECT_EQ(shape_of(job, "src"), "rows width ");  // the kernel's name for dim
}

TEST_F(InferJob, learns_the_axes_of_a_shape_that_is_spread) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x, y):
    rows, width, other = *x.shape, y.shape[-1]
    scale_rows[(rows,)](x, y, rows, width, x.stride(0), BLOCK=triton.next_power_of_2(width))
)");
  EXPECT_EQ(shape_of(job, "src"), "rows width ");
  EXPECT_EQ(job.draft.tensor("dst")->shape.back(), "other");
}

TEST_F(InferJob, lets_tensors_grow_as_far_as_the_kernel_reaches) {
  InferredJob job = infer(R"(
@triton.jit
def copy(src, dst, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + i, tl.load(src + i))

def run(src, dst):
    copy[(512,)](src, dst, BLOCK=256)
)");
  EXPECT_THAT(job.problem, IsEmpty());
  EXPECT_EQ(shape_of(job, "src"), "131072 ");
  EXPECT_THAT(job.draft.tensor("src")->shape_remark, HasSubstr("guess"));
}

TEST_F(InferJob, leaves_shapes_that_host_code_gives) {
  InferredJob job = infer(R"(
@triton.jit
def clear(dst, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + i, 0.0)

def run():
    dst = torch.empty(100)
    clear[(2,)](dst, BLOCK=64)
)");
  EXPECT_THAT(job.problem, HasSubstr("out of bounds of 'dst'"));
  EXPECT_EQ(shape_of(job, "dst"), "100 ");
}

TEST_F(InferJob, guesses_a_grid_with_the_axes_that_the_kernel_asks_for) {
  const InferredJob job = infer(R"(
@triton.jit
def add_bias(x, bias, N, BLOCK: tl.constexpr):
    row = tl.program_id(axis=1)
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = col < N
    tl.store(x + row * N + col, tl.load(x + row * N + col, mask=keep) + tl.load(bias + col, mask=keep),
             mask=keep)
)");
  EXPECT_THAT(job.draft.grid, ElementsAre("64", "4"));
  EXPECT_THAT(job.draft.grid_remark, HasSubstr("guess"));
}

TEST_F(InferJob, repairs_what_only_few_tiles_reach) {
  InferredJob job = infer(R"(
@triton.jit
def jump(x, y, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    for i in range(200):
        tl.load(x + i)
    far = tl.where(pid == 1999, 100000, 0)
    tl.store(y + pid, tl.load(x + far + pid))

def run(x, n):
    y = torch.empty(2000)
    jump[(2000,)](x, y, n, BLOCK=16)
)");
  EXPECT_EQ(job.problem, "");
  EXPECT_EQ(shape_of(job, "x"), "102000 ");
}

TEST_F(InferJob, tells_which_conditions_it_assumed) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x):
    rows, width = x.shape
    block = 512 if torch.is_nice() else 256
    if torch.is_good():
        block = 128
    if rows > 10 ** 9:
        raise ValueError
    scale_rows[(rows,)](x, x, rows, width, x.stride(0), BLOCK=block)
)");
  EXPECT_EQ(job.draft.constexpr_value("BLOCK")->text, "512");
  EXPECT_THAT(config::assumptions(job.draft), Contains("conditions assumed true: kernel.py:13"));
  EXPECT_THAT(config::assumptions(job.draft), Contains("conditions assumed false: kernel.py:14"));
}

TEST_F(InferJob, tries_the_texts_that_the_kernel_compares_an_option_with) {
  InferredJob job = infer(R"(
@triton.jit
def act(src, dst, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(src + i)
    if KIND != "none":
        if KIND == "twice":
            y = x * 2
        tl.store(dst + i, y)

def run(src, kind):
    copy = torch.empty_like(src)
    act[(src.numel() // 64,)](src, copy, KIND=kind, BLOCK=64)
)");
  EXPECT_THAT(job.problem, IsEmpty());
}

TEST_F(InferJob, takes_the_users_values_for_what_was_inferred) {
  const std::string path = write("kernel.py", std::string(kHead) + kScale + R"(
def scale(x):
    rows, width = x.shape
    scale_rows[(rows,)](x, x, rows, width, x.stride(0), BLOCK=triton.next_power_of_2(width))
)");
  InferredJob job = infer_job({path, {}, {}, {"width=96", "rows=8"}}).value();
  EXPECT_THAT(job.problem, IsEmpty());
  EXPECT_EQ(job.draft.scalar("width")->text, "96");
  EXPECT_EQ(job.draft.scalar("width")->remark, "--set");
  EXPECT_THAT(infer_job({path, {}, {}, {"height=1"}}).value().problem, HasSubstr("height"));
}

TEST_F(InferJob, finds_the_launch_in_another_file_of_the_package) {
  write("pkg/__init__.py", "");
  write("pkg/host.py", R"(
import torch
from pkg.kernels.rows import scale_rows

def scale(x):
    y = torch.empty_like(x)
    scale_rows[(x.shape[0],)](x, y, x.shape[0], x.shape[1], x.stride(0), 512)
)");
  write("pkg/kernels/__init__.py", "");
  const std::string path = write("pkg/kernels/rows.py", std::string(kHead) + kScale);
  InferredJob job = infer_job({path, {}, {}}).value();
  EXPECT_EQ(job.draft.launch, "host.py:7");
  EXPECT_EQ(job.draft.constexpr_value("BLOCK")->text, "512");
}

TEST_F(InferJob, takes_the_kernel_that_is_launched_first_and_says_so) {
  const std::string text = std::string(kScale) + R"(
@triton.jit
def clear(dst, BLOCK: tl.constexpr):
    tl.store(dst + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 0.0)

def run(x, y):
    scale_rows[(4,)](x, y, 4, 64, 64, 64)
    clear[(4,)](y, 64)
)";
  const InferredJob first = infer(text);
  EXPECT_EQ(first.draft.function, "scale_rows");
  EXPECT_THAT(first.draft.function_remark, HasSubstr("--kernel picks another: clear"));
  EXPECT_THAT(config::assumptions(first.draft), Contains(HasSubstr("kernel = scale_rows")));
  const InferredJob other = infer(text, "clear");
  EXPECT_EQ(other.draft.function, "clear");
  EXPECT_THAT(other.draft.function_remark, IsEmpty());
}

TEST_F(InferJob, runs_the_hook_that_gives_descriptors_their_blocks) {
  InferredJob job = infer(R"(
from triton.tools.tensor_descriptor import TensorDescriptor

def set_blocks(nargs):
    if not isinstance(nargs["src"], TensorDescriptor):
        return
    nargs["src"].block_shape = [nargs["ROWS"], nargs["COLS"]]
    nargs["dst"].block_shape = [nargs["ROWS"], nargs["COLS"] // 2 if nargs.get("HALF", False) else nargs["COLS"]]

def configs(pre_hook=None):
    return [triton.Config({"ROWS": rows, "COLS": 64}, num_warps=4, pre_hook=pre_hook) for rows in [32, 64]]

@triton.autotune(configs=configs(pre_hook=set_blocks), key=["N"])
@triton.jit
def copy(src, dst, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS
    col = tl.program_id(1) * COLS
    dst.store([row, col], src.load([row, col]))

def run(x):
    M, N = x.shape
    y = torch.empty_like(x)
    nothing = [1, 1]
    a = TensorDescriptor.from_tensor(x, nothing)
    b = TensorDescriptor.from_tensor(y, nothing)
    grid = lambda meta: (triton.cdiv(M, meta["ROWS"]), triton.cdiv(N, meta["COLS"]))
    copy[grid](a, b, M, N)
)");
  EXPECT_THAT(job.problem, IsEmpty());
  EXPECT_THAT(job.draft.tensor("src")->block, ElementsAre("ROWS", "COLS"));
  EXPECT_THAT(job.draft.tensor("dst")->block, ElementsAre("ROWS", "COLS"));
}

TEST_F(InferJob, survives_files_that_import_each_other_and_lists_that_hold_themselves) {
  write("first.py", "from second import helper\n");
  write("second.py", "from first import helper\n");
  InferredJob job = infer(std::string(kScale) + R"(
from first import helper
loop = loop
def run(x):
    many = [1]
    many.append(many)
    if many == many and helper(loop):
        pass
    scale_rows[(4,)](x, x, 4, 64, 64, 64)
)");
  EXPECT_EQ(job.draft.launch, "kernel.py:18");
}

/// A guess by its name makes the condition true; the launch lies behind it.
TEST_F(InferJob, follows_host_code_past_an_early_return) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x, dropout_p):
    rows, width = x.shape
    y = torch.empty_like(x)
    if dropout_p == 0:
        return y
    scale_rows[(rows,)](x, y, rows, width, x.stride(0), BLOCK=triton.next_power_of_2(width))
    return y
)",
                          "scale_rows");
  EXPECT_EQ(job.draft.grid.at(0), "rows");
  EXPECT_THAT(job.problem, IsEmpty());
}

TEST_F(InferJob, takes_the_launch_that_gives_every_parameter) {
  InferredJob job = infer(std::string(kScale) + R"(
def left_behind(x, y):
    scale_rows[(64,)](x, x.stride(0), 64, BLOCK=16)

def scale(x):
    rows, width = x.shape
    y = torch.empty_like(x)
    scale_rows[(rows,)](x, y, rows, width, x.stride(0), BLOCK=triton.next_power_of_2(width))
)");
  EXPECT_EQ(job.draft.grid.at(0), "rows");
  EXPECT_THAT(job.problem, IsEmpty());
}

TEST_F(InferJob, gives_numbers_that_host_code_leaves_out_a_value) {
  InferredJob job = infer(R"(
@triton.jit
def scaled(src, dst, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + at, tl.load(src + at) * scale)

def run(x, scale=None):
    x = torch.empty(1024)
    scaled[(16,)](x, torch.empty(1024), scale=None, BLOCK=64)
)");
  EXPECT_EQ(job.draft.scalar("scale")->text, "1.0");
  EXPECT_THAT(job.problem, IsEmpty());
}

TEST_F(InferJob, sees_bytes_that_are_read_as_floating_numbers) {
  InferredJob job = infer(R"(
@triton.jit
def decode(codes, dst, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    code = tl.load(codes + at)
    tl.store(dst + at, code.to(tl.float8e4nv, bitcast=True).to(tl.float32))

def run(codes, dst):
    decode[(16,)](codes, dst, BLOCK=64)
)");
  EXPECT_EQ(job.draft.tensor("codes")->dtype.text, "uint8");
  EXPECT_THAT(job.problem, IsEmpty());
}

TEST_F(InferJob, believes_annotations_of_numbers) {
  InferredJob job = infer(R"(
@triton.jit
def raised(src, dst, p: float, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + at, tl.load(src + at) * tl.exp(p - 1))

def run(ctx, src, dst):
    src, dst, p = ctx.saved_tensors
    raised[(16,)](src, dst, p, BLOCK=64)
)");
  EXPECT_NE(job.draft.scalar("p"), nullptr);
  EXPECT_THAT(job.problem, IsEmpty());
}

/// A grid that host code does not show: as many blocks as the kernel strides by.
TEST_F(InferJob, launches_persistent_kernels_with_their_number_of_blocks) {
  InferredJob job = infer(R"(
@triton.jit
def walk(src, dst, tiles, NUM_SMS: tl.constexpr, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tiles, NUM_SMS):
        at = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(dst + at, tl.load(src + at))

def run(src, dst, launcher):
    walk[launcher.grid(src)](src, dst, 64, NUM_SMS=24, BLOCK=64)
)");
  EXPECT_EQ(job.draft.grid.at(0), "NUM_SMS");
}

TEST_F(InferJob, prefers_the_file_that_launches_to_one_that_hands_the_kernel_on) {
  write("pkg/__init__.py", "");
  write("pkg/early/host.py", R"(
from pkg.rows import scale_rows

def scale(x):
    other.call(x, kernel=scale_rows, grid=(7,))
)");
  write("pkg/late/host.py", R"(
import torch
from pkg.rows import (
    scale_rows as _scale_rows,
)

def scale(x):
    y = torch.empty_like(x)
    _scale_rows[(x.shape[0],)](x, y, x.shape[0], x.shape[1], x.stride(0), 512)
)");
  const std::string path = write("pkg/rows.py", std::string(kHead) + kScale);
  InferredJob job = infer_job({path, {}, {}}).value();
  EXPECT_EQ(job.draft.launch, "host.py:9");
  EXPECT_EQ(job.draft.constexpr_value("BLOCK")->text, "512");
}

constexpr const char* kPlanes = R"(
@triton.jit
def planes(src, stride_sz, stride_sy, stride_sx, dst, stride_dz, stride_dy, stride_dx, width,
           BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    z = tl.program_id(0)
    y = tl.program_id(1)
    x = tl.load(src + z * stride_sz + y * stride_sy + at * stride_sx, mask=at < width)
    tl.store(dst + z * stride_dz + y * stride_dy + at * stride_dx, x, mask=at < width)
)";

TEST_F(InferJob, gives_spread_strides_as_many_places_as_the_kernel_has) {
  InferredJob job = infer(std::string(kPlanes) + R"(
def run(src, dst, width):
    planes[(4, 8)](src, *src.stride(), dst, *dst.stride(), width, BLOCK=64)
)");
  EXPECT_EQ(job.draft.scalar("stride_sx")->text, "src.stride(2)");
  EXPECT_EQ(job.draft.scalar("stride_dz")->text, "dst.stride(0)");
  EXPECT_EQ(job.draft.scalar("stride_dx")->text, "dst.stride(2)");
  EXPECT_EQ(job.draft.tensor("dst")->shape.size(), 3u);
  EXPECT_EQ(job.draft.tensor("width"), nullptr);
}

TEST_F(InferJob, tells_strides_of_tensors_apart_whose_names_begin_alike) {
  InferredJob job = infer(R"(
@triton.jit
def quantize(Q, Q_scale, stride_qz, stride_qx, stride_qsz, stride_qsx, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    z = tl.program_id(0)
    x = tl.load(Q + z * stride_qz + at * stride_qx)
    tl.store(Q_scale + z * stride_qsz + at * stride_qsx, x)
)");
  EXPECT_EQ(job.draft.scalar("stride_qx")->text, "Q.stride(1)");
  EXPECT_EQ(job.draft.scalar("stride_qsz")->text, "Q_scale.stride(0)");
  EXPECT_EQ(job.draft.scalar("stride_qsx")->text, "Q_scale.stride(1)");
}

TEST_F(InferJob, gives_a_name_of_an_unknown_config_one_value) {
  InferredJob job = infer(R"(
@triton.jit
def parts(src, dst, rows, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    at = tl.program_id(0) // PARTS * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(src + at, mask=at < rows)
    tl.store(dst + tl.program_id(0) % PARTS * rows + at, x, mask=at < rows)

def run(src, rows, settings):
    config = load_settings(settings)
    dst = torch.empty((config["PARTS"], rows))
    grid = lambda meta: (config["PARTS"] * triton.cdiv(rows, meta["BLOCK"]),)
    parts[grid](src, dst, rows, **config)
)");
  EXPECT_EQ(job.draft.constexpr_value("PARTS")->text, "host_PARTS");
  EXPECT_THAT(job.draft.grid.at(0), HasSubstr("host_PARTS"));
}

TEST_F(InferJob, finds_a_launch_that_the_defaults_lead_past) {
  InferredJob job = infer(std::string(kScale) + R"(
def scale(x, out=None, rowwise=False):
    if rowwise and out is not None:
        scale_rows[(x.shape[0],)](x, out, x.shape[0], x.shape[1], x.stride(0), 256)
    else:
        torch.mul(x, 2, out=out)
)");
  EXPECT_EQ(job.draft.launch, "kernel.py:13");
  EXPECT_EQ(job.draft.constexpr_value("BLOCK")->text, "256");
}

TEST_F(InferJob, says_nothing_of_kernels_whose_language_has_no_drafts) {
  const std::string path = write("k.hip", "__global__ void k(float* x) { x[blockIdx.x] = 1; }\n");
  EXPECT_FALSE(infer_job({path, {}, {}}).has_value());
}

}  // namespace
}  // namespace heddle::infer
