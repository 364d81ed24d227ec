// Which names of a text are the tile: found by rule, or named.
#include "order/testing.h"

namespace heddle::testing {
namespace {

using Names = std::vector<std::string>;

struct Found {
  Names names;
  std::string note;
};

Found found(const std::string& text, const Space& space, const std::string& let = {}) {
  const order::Program program = triton(text, let).program(space);
  Found result{program.result_names, {}};
  for (const std::string& note : program.notes) {
    if (note.rfind("result: ", 0) == 0) result.note = note;
  }
  return result;
}

TEST(Result, NamesAssignedFromProgramIdsAndReassigned) {
  const Found one = found("pid = tl.program_id(0)\nx = pid % 8\npid = x + 1", launch({8}));
  EXPECT_EQ(one.names, (Names{"pid"}));
  EXPECT_EQ(one.note, "result: pid (assigned from program ids and reassigned)");
  const Found later = found("pid = tl.program_id(0)\npid = pid + 1\nx = pid * 2", launch({8}));
  EXPECT_EQ(later.names, (Names{"pid"}));
  const Found two =
      found("m = tl.program_id(0)\nn = tl.program_id(1)\nx = m + n\nn = x\nm = x", launch({8, 8}));
  EXPECT_EQ(two.names, (Names{"m", "n"}));
  const Found exchanged =
      found("n = tl.program_id(1)\nm = tl.program_id(0)\nm = m + 1", launch({8, 8}));
  EXPECT_EQ(exchanged.names, (Names{"m", "n"}));  // by axis, not by the order of lines
}

TEST(Result, LastAssignedOtherwise) {
  const Found one = found("pid = tl.program_id(0)\nx = pid % 8\ntile = x + 1", launch({8}));
  EXPECT_EQ(one.names, (Names{"tile"}));
  EXPECT_EQ(one.note.rfind("result: tile (the last assigned", 0), 0U) << one.note;
  const Found two =
      found("pid = tl.program_id(0)\npid_m = pid // 8\npid_n = pid % 8", tiled({8, 8}));
  EXPECT_EQ(two.names, (Names{"pid_m", "pid_n"}));
  const Found remapped = found(
      "pid = tl.program_id(0)\npid = pid + 0\npid_m = pid // 8\npid_n = pid % 8", tiled({8, 8}));
  EXPECT_EQ(remapped.names, (Names{"pid_m", "pid_n"}));
  const Found linear = found("pid = tl.program_id(0)\npid = pid + 0", tiled({8, 8}));
  EXPECT_EQ(linear.names, (Names{"pid"}));
}

TEST(Result, ALoneExpressionIsTheTile) {
  EXPECT_EQ(found("p0 + 1", launch({8})).names, (Names{"tile"}));
  EXPECT_EQ(found("p1, p0", launch({8, 8})).names, (Names{"tile0", "tile1"}));
  EXPECT_EQ(values_at(triton("p1, p0"), 9, launch({8, 8})), (std::vector<std::int64_t>{1, 1}));
}

TEST(Result, HelpersAssignNothing) {
  const Found one =
      found("def f(x):\n    last = x + 1\n    return last\ntile = f(p0)", launch({8}));
  EXPECT_EQ(one.names, (Names{"tile"}));
}

TEST(Result, AFunctionReturnsIt) {
  const Found one = found("def f(pid):\n    return pid + 1", launch({8}));
  EXPECT_EQ(one.note, "result: the return value of f");
  bool told = false;
  for (const std::string& note :
       triton("def f(pid):\n    return pid + 1").program(launch({8})).notes) {
    told = told || note == "parameter 'pid' of f taken as the launch index p0";
  }
  EXPECT_TRUE(told);
}

TEST(Result, AFunctionWithoutReturnAssignsIt) {
  const Found one =
      found("def kernel(out):\n    pid = tl.program_id(0)\n    pid = pid + 1\n", launch({8}));
  EXPECT_EQ(one.names, (Names{"pid"}));
}

TEST(Result, MayBeNamed) {
  Text text = triton("pid = tl.program_id(0)\npid = pid + 1\nx = pid * 2\ny = 7");
  text.results = {"x"};
  EXPECT_EQ(values_at(text, 3, launch({8})), (std::vector<std::int64_t>{8}));
  text.results = {"y", "x"};
  EXPECT_EQ(values_at(text, 3, launch({8, 8})), (std::vector<std::int64_t>{7, 8}));
}

TEST(Result, NamedButMissing) {
  Text text = triton("pid = tl.program_id(0)\nx = pid\nx = x + 1");
  text.results = {"pid_m"};
  const Error error = error_of(text);
  EXPECT_TRUE(contains(error.message(), "'pid_m' is never assigned"));
  EXPECT_TRUE(contains(error.hint(), "pid x"));
}

TEST(Result, NamedButMaybeUnassigned) {
  Text text = triton("if p0 > 3:\n    x = 1\ny = 2");
  text.results = {"x"};
  EXPECT_TRUE(contains(error_of(text).message(), "'x' is not assigned on every path"));
  EXPECT_TRUE(
      contains(error_of(triton("if p0 > 3:\n    x = 1\ny = x")).message(), "may be used before"));
  EXPECT_TRUE(contains(error_of(triton("for i in range(p0):\n    x = 1\ny = x")).message(),
                       "may be used before"));
  EXPECT_TRUE(contains(error_of(c_like("int x; if (blockIdx.x > 3) x = 1; int y = x;")).message(),
                       "may be used before"));
  EXPECT_TRUE(contains(error_of(c_like("int x; int y = x + 1;")).message(), "may be used before"));
}

TEST(Result, ANumberOfTheBlockThatIsReassigned) {
  order::Shape plane{2, 2, false};
  const auto names = [&](const Text& text) {
    return text.order().program(plane, text.bindings()).result_names;
  };
  EXPECT_EQ(names(c_like("int pid = blockIdx.y * gridDim.x + blockIdx.x;\n"
                         "int n = gridDim.x * gridDim.y;\npid = n - 1 - pid;")),
            std::vector<std::string>({"pid"}));
  EXPECT_EQ(names(triton("pid_m = tl.program_id(0)\npid_n = tl.program_id(1)\n"
                         "pid = pid_m * g1 + pid_n\nn = g0 * g1\npid = n - 1 - pid")),
            std::vector<std::string>({"pid"}));
  // A column that is mirrored afterwards is still one of two results.
  EXPECT_EQ(names(triton("t = p0 + p1 * g0\nrow = t // g0\ncol = t % g0\ncol = g0 - 1 - col")),
            std::vector<std::string>({"row", "col"}));
}

TEST(Result, NothingAssigned) {
  EXPECT_TRUE(contains(error_of(triton("")).message(), "assigns nothing"));
  EXPECT_TRUE(contains(error_of(triton("# only a comment\n")).message(), "assigns nothing"));
  EXPECT_FALSE(error_of(triton("")).hint().empty());
}

TEST(Result, ADeclaredFunctionTakesNoResultName) {
  Text text = triton("def f(pid):\n    return pid");
  text.results = {"pid"};
  EXPECT_TRUE(contains(error_of(text).message(), "--result"));
}

}  // namespace
}  // namespace heddle::testing
