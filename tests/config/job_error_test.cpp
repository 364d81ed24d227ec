// Every error text of a job file. The line and column are those of the value, or of the key.
#include <fmt/format.h>

#include "config/testing.h"

namespace heddle::testing {
namespace {

std::string in_tensor(const std::string& keys) {
  return error_of_job(kHead + "[tensors.t]\ndtype = \"int32\"\n" + keys + "\n");
}

std::string in_table(const std::string& table, const std::string& line) {
  return error_of_job(kHead + "[" + table + "]\n" + line + "\n");
}

TEST(JobErrors, UnknownKeys) {
  EXPECT_EQ(error_of_job(kHead + "tensor = 1\n"),
            "job.toml:3:1: 'tensor' is not a key of a job\n"
            "  try: did you mean 'tensors'? the keys are: kernel function include defines grid "
            "config sizes "
            "tensors scalars constexprs launch captured");
  EXPECT_EQ(
      in_tensor("shape = 1\nstride = [1]"),
      "job.toml:6:1: 'stride' is not a key of a tensor\n"
      "  try: did you mean 'strides'? the keys are: dtype shape strides contents seed address "
      "block parameter");
  EXPECT_EQ(in_table("launch", "num_warps = 4"),
            "job.toml:4:1: 'num_warps' is not a key of [launch]\n"
            "  try: the keys are: warps stages threads registers shared_bytes");
  EXPECT_EQ(in_table("scalars", "x = { value = 1, type = \"i32\" }"),
            "job.toml:4:18: 'type' is not a key of a scalar\n"
            "  try: did you mean 'dtype'? the keys are: value dtype");
}

TEST(JobErrors, MissingKeys) {
  EXPECT_EQ(error_of_job("grid = 1\n"),
            "job.toml: the job has no 'kernel'\n"
            "  try: add kernel = \"kernel.py\", relative to this file");
  EXPECT_EQ(error_of_job("kernel = \"k.py\"\n"),
            "job.toml: the job has no 'grid'\n"
            "  try: add grid = [\"cdiv(M, BLOCK_M)\", \"cdiv(N, BLOCK_N)\"], axis 0 first");
  EXPECT_EQ(error_of_job(kHead + "[tensors.t]\nshape = 1\n"),
            "job.toml:3:1: tensor 't' has no 'dtype'\n  try: add dtype = \"fp16\"");
  EXPECT_EQ(in_tensor(""),
            "job.toml:3:1: tensor 't' has no 'shape'\n  try: add shape = [\"M\", \"N\"]");
  EXPECT_EQ(in_table("scalars", "x = { dtype = \"i32\" }"),
            "job.toml:4:5: 'x' has no 'value'\n  try: write { value = 5, dtype = \"int64\" }");
}

TEST(JobErrors, WrongKindsOfValues) {
  EXPECT_EQ(error_of_job("kernel = 3\ngrid = 1\n"),
            "job.toml:1:10: 'kernel' must be a text, not an integer\n"
            "  try: write kernel = \"kernel.py\"");
  EXPECT_EQ(error_of_job(kHead + "function = \"\"\n"),
            "job.toml:3:12: 'function' must be a text, not an empty one\n"
            "  try: write function = \"gemm_kernel\"");
  EXPECT_EQ(error_of_job(kHead + "sizes = 3\n"),
            "job.toml:3:9: 'sizes' must be a table, not an integer\n"
            "  try: write [sizes] and its keys in the lines below");
  EXPECT_EQ(error_of_job(kHead + "scalars = [1]\n"),
            "job.toml:3:11: 'scalars' must be a table, not an array\n"
            "  try: write [scalars] and its keys in the lines below");
  EXPECT_EQ(error_of_job(kHead + "launch = true\n"),
            "job.toml:3:10: 'launch' must be a table, not a boolean\n"
            "  try: write [launch] and its keys in the lines below");
  EXPECT_EQ(error_of_job(kHead + "tensors = 1.5\n"),
            "job.toml:3:11: 'tensors' must be a table, not a float\n"
            "  try: write [tensors] and its keys in the lines below");
  EXPECT_EQ(error_of_job(kHead + "[tensors]\nt = \"fp16\"\n"),
            "job.toml:4:5: tensor 't' must be a table, not a text\n"
            "  try: write [tensors.t] and its keys in the lines below");
  EXPECT_EQ(in_table("sizes", "n = { a = 1 }"),
            "job.toml:4:5: 'n' must be a value, not a table\n"
            "  try: write a number, or an expression in quotes");
  EXPECT_EQ(in_table("sizes", "n = 2024-01-01"),
            "job.toml:4:5: dates and times mean nothing here\n"
            "  try: write a number, or a text in quotes");
  EXPECT_EQ(in_tensor("shape = 1\nparameter = 0"),
            "job.toml:6:13: 'parameter' is true or false\n  try: write parameter = false");
  EXPECT_EQ(in_tensor("shape = 1\ncontents = 0"),
            "job.toml:6:12: 'contents' must be a text, not an integer\n"
            "  try: write contents = \"uniform(0, 100)\"");
  for (const std::string config : {"-1", "\"0\"", "1.5", "[0]"}) {
    EXPECT_EQ(error_of_job(kHead + "config = " + config + "\n"),
              "job.toml:3:10: 'config' is the number of a triton.Config, from 0, or a table of its "
              "values\n  try: write config = 0 or config = { BLOCK_M = 128 }");
  }
  EXPECT_EQ(error_of_job(kHead + "config = { BLOCK = \"N\" }\n"),
            "job.toml:3:20: 'N' is not known, in \"N\"\n  try: use numbers only");
}

TEST(JobErrors, Types) {
  const std::string hint =
      "  try: use int1 int8 uint8 int16 uint16 int32 uint32 int64 uint64 fp8e4nv fp8e5 fp16 bf16 "
      "fp32 fp64, or PyTorch's names";
  EXPECT_EQ(error_of_job(kHead + "[tensors.t]\ndtype = \"fp17\"\nshape = 1\n"),
            "job.toml:4:9: 'fp17' is not a type\n" + hint);
  EXPECT_EQ(in_table("scalars", "x = { value = 1, dtype = \"integer\" }"),
            "job.toml:4:26: 'integer' is not a type\n" + hint);
}

TEST(JobErrors, Names) {
  EXPECT_EQ(error_of_job(kHead + "[sizes]\nM = 1\n[scalars]\nM = 2\n"),
            "job.toml:6:1: 'M' is both a size and a scalar\n"
            "  try: expressions can name scalars, constexprs and tensors, too: leave one of them "
            "out");
  EXPECT_EQ(error_of_job(kHead + "[tensors.M]\ndtype = \"i8\"\nshape = 1\n[constexprs]\nM = 2\n"),
            "job.toml:7:1: 'M' is both a tensor and a constexpr\n"
            "  try: expressions can name scalars, constexprs and tensors, too: leave one of them "
            "out");
  for (const std::string name : {"\"a b\"", "2x", "None", "\"\"", "a-b"}) {
    const std::string plain = name[0] == '"' ? name.substr(1, name.size() - 2) : name;
    EXPECT_EQ(in_table("sizes", name + " = 1"),
              "job.toml:4:1: '" + plain +
                  "' cannot be a name\n"
                  "  try: use letters, digits and underscores; no word of Python");
  }
}

TEST(JobErrors, ExpressionsHaveTheirPlace) {
  EXPECT_EQ(in_table("sizes", "M = 1\nn = \"M +* 2\""),
            "job.toml:5:5: '*' was not expected, in \"M +* 2\"\n"
            "  try: use Python's operators: + - * / // % ** << >> & | and or not");
  EXPECT_EQ(in_table("sizes", "M = 1\nn = \"cdiv(MM, 2)\""),
            "job.toml:5:5: 'MM' is not known, in \"cdiv(MM, 2)\"\n"
            "  try: did you mean 'M'? the names are: M n num_warps num_stages");
  EXPECT_EQ(in_table("sizes", "n = \"1 // 0\"\nm = \"n + 1\""),
            "job.toml:4:5: '//' divides by zero, in \"1 // 0\"\n  try: check the divisor");
  EXPECT_EQ(in_tensor("shape = [2,\n  \"3 + oops\"]"),
            "job.toml:6:3: 'oops' is not known, in \"3 + oops\"\n"
            "  try: the names are: t num_warps num_stages");
  EXPECT_EQ(error_of_job("kernel = \"k.py\"\ngrid = [1, \"N\"]\n"),
            "job.toml:2:12: 'N' is not known, in \"N\"\n"
            "  try: the names are: num_warps num_stages");
  EXPECT_EQ(error_of_job("kernel = \"k.py\"\ngrid = [1, \"csr_nnz(1, 1, 1)\"]\n"),
            "job.toml:2:12: csr_nnz has no place in a grid, in \"csr_nnz(1, 1, 1)\"\n"
            "  try: give it a name under [sizes]");
  // A long one is cut.
  EXPECT_EQ(in_table("sizes", "n = \"oops + " + std::string(500, ' ') + "1\""),
            "job.toml:4:5: 'oops' is not known, in \"oops + " + std::string(113, ' ') +
                "...\"\n  try: the names are: n num_warps num_stages");
}

TEST(JobErrors, ATextWithoutItsQuotes) {
  EXPECT_EQ(in_table("constexprs", "ACTIVATION = \"relu\""),
            "job.toml:4:14: 'relu' is not known, in \"relu\"\n"
            "  try: to pass the text, quote it: ACTIVATION = \"'relu'\"");
  EXPECT_EQ(in_table("scalars", "x = \"'relu'\""),
            "job.toml:4:5: the scalar 'x' is a text, in \"'relu'\"\n"
            "  try: texts go under [constexprs]");
}

TEST(JobErrors, Circles) {
  EXPECT_EQ(in_table("sizes", "a = \"a + 1\""),
            "job.toml:4:5: 'a' needs itself: a -> a, in \"a + 1\"\n"
            "  try: give one of them a number");
  EXPECT_EQ(in_table("sizes", "a = \"b\"\nb = \"c\"\nc = \"b * 2\""),
            "job.toml:6:5: 'b' needs itself: b -> c -> b, in \"b * 2\"\n"
            "  try: give one of them a number");
  EXPECT_EQ(in_tensor("shape = [\"t.numel()\"]"),
            "job.toml:5:10: 't.shape' needs itself: t.shape -> t.shape, in \"t.numel()\"\n"
            "  try: give one of them a number");
  EXPECT_EQ(in_tensor("shape = [2, 2]\nstrides = [\"t.stride(0)\", 1]"),
            "job.toml:6:12: 't.stride' needs itself: t.stride -> t.stride, in \"t.stride(0)\"\n"
            "  try: give one of them a number");
  std::string chain = kHead + "[sizes]\n";
  for (int i = 0; i < 100; ++i) chain += fmt::format("n{} = \"n{} + 1\"\n", i, i + 1);
  EXPECT_EQ(error_of_job(chain + "n100 = 0\n"),
            "job.toml:35:7: more than 32 names need one another in a chain, in \"n32 + 1\"\n"
            "  try: use fewer steps");
}

TEST(JobErrors, Shapes) {
  EXPECT_EQ(in_tensor("shape = [\"-1\"]"),
            "job.toml:5:10: an extent is negative: -1, in \"-1\"\n  try: check the sizes");
  EXPECT_EQ(in_tensor("shape = [2.5]"),
            "job.toml:5:10: an extent must be an integer, not 2.5, in \"2.5\"\n"
            "  try: use // instead of /, or int(...)");
  EXPECT_EQ(in_tensor("shape = [\"[1, 2]\"]"),
            "job.toml:5:10: an extent must be an integer, not a list, in \"[1, 2]\"\n"
            "  try: give a whole number");
  EXPECT_EQ(in_tensor("shape = [4]\nstrides = [-1]"),
            "job.toml:6:12: a stride is negative: -1, in \"-1\"\n"
            "  try: PyTorch has no such tensors: use 0 or more");
  EXPECT_EQ(in_tensor("shape = [4]\nstrides = [4, 1]"),
            "job.toml:6:11: tensor 't' has 1 extent and 2 strides\n"
            "  try: give one stride for each extent, in elements");
  EXPECT_EQ(in_tensor("shape = [4, 4]\nblock = [4]"),
            "job.toml:6:9: tensor 't' needs a block of 2 extents, each at least 1\n"
            "  try: give one extent for each axis of the tensor: block = [128, 64]");
  EXPECT_EQ(in_tensor("shape = [4, 4]\nblock = [4, 0]"),
            "job.toml:6:9: tensor 't' needs a block of 2 extents, each at least 1\n"
            "  try: give one extent for each axis of the tensor: block = [128, 64]");
  EXPECT_EQ(in_tensor("shape = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
            "job.toml:5:9: 'shape' has 17 entries\n  try: there are 16 axes at most");
  EXPECT_EQ(in_tensor("shape = \"[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\""),
            "job.toml:5:9: a list of 17 axes, in \"[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\"\n"
            "  try: there are 16 axes at most");
}

TEST(JobErrors, SizesThatDoNotFit) {
  EXPECT_EQ(in_tensor("shape = [1, \"1 << 40\", \"1 << 40\"]"),
            "job.toml:5:9: tensor 't' has 2^63 elements or more\n  try: make it smaller");
  EXPECT_EQ(in_tensor("shape = [\"1 << 61\", 2]"),
            "job.toml:3:10: tensor 't' has 2^63 bytes or more\n  try: make it smaller");
  EXPECT_EQ(in_tensor("shape = [3, 3]\nstrides = [\"1 << 62\", 1]"),
            "job.toml:3:10: tensor 't' has 2^63 bytes or more\n  try: make it smaller");
  EXPECT_EQ(in_tensor("shape = [\"1 << 60\"]\n[tensors.u]\ndtype = \"i32\"\nshape = \"1 << 60\""),
            "job.toml: the tensors do not fit into the address space\n  try: make them smaller");
}

TEST(JobErrors, Addresses) {
  EXPECT_EQ(in_tensor("shape = 4\naddress = -4"),
            "job.toml:6:11: the tensor does not fit there, in \"-4\"\n"
            "  try: use an address such as 0x7f0000000000");
  EXPECT_EQ(in_tensor("shape = 4\naddress = 0x7ffffffffffffff4"),
            "job.toml:6:11: the tensor does not fit there, in \"9223372036854775796\"\n"
            "  try: use an address such as 0x7f0000000000");
  EXPECT_EQ(in_tensor("shape = 4\naddress = \"0x1000 + 2\""),
            "job.toml:6:11: the address is not a multiple of 4 bytes, the element's size, in "
            "\"0x1000 + 2\"\n  try: allocators give multiples of 512");
  EXPECT_EQ(in_tensor("shape = 4\naddress = 1.5"),
            "job.toml:6:11: an address must be an integer, not 1.5, in \"1.5\"\n"
            "  try: use // instead of /, or int(...)");
}

TEST(JobErrors, Contents) {
  const auto with = [](const std::string& contents) {
    return in_tensor("shape = 4\ncontents = \"" + contents + "\"");
  };
  const std::string known =
      "\n  try: the contents are: zeros, normal, uniform(lo, hi), range, constant(x), permutation, "
      "values(1, 2, 3), csr_offsets(rows, columns, density), csr_columns(rows, columns, density), "
      "file('x.npy'), addresses(t1, t2)";
  EXPECT_EQ(with("random"), "job.toml:6:12: these contents are not known, in \"random\"" + known);
  EXPECT_EQ(with("1 + 1"), "job.toml:6:12: these contents are not known, in \"1 + 1\"" + known);
  EXPECT_EQ(with("uniform"),
            "job.toml:6:12: uniform does not take 0 arguments, in \"uniform\"\n"
            "  try: write uniform(lo, hi)");
  EXPECT_EQ(with("uniform(2, 2)"),
            "job.toml:6:12: uniform(2, 2) is empty, in \"uniform(2, 2)\"\n"
            "  try: the upper bound is not included: write uniform(0, 1) for zeros");
  EXPECT_EQ(with("uniform(0.2, 0.5)"),
            "job.toml:6:12: uniform(0.2, 0.5) has no whole number, in \"uniform(0.2, 0.5)\"\n"
            "  try: the tensor holds integers: widen the range");
  EXPECT_EQ(with("uniform(0, float('inf'))"),
            "job.toml:6:12: the upper bound must be finite, in \"uniform(0, float('inf'))\"\n"
            "  try: give a number");
  EXPECT_EQ(with("normal"),
            "job.toml:6:12: normal needs a floating type, in \"normal\"\n"
            "  try: write uniform(lo, hi) for integers");
  EXPECT_EQ(with("values(1, 2)"),
            "job.toml:6:12: values lists 2 numbers, but the tensor has 4 elements, in "
            "\"values(1, 2)\"\n  try: make both the same");
  EXPECT_EQ(with("csr_offsets(4, 4, 0.5)"),
            "job.toml:6:12: csr_offsets of 4 rows has one number more, but the tensor has 4 "
            "elements, in \"csr_offsets(4, 4, 0.5)\"\n  try: give it a shape of [rows + 1]");
  EXPECT_EQ(with("csr_columns(4, -4, 0.5)"),
            "job.toml:6:12: a sparse matrix cannot be 4 x -4, in \"csr_columns(4, -4, 0.5)\"\n"
            "  try: rows and columns are at least 0");
  EXPECT_EQ(with("csr_columns(4, 4, 5)"),
            "job.toml:6:12: 5 is not a density, in \"csr_columns(4, 4, 5)\"\n"
            "  try: give a share between 0 and 1");
  EXPECT_EQ(with("file(3)"),
            "job.toml:6:12: file needs a path, in \"file(3)\"\n"
            "  try: write file('x.npy'), with its quotes");
  EXPECT_EQ(with("addresses(t)"),
            "job.toml:6:12: addresses take 64 bits, in \"addresses(t)\"\n"
            "  try: use dtype = \"int64\"");
  const auto of_type = [](const std::string& dtype, const std::string& contents) {
    return error_of_job(kHead + "[tensors.t]\ndtype = \"" + dtype + "\"\nshape = 2\ncontents = \"" +
                        contents + "\"\n");
  };
  EXPECT_EQ(of_type("int64", "addresses(t, 3)"),
            "job.toml:6:12: addresses takes names of tensors, in \"addresses(t, 3)\"\n"
            "  try: write addresses(t1, t2)");
  EXPECT_EQ(of_type("int64", "addresses(t)"),
            "job.toml:6:12: addresses names 1 tensor, but the tensor has 2 elements, in "
            "\"addresses(t)\"\n  try: make both the same");
  EXPECT_EQ(of_type("fp16", "csr_columns(1, 1, 1)"),
            "job.toml:6:12: a sparse matrix's indices are integers, in \"csr_columns(1, 1, 1)\"\n"
            "  try: use dtype = \"int32\"");
  EXPECT_EQ(in_tensor("shape = 4\ncontents = \"zeros\"\nseed = -1"),
            "job.toml:7:8: a seed is negative, in \"-1\"\n  try: use 0 or more");
}

TEST(JobErrors, SparseMatricesAreBounded) {
  EXPECT_EQ(in_table("sizes", "n = \"csr_nnz(1 << 30, 1 << 30, 0.5)\""),
            "job.toml:4:5: the sparse matrix has about 5.76e+17 numbers, more than the limit of "
            "33,554,432, in \"csr_nnz(1 << 30, 1 << 30, 0.5)\"\n"
            "  try: use fewer rows or a lower density");
  std::string many = kHead + "[sizes]\n";
  for (int i = 0; i < 20; ++i) many += fmt::format("n{} = \"csr_nnz(8, 8, 0.5, {})\"\n", i, i);
  EXPECT_EQ(error_of_job(many),
            "job.toml:20:7: a job has 16 sparse matrices at most, in \"csr_nnz(8, 8, 0.5, 16)\"\n"
            "  try: use the same one for several tensors");
}

TEST(JobErrors, Scalars) {
  EXPECT_EQ(in_table("scalars", "x = { value = 300, dtype = \"i8\" }"),
            "job.toml:4:15: 300 does not fit into int8, in \"300\"\n  try: use a wider dtype");
  EXPECT_EQ(in_table("scalars", "x = { value = -1, dtype = \"u64\" }"),
            "job.toml:4:15: -1 does not fit into uint64, in \"-1\"\n  try: use a wider dtype");
  EXPECT_EQ(in_table("scalars", "x = { value = 1.5, dtype = \"i32\" }"),
            "job.toml:4:15: a scalar of an integer type must be an integer, not 1.5, in \"1.5\"\n"
            "  try: use // instead of /, or int(...)");
  EXPECT_EQ(in_table("scalars", "x = { value = \"None\", dtype = \"fp32\" }"),
            "job.toml:4:15: a scalar with a dtype must be a number, not None, in \"None\"\n"
            "  try: give a number");
  EXPECT_EQ(error_of_job(kHead + "[tensors.t]\ndtype = \"i8\"\nshape = 1\n[constexprs]\nX = \"t\""),
            "job.toml:7:5: the constexpr 'X' is a tensor, in \"t\"\n"
            "  try: pass it under [scalars]");
}

TEST(JobErrors, LaunchValues) {
  EXPECT_EQ(in_table("launch", "warps = 0"),
            "job.toml:4:9: 'warps' is 0, in \"0\"\n  try: use 1 to 64");
  EXPECT_EQ(in_table("launch", "warps = 3"),
            "job.toml:4:9: 'warps' is 3\n  try: Triton takes powers of two");
  EXPECT_EQ(in_table("launch", "stages = -1"),
            "job.toml:4:10: 'stages' is -1, in \"-1\"\n  try: use 0 to 64");
  EXPECT_EQ(in_table("launch", "registers = 5000"),
            "job.toml:4:13: 'registers' is 5000, in \"5000\"\n  try: use 1 to 1024");
  EXPECT_EQ(in_table("launch", "shared_bytes = \"1 << 40\""),
            "job.toml:4:16: 'shared_bytes' is 1099511627776, in \"1 << 40\"\n"
            "  try: use 0 to 1073741824");
  EXPECT_EQ(in_table("launch", "warps = \"'four'\""),
            "job.toml:4:9: 'warps' must be an integer, not a text, in \"'four'\"\n"
            "  try: give a whole number");
}

TEST(JobErrors, Grids) {
  const auto grid = [](const std::string& text) {
    return error_of_job("kernel = \"k.py\"\ngrid = " + text + "\n[sizes]\nN = 0\n");
  };
  const std::string hint = "\n  try: check the expressions of 'grid' and the sizes in them";
  EXPECT_EQ(grid("[4, \"N\"]"),
            "job.toml:2:8: the grid is [4, 0]: a grid extent is at least 1, not 0" + hint);
  EXPECT_EQ(grid("\"1 << 31\""),
            "job.toml:2:8: the grid is [2147483648]: the grid has 2^31 blocks or more" + hint);
  EXPECT_EQ(grid("[65536, 65536]"),
            "job.toml:2:8: the grid is [65536, 65536]: the grid has 2^31 blocks or more" + hint);
  EXPECT_EQ(grid("[]"),
            "job.toml:2:8: the grid is []: a grid has one to three extents, not 0" + hint);
  EXPECT_EQ(
      grid("[1, 1, 1, 1]"),
      "job.toml:2:8: the grid is [1, 1, 1, 1]: a grid has one to three extents, not 4" + hint);
  EXPECT_EQ(grid("[2.5]"),
            "job.toml:2:9: a grid extent must be an integer, not 2.5, in \"2.5\"\n"
            "  try: use // instead of /, or int(...)");
}

TEST(JobErrors, Overrides) {
  const std::string job = kHead + "[sizes]\nM = 1\n[tensors.t]\ndtype = \"i8\"\nshape = \"M\"\n";
  const auto with = [&](const std::string& text) { return error_of_job(job, {text}); };
  EXPECT_EQ(with("M"), "--set cannot read 'M'\n  try: write --set M=4096");
  EXPECT_EQ(with("2=3"), "--set cannot read '2=3'\n  try: write --set M=4096");
  EXPECT_EQ(with(""), "--set cannot read ''\n  try: write --set M=4096");
  EXPECT_EQ(with("M=1,M=2"), "--set sets 'M' twice\n  try: keep one of them");
  EXPECT_EQ(with("t=3"),
            "--set cannot replace the tensor 't'\n  try: set the sizes that its shape is made of");
  EXPECT_EQ(with("M=1 +"),
            "--set M: the expression ends too early, in \"1 +\"\n  try: complete it");
  EXPECT_EQ(with("M=0.5"),
            "job.toml:7:9: an extent must be an integer, not 0.5, in \"M\"\n"
            "  try: use // instead of /, or int(...)");
  EXPECT_EQ(with("M=K"),
            "--set M: 'K' is not known, in \"K\"\n"
            "  try: the names are: M t num_warps num_stages");
  EXPECT_EQ(
      with("m=4"),
      "--set m: the job has no 'm' to set\n"
      "  try: did you mean 'M'? the names are: M warps stages threads registers shared_bytes");
  EXPECT_EQ(with("warps=3"), "--set warps: 'warps' is 3\n  try: Triton takes powers of two");
}

TEST(JobErrors, ValuesOfTheKernelsConfig) {
  const auto with = [](const NamedValue& entry, const std::string& job = kHead) {
    return error_text(thrown_by([&] { launch_of(job, {}, {entry}); }));
  };
  EXPECT_EQ(with({"num_warps", integer(65)}), "'warps' is 65\n  try: use 1 to 64");
  EXPECT_EQ(with({"num_warps", integer(5)}), "'warps' is 5\n  try: Triton takes powers of two");
  EXPECT_EQ(with({"BLOCK", integer(5)}, kHead + "[sizes]\nBLOCK = 2\n"),
            "job.toml:4:9: 'BLOCK' is a size here and a constexpr of the kernel\n"
            "  try: sizes are not passed to the kernel: move it to [constexprs]");
}

TEST(JobErrors, FilesThatAreNotToml) {
  // What toml++ says differs between its versions.
  const Error error = thrown_by([] { job_of("kernel = 1\ngrid = = 2\n"); });
  EXPECT_EQ(error.position().line, 2);
  EXPECT_EQ(error.message().substr(0, 10), "not TOML: ");
  EXPECT_EQ(error.hint(), "texts need quotes; docs/jobs.md has an example");
  EXPECT_NE(error_of_job(kHead + "[%tensors.x]\n").find("job.toml:"), std::string::npos);
  EXPECT_EQ(thrown_by([] { read_job("no/such.toml", {}); }).full_text(),
            "cannot read 'no/such.toml'\n  try: check the path and its permissions");
  EXPECT_EQ(error_of_job("x = \"" + std::string(1 << 20, 'x') + "\""),
            "'job.toml' is larger than 1048576 bytes\n  try: cut it down to the part that matters");
}

TEST(JobErrors, CharactersBeyondAscii) {
  const std::string outside =
      "a character beyond ASCII stands outside quotes\n  try: put quotes around the text";
  EXPECT_EQ(error_of_job(kHead + "\xc3\xa4 = 1\n"), "job.toml:3:1: " + outside);
  EXPECT_EQ(error_of_job(kHead + "x = 1\xc3\xa4\n"), "job.toml:3:1: " + outside);
  EXPECT_EQ(
      error_of_job("x = \"\"\"a\\  \n \xc3\xa4\"\"\"\n"),
      "job.toml:2:1: a character beyond ASCII in a text with a line that ends in a backslash\n"
      "  try: write the text in one line");
  // In quotes and comments they are welcome.
  const Job job = job_of("kernel = \"\xc3\xa4.py\" # \xc3\xa4\ngrid = 1\n");
  EXPECT_EQ(job.kernel_path, std::string(HEDDLE_WORK_DIR) + "/\xc3\xa4.py");
}

TEST(JobErrors, NestingIsBounded) {
  const auto repeat = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  const std::string dots = "more than 64 dots in a line\n  try: write tables as [tensors.a_ptr]";
  EXPECT_EQ(error_of_job(repeat("a.", 300000) + "a = 1\n"), "job.toml:1:1: " + dots);
  EXPECT_EQ(error_of_job("# one\nx = 'a.b' # c.d\n[" + repeat("a.", 300000) + "a]\n"),
            "job.toml:3:1: " + dots);
  // Quotes and comments cannot hide them.
  EXPECT_EQ(error_of_job("x = [ \"\"\"a\"\"\"\" , {" + repeat("a.", 100) + "a=1}]\n"),
            "job.toml:1:1: " + dots);
  EXPECT_EQ(error_of_job("x = \"\"\"\n'\\\"\"\"\n" + repeat("a.", 100) + "a=1\n" + "\"\"\"\n" +
                         repeat("a.", 100) + "a=1\n"),
            "job.toml:5:1: " + dots);
  EXPECT_EQ(error_of_job("x = '''\n'a''\n''' # '\n" + repeat("'a'.", 100) + "a=1\n"),
            "job.toml:4:1: " + dots);
  // Dots in texts and comments are no keys.
  EXPECT_EQ(error_of_job("# " + repeat("a.", 100) + "\nkernel = \"" + repeat("a.", 100) + "\"\n"),
            "job.toml: the job has no 'grid'\n"
            "  try: add grid = [\"cdiv(M, BLOCK_M)\", \"cdiv(N, BLOCK_N)\"], axis 0 first");
  const Error error = thrown_by([&] { job_of("x = " + repeat("[", 5000) + "\n"); });
  EXPECT_EQ(error.message().substr(0, 10), "not TOML: ");
}

}  // namespace
}  // namespace heddle::testing
