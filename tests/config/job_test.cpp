#include "config/job.h"

#include "config/testing.h"

namespace heddle::testing {
namespace {

const std::string kGemm = R"toml(
kernel = "kernels/gemm.py"
function = "gemm_kernel"
grid = ["cdiv(M, BLOCK_M)", "cdiv(N, BLOCK_N)"]
config = 2

[sizes]
B = 16
heads = "B * 2"

[tensors.c_ptr]
dtype = "fp16"
shape = ["M", "N"]
strides = ["2 * N", 1]

[tensors.a_ptr]
dtype = "bf16"
shape = ["M", "K"]
contents = "uniform(0, M)"
seed = 7
address = 0x7f1200000000
block = ["BLOCK_M", 64]

[tensors.hidden]
dtype = "int64"
shape = 2
contents = "addresses(a_ptr, c_ptr)"
parameter = false

[scalars]
M = 8192
N = "M // 2"
K = 64
stride_am = "a_ptr.stride(0)"
eps = 1e-6
flag = true
bias_ptr = "None"
alias = "c_ptr"
pair = [1, "K"]
big = { value = "B + 1", dtype = "int64" }

[constexprs]
BLOCK_M = 128
BLOCK_N = "next_power_of_2(N // 30)"
ACTIVATION = "'relu'"
OUT = "tl.float16"
EVEN = "K % 64 == 0"

[launch]
warps = 8
stages = "1 + 2"
registers = 128
shared_bytes = 65536
)toml";

TEST(Job, IsReadWithAllItsKeys) {
  const Job job = job_of(kGemm);
  EXPECT_EQ(job.kernel_path, std::string(HEDDLE_WORK_DIR) + "/kernels/gemm.py");
  EXPECT_EQ(job.function, "gemm_kernel");
  EXPECT_EQ(std::get<std::int64_t>(job.config), 2);
  EXPECT_EQ(job.argument_names(),
            (std::vector<std::string>{"c_ptr", "a_ptr", "M", "N", "K", "stride_am", "eps", "flag",
                                      "bias_ptr", "alias", "pair", "big", "BLOCK_M", "BLOCK_N",
                                      "ACTIVATION", "OUT", "EVEN"}));
}

TEST(Job, BecomesALaunch) {
  const Launch launch = launch_of(kGemm);
  EXPECT_EQ(launch.function, "gemm_kernel");
  EXPECT_EQ(launch.grid.text(), "64x16");
  EXPECT_EQ(launch.warps, 8);
  EXPECT_EQ(launch.stages, 3);
  EXPECT_EQ(launch.registers, 128);
  EXPECT_EQ(launch.shared_bytes, 65536);

  ASSERT_EQ(launch.tensors.size(), 3U);
  const Tensor& c = launch.tensors[0];
  EXPECT_EQ(c.name, "c_ptr");
  EXPECT_EQ(c.dtype, DType::float16);
  EXPECT_EQ(c.shape, (Integers{8192, 4096}));
  EXPECT_EQ(c.strides, (Integers{8192, 1}));
  EXPECT_EQ(c.bytes, 2 * (8191 * 8192 + 4096));
  EXPECT_EQ(c.contents.kind, Contents::Kind::unspecified);
  EXPECT_TRUE(c.block.empty());
  const Tensor& a = launch.tensors[1];
  EXPECT_EQ(a.strides, (Integers{64, 1}));
  EXPECT_EQ(a.address, 0x7f1200000000U);
  EXPECT_EQ(a.block, (Integers{128, 64}));
  EXPECT_EQ(a.contents.kind, Contents::Kind::uniform);
  EXPECT_EQ(a.contents.hi, 8192);
  EXPECT_EQ(a.contents.seed, 7U);
  EXPECT_EQ(launch.tensors[2].contents.tensors, (std::vector<std::string>{"a_ptr", "c_ptr"}));

  std::string arguments;
  for (const Argument& argument : launch.arguments) {
    arguments += argument.name + (argument.is_constexpr ? ":" : "=") + value_text(argument.value) +
                 (argument.dtype ? " " + std::string(dtype_text(*argument.dtype)) : "") + "; ";
  }
  EXPECT_EQ(arguments,
            "c_ptr=<tensor 0>; a_ptr=<tensor 1>; M=8192; N=4096; K=64; stride_am=64; eps=1e-06; "
            "flag=True; bias_ptr=None; alias=<tensor 0>; pair=[1, 64]; big=17 int64; BLOCK_M:128; "
            "BLOCK_N:256; ACTIVATION:'relu'; OUT:'tl.float16'; EVEN:True; ");
  EXPECT_EQ(launch.find("hidden"), nullptr);
  ASSERT_NE(launch.find("M"), nullptr);
}

TEST(Job, HasDefaults) {
  const Job job = job_of(kHead);
  EXPECT_TRUE(job.function.empty());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(job.config));
  const Launch launch = launch_of(kHead);
  EXPECT_EQ(launch.grid.text(), "1");
  EXPECT_EQ(launch.warps, 4);
  EXPECT_EQ(launch.stages, 2);
  EXPECT_FALSE(launch.registers.has_value());
  EXPECT_FALSE(launch.shared_bytes.has_value());
}

TEST(Job, LeavesOutWhatWasCompiledForAnotherVendor) {
  const std::string path = write_file(
      ".toml",
      "kernel = \"k.py\"\ngrid = 1\n[launch]\nwarps = 8\nregisters = 64\nshared_bytes = 81920\n"
      "[captured]\ngpu = \"NVIDIA H200\"\n");
  const auto keys = [&](Vendor vendor, const std::vector<std::string>& overrides) {
    Target target;
    target.vendor = vendor;
    std::string text;
    for (const auto& [key, written] : read_job(path, overrides, target).launch) text += key + " ";
    return text;
  };
  EXPECT_EQ(keys(Vendor::nvidia, {}), "registers shared_bytes warps ");
  EXPECT_EQ(keys(Vendor::amd, {}), "warps ");
  EXPECT_EQ(keys(Vendor::amd, {"registers=32"}), "registers warps ");
}

TEST(Job, TakesAnyFormOfAGrid) {
  const auto grid = [](const std::string& text) {
    return launch_of("kernel = \"k.py\"\ngrid = " + text + "\n[sizes]\nN = 6\n").grid.text();
  };
  EXPECT_EQ(grid("\"N * 2\""), "12");
  EXPECT_EQ(grid("5"), "5");
  EXPECT_EQ(grid("[2, \"N\", 4]"), "2x6x4");
  EXPECT_EQ(grid("\"(N, 2)\""), "6x2");
  EXPECT_EQ(grid("2147483647"), "2147483647");
}

TEST(Job, PicksAConfigByItsValues) {
  const Job job = job_of(kHead + "config = { BLOCK_M = 128, MODE = \"'fast'\", X = \"2 ** 3\" }\n");
  const auto& values = std::get<std::vector<NamedValue>>(job.config);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].name, "BLOCK_M");
  EXPECT_EQ(value_text(values[1].value), "'fast'");
  EXPECT_EQ(value_text(values[2].value), "8");
  EXPECT_EQ(job.config_position.line, 3);
}

TEST(Job, EvaluatesInAnyOrder) {
  const Arguments arguments = arguments_of(kHead + R"toml(
[sizes]
a = "b + BLOCK"
b = "t.shape[1] + s"
[scalars]
s = "t.stride(0)"
[constexprs]
BLOCK = "c * 2"
c = 4
[tensors.t]
dtype = "i8"
shape = ["c", 5]
strides = ["t.shape[1] + 1", 1]
[tensors.u]
dtype = "i8"
shape = "t.shape"
strides = "t.stride()"
)toml");
  std::string names;
  for (const NamedValue& entry : arguments.names) {
    names += entry.name + "=" + value_text(entry.value) + " ";
  }
  EXPECT_EQ(names, "a=19 b=11 t=<tensor 0> u=<tensor 1> s=6 BLOCK=8 c=4 num_warps=4 num_stages=2 ");
  EXPECT_EQ(arguments.tensors[1].shape, (Integers{4, 5}));
  EXPECT_EQ(arguments.tensors[1].strides, (Integers{6, 1}));
}

TEST(Job, TensorsHaveTheSpanOfTheirShapeAndStrides) {
  const auto tensor = [](const std::string& keys) {
    return arguments_of(kHead + "[tensors.t]\ndtype = \"fp32\"\n" + keys).tensors[0];
  };
  EXPECT_EQ(tensor("shape = [2, 3, 4]").strides, (Integers{12, 4, 1}));
  EXPECT_EQ(tensor("shape = [2, 3, 4]").bytes, 96);
  EXPECT_EQ(tensor("shape = []").bytes, 4);
  EXPECT_EQ(tensor("shape = 7").bytes, 28);
  EXPECT_EQ(tensor("shape = [0, 4]").bytes, 0);
  EXPECT_EQ(tensor("shape = [3, 0]").strides, (Integers{1, 1}));
  EXPECT_EQ(tensor("shape = [3, 4]\nstrides = [0, 1]").bytes, 16);    // broadcast
  EXPECT_EQ(tensor("shape = [3, 4]\nstrides = [1, 3]").bytes, 48);    // column-major
  EXPECT_EQ(tensor("shape = [3, 4]\nstrides = [10, 2]").bytes, 108);  // with gaps
}

TEST(Job, EveryKindOfContents) {
  const auto contents = [](const std::string& text, const std::string& dtype = "int64",
                           int elements = 3) {
    return arguments_of(kHead + "[sizes]\nn = 2\n[tensors.t]\ndtype = \"" + dtype + "\"\nshape = " +
                        std::to_string(elements) + "\ncontents = \"" + text + "\"\n")
        .tensors[0]
        .contents;
  };
  using ContentsKind = Contents::Kind;
  EXPECT_EQ(contents("zeros").kind, ContentsKind::zeros);
  EXPECT_EQ(contents("zeros()").kind, ContentsKind::zeros);
  EXPECT_EQ(contents("normal", "fp16").kind, ContentsKind::normal);
  EXPECT_EQ(contents("uniform(-n, n)").lo, -2);
  EXPECT_EQ(contents("range").kind, ContentsKind::range);
  EXPECT_EQ(contents("constant(n / 4)").lo, 0.5);
  EXPECT_EQ(contents("permutation").kind, ContentsKind::permutation);
  EXPECT_EQ(contents("values(1, n, 3.5)").values, (std::vector<double>{1, 2, 3.5}));
  EXPECT_EQ(contents("csr_offsets(n, 10, 0.5)").kind, ContentsKind::csr_offsets);
  const Contents columns = contents("csr_columns(n, 10, 0.5)");
  EXPECT_EQ(columns.rows, 2);
  EXPECT_EQ(columns.columns, 10);
  EXPECT_EQ(columns.density, 0.5);
  EXPECT_EQ(columns.seed, 0U);
  EXPECT_EQ(contents("file('data/x.npy')").path, std::string(HEDDLE_WORK_DIR) + "/data/x.npy");
  EXPECT_EQ(contents("file('/x.npy')").path, "/x.npy");
  EXPECT_EQ(contents("addresses(t)", "uint64", 1).tensors, (std::vector<std::string>{"t"}));
}

TEST(Job, SparseTensorsFitTogether) {
  const Launch launch = launch_of(kHead + R"toml(
[sizes]
rows = 64
nonzeros = "csr_nnz(rows, 32, 0.25, 9)"
[tensors.offsets]
dtype = "int32"
shape = ["rows + 1"]
contents = "csr_offsets(rows, 32, 0.25)"
seed = 9
[tensors.columns]
dtype = "int32"
shape = ["nonzeros"]
contents = "csr_columns(rows, 32, 0.25)"
seed = 9
)toml");
  constexpr std::int64_t kLimitBytes = 1 << 20;
  const TensorData offsets(launch, launch.tensors[0], kLimitBytes);
  const TensorData columns(launch, launch.tensors[1], kLimitBytes);
  EXPECT_EQ(offsets.integer(64), launch.tensors[1].shape[0]);
  EXPECT_TRUE(columns.is_known());
}

TEST(Job, OverridesReplaceValues) {
  const Launch launch =
      launch_of(kGemm, {"M=4096", "B = 3, BLOCK_M=min(32, [64, 16][1])", "ACTIVATION='a,b'",
                        "num_warps=2", "registers=64", "big=2**40"});
  EXPECT_EQ(launch.grid.text(), "256x16");
  EXPECT_EQ(launch.tensors[0].shape, (Integers{4096, 2048}));
  EXPECT_EQ(value_text(launch.find("ACTIVATION")->value), "'a,b'");
  EXPECT_EQ(launch.warps, 2);
  EXPECT_EQ(launch.registers, 64);
  EXPECT_EQ(value_text(launch.find("big")->value), "1099511627776");
  EXPECT_EQ(launch.find("big")->dtype, DType::int64);  // kept
}

TEST(Job, ConfigOfTheKernelIsVisibleAndWeaker) {
  const std::string text = R"toml(
kernel = "k.py"
grid = "cdiv(N, BLOCK)"
[scalars]
N = 1000
twice = "BLOCK * 2"
warps_seen = "num_warps"
[constexprs]
OTHER = 5
)toml";
  const std::vector<NamedValue> defaults = {
      {"BLOCK", integer(100)}, {"OTHER", integer(6)}, {"num_warps", integer(8)}};
  const Launch launch = launch_of(text, {}, defaults);
  EXPECT_EQ(launch.grid.text(), "10");
  EXPECT_EQ(launch.warps, 8);
  EXPECT_EQ(launch.find("BLOCK")->value, integer(100));
  EXPECT_TRUE(launch.find("BLOCK")->is_constexpr);
  EXPECT_EQ(launch.find("OTHER")->value, integer(5));
  EXPECT_EQ(launch.find("twice")->value, integer(200));
  EXPECT_EQ(launch.find("warps_seen")->value, integer(8));
  EXPECT_EQ(launch.find("num_warps"), nullptr);
  EXPECT_EQ(launch.arguments.size(), 5U);

  // --set reaches what the config sets, and the job's warps win.
  const Launch set = launch_of(text, {"BLOCK=10,warps=1"}, defaults);
  EXPECT_EQ(set.grid.text(), "100");
  EXPECT_EQ(set.warps, 1);
  EXPECT_EQ(set.find("warps_seen")->value, integer(1));
  EXPECT_EQ(set.find("BLOCK")->value, integer(10));
  EXPECT_EQ(set.arguments.size(), 5U);
}

TEST(Job, HeuristicsAreAddedLast) {
  const std::string text = R"toml(
kernel = "k.py"
grid = ["EXTRA", "GIVEN"]
[constexprs]
GIVEN = 3
)toml";
  const std::vector<NamedValue> defaults = {{"BLOCK", integer(1)}};
  const std::vector<NamedValue> extra = {
      {"EXTRA", integer(7)}, {"GIVEN", integer(4)}, {"BLOCK", integer(2)}};
  const Launch launch = launch_of(text, {}, defaults, extra);
  EXPECT_EQ(launch.grid.text(), "7x3");
  EXPECT_EQ(launch.find("GIVEN")->value, integer(3));  // what the job says wins
  EXPECT_EQ(launch.find("BLOCK")->value, integer(2));
  EXPECT_TRUE(launch.find("EXTRA")->is_constexpr);
  EXPECT_EQ(launch.arguments.size(), 3U);
}

TEST(Job, ArgumentsCanBeFound) {
  const Arguments arguments = arguments_of(kGemm);
  ASSERT_NE(arguments.find("N"), nullptr);
  EXPECT_EQ(arguments.find("N")->value, integer(4096));
  EXPECT_EQ(arguments.find("heads"), nullptr);
}

TEST(Value, PrintsAsPythonDoes) {
  const ValueList list = {Value{true}, Value{1.0}, Value{1e300}, Value{std::string("x")}, Value{}};
  EXPECT_EQ(value_text(Value{list}), "[True, 1.0, 1e+300, 'x', None]");
  EXPECT_EQ(value_text(Value{TensorReference{3}}), "<tensor 3>");
}

}  // namespace
}  // namespace heddle::testing
