#include "config/skeleton.h"

#include "config/testing.h"

namespace heddle::testing {
namespace {

const SkeletonInput kGemmInput = {"kernels/gemm.py",
                                  "gemm_kernel",
                                  {{"a_ptr"},
                                   {"b_ptr"},
                                   {"bias", false, "None"},
                                   {"M"},
                                   {"N"},
                                   {"K"},
                                   {"stride_am"},
                                   {"stride_ak"},
                                   {"stride_bk"},
                                   {"stride_x"},
                                   {"eps"},
                                   {"BLOCK_M", true},
                                   {"GROUP_SIZE", true},
                                   {"ACTIVATION", true},
                                   {"OUT_DTYPE", true},
                                   {"IS_CAUSAL", true},
                                   {"num_stages", true, "3"},
                                   {"EVEN_K", true}},
                                  2,
                                  {"BLOCK_M", "EVEN_K"}};

const std::string kExpected =
    R"toml(# A job for scale: what heddle should know about one launch of it.
# Values marked 'guess' are to be checked. Strings are expressions, in Python's way;
# a text inside needs quotes of its own: "'relu'".

kernel = "k.py"
function = "scale"
grid = [1024]  # guess: 1 to 3 extents, axis 0 first, such as ["cdiv(N, BLOCK)"]

[sizes]  # names for the expressions below; not passed to the kernel
# rows = 1024

[tensors.x_ptr]
dtype = "fp16"  # guess
shape = [1024]  # guess; numbers or expressions, such as ["M", "K"]
# strides = ...          # in elements; row-major if left out
# contents = "uniform(0, 100)"  # only where addresses depend on what it holds

[scalars]
n = 1024  # guess
x_row_stride = "x_ptr.stride(0)"  # guess
# alpha = ...  # the kernel's default: 1.0

[constexprs]
BLOCK = 64  # guess

[launch]
# warps = 4              # of a block
# stages = 2             # of pipelined loops
# registers = 128        # of a thread, where known
# shared_bytes = 65536   # of a block, where known
)toml";

TEST(Skeleton, IsACommentedJob) {
  const SkeletonInput input = {
      "k.py",
      "scale",
      {{"x_ptr"}, {"n"}, {"x_row_stride"}, {"alpha", false, "1.0"}, {"BLOCK", true}}};
  EXPECT_EQ(job_skeleton(input), kExpected);
}

TEST(Skeleton, IsAcceptedAsItIs) {
  const Job job = job_of(job_skeleton(kGemmInput));
  EXPECT_EQ(job.function, "gemm_kernel");
  EXPECT_EQ(std::get<std::int64_t>(job.config), 0);
  // What has a default or is set by decorators is left out.
  EXPECT_EQ(job.argument_names(),
            (std::vector<std::string>{"a_ptr", "b_ptr", "bias", "M", "N", "K", "stride_am",
                                      "stride_ak", "stride_bk", "stride_x", "eps", "GROUP_SIZE",
                                      "ACTIVATION", "OUT_DTYPE", "IS_CAUSAL"}));
  const Launch launch = make_launch(job, resolve_arguments(job, {}), {});
  EXPECT_EQ(launch.tensors[0].shape, (Integers{1024, 1024}));
  EXPECT_EQ(launch.tensors[1].shape, (Integers{1024}));
  EXPECT_EQ(launch.find("stride_am")->value, integer(1024));
  EXPECT_EQ(launch.find("stride_ak")->value, integer(1));
  EXPECT_EQ(launch.find("stride_x")->value, integer(1));
  EXPECT_EQ(launch.find("eps")->value, Value{1e-6});
  EXPECT_EQ(launch.find("OUT_DTYPE")->value, Value{std::string("tl.float16")});
  EXPECT_EQ(launch.find("IS_CAUSAL")->value, Value{false});
  EXPECT_EQ(launch.find("ACTIVATION")->value, Value{std::string()});
}

TEST(Skeleton, SurvivesHostileTexts) {
  const SkeletonInput input = {
      "a\"b\\c\n.py", "f\n= 1", {{"x y"}, {"n", false, "1\nkernel = 2"}, {"B", true, "\r\n[x]"}}};
  const Job job = job_of(job_skeleton(input));
  EXPECT_EQ(job.kernel_path, std::string(HEDDLE_WORK_DIR) + "/a\"b\\c\n.py");
  EXPECT_TRUE(job.argument_names().empty());
}

const std::string kCxxExpected =
    R"toml(# A job for scan: what heddle should know about one launch of it.
# Values marked 'guess' are to be checked. Strings are expressions, in Python's way;
# a text inside needs quotes of its own: "'relu'".

kernel = "k.hip"
function = "scan<64, float, true>"  # guess: template <int TILE, typename T, bool IN_PLACE>
grid = [1024]  # guess: 1 to 3 extents, axis 0 first, such as ["cdiv(N, BLOCK)"]

[sizes]  # names for the expressions below; not passed to the kernel
# rows = 1024

[tensors.a]
dtype = "fp32"  # float4: the shape counts single numbers
shape = [1024]  # guess; numbers or expressions, such as ["M", "K"]
# strides = ...          # in elements; row-major if left out
# contents = "uniform(0, 100)"  # only where addresses depend on what it holds

[scalars]
# p is a Params, which a job cannot give
n = 1024  # guess
alpha = 1.0  # guess

[constexprs]  # macros: BLOCK = 16 is -DBLOCK=16

[launch]
threads = 256            # guess: blockDim; [16, 16] for two axes
# shared_bytes = 0       # of dynamic shared memory, the third value in <<< >>>
)toml";

TEST(Skeleton, OfACxxKernel) {
  SkeletonInput input = {"k.hip", "scan", {{"a"}, {"n"}, {"alpha"}, {"p"}}};
  input.has_threads = input.constexprs_are_macros = true;
  input.template_parameters = {"int TILE", "typename T", "bool IN_PLACE"};
  input.parameters[0].guess = ParameterGuess::pointer;
  input.parameters[0].dtype = "fp32";
  input.parameters[0].remark = "float4: the shape counts single numbers";
  input.parameters[1].dtype = "int32";
  input.parameters[2].dtype = "fp32";
  for (std::size_t i : {1u, 2u}) input.parameters[i].guess = ParameterGuess::scalar;
  input.parameters[3].annotation = "Params";
  input.parameters[3].is_strange = true;
  EXPECT_EQ(job_skeleton(input), kCxxExpected);
  const Job job = job_of(job_skeleton(input));
  const Launch launch = make_launch(job, resolve_arguments(job, {}), {});
  EXPECT_EQ(launch.thread_count(), 256);
  EXPECT_EQ(launch.function, "scan<64, float, true>");
}

ParameterGuess guess(const std::string& name, const std::string& annotation = "") {
  return guess_parameter({name, false, "", annotation}, {});
}

TEST(Skeleton, GuessesByTheName) {
  for (const std::string name :
       {"a_ptr", "x_ptrs", "output_ptr", "XPtr",  "X",   "Y",      "W",     "A",
        "B",     "C",      "Q",          "V",     "Out", "out",    "DX",    "DO",
        "x",     "Mean",   "Rstd",       "ptr_x", "p_x", "a_desc", "weight"}) {
    EXPECT_EQ(guess(name), ParameterGuess::pointer) << name;
  }
  for (const std::string name : {"stride_am", "stride", "x_row_stride", "x_stride_b", "STRIDE_X"}) {
    EXPECT_EQ(guess(name), ParameterGuess::stride) << name;
  }
  for (const std::string name :
       {"M", "N", "K", "n_elements", "eps", "n", "seq_len", "H", "scale", "T", "DK"}) {
    EXPECT_EQ(guess(name), ParameterGuess::scalar) << name;
  }
  EXPECT_EQ(guess("whatever", "tl.pointer_type(tl.float16)"), ParameterGuess::pointer);
  EXPECT_EQ(guess("X", "tl.int32"), ParameterGuess::scalar);
  EXPECT_EQ(guess_parameter({"K"}, {{"Q"}, {"K"}, {"V"}}), ParameterGuess::pointer);
  SkeletonParameter told{"M"};
  told.guess = ParameterGuess::pointer;
  EXPECT_EQ(guess_parameter(told, {}), ParameterGuess::pointer);
}

}  // namespace
}  // namespace heddle::testing
