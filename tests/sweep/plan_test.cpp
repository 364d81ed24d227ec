#include "sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "sweep/closure.h"
#include "sweep/testing.h"

namespace heddle::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kJob = "kernel = 'k.py'\ngrid = [4]\n";

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::vector<std::string> names(const std::vector<KernelFile>& files) {
  std::vector<std::string> list;
  for (const KernelFile& file : files)
    list.push_back(file.path + (file.function.empty() ? "" : ":" + file.function));
  return list;
}

TEST(FindKernels, jobs_and_kernels_that_no_job_is_about) {
  const Tree tree;
  tree.write("a/job.toml", kJob);
  tree.write("a/k.py", "@triton.jit\ndef k(x): pass\nk[(1,)](x)\n");
  tree.write("a/two.py",
             "@triton.jit\ndef one(x): pass\n@triton.jit\ndef helper(x): pass\n"
             "@triton.autotune(configs=[])\n@triton.jit\ndef two(x): pass\n"
             "one[(1,)](x)\ntwo[grid](x)\nnotone[3]\n");
  tree.write("a/loop.cu", "__global__ void f() {}\n");
  tree.write("a/plain.py", "print(1)\n");
  tree.write("pyproject.toml", "[tool]\nname = 'x'\n");
  tree.write(".hidden/job.toml", kJob);
  tree.write("out/CMakeCache.txt", "");
  tree.write("out/job.toml", kJob);
  EXPECT_THAT(names(find_kernels(tree.path(), {"."}, {})),
              ElementsAre("a/job.toml", "a/loop.cu", "a/two.py:one", "a/two.py:two"));
  EXPECT_THAT(names(find_kernels(tree.path(), {"a/*.toml", "a/job.toml"}, {})),
              ElementsAre("a/job.toml"));
  EXPECT_THAT(names(find_kernels(tree.path(), {"**/*.cu"}, {})), ElementsAre("a/loop.cu"));
  EXPECT_THAT(names(find_kernels(tree.path(), {"."}, {"a/*.py"})),
              ElementsAre("a/job.toml", "a/loop.cu"));
  EXPECT_THAT(message_of([&] { find_kernels(tree.path(), {"none.toml"}, {}); }),
              HasSubstr("'none.toml' is not there"));
  EXPECT_THAT(message_of([&] { find_kernels(tree.path(), {"b*/*.toml"}, {}); }),
              HasSubstr("nothing matches 'b*/*.toml'"));
  EXPECT_THAT(message_of([&] { find_kernels(tree.path(), {"*********.toml"}, {}); }),
              HasSubstr("stars"));
}

TEST(FindKernels, versions_of_a_kernel_with_a_job) {
  const Tree tree;
  tree.write("job.toml", "kernel = 'kernels/copy.cu'\ngrid = [4]\n");
  tree.write("kernels/copy.cu",
             "__global__ void __launch_bounds__(256, 2) copy(int* a) {}\n"
             "template <int N>\n__global__ void other(int* a) {}\n");
  tree.write("candidates/copy.cu", "__global__ void copy(int* a) { copy2(); }\n");
  tree.write("candidates/more.cu", "__global__ void copy(int*);\n__global__ void more() {}\n");
  tree.write("helpers.py", "@triton.jit\ndef swizzle(pid):\n  return pid\n");
  tree.write("new.py", "@triton.jit\ndef copy(x):\n  tl.store(x, 1)\n");
  std::vector<std::string> versions;
  EXPECT_THAT(names(find_kernels(tree.path(), {"."}, {}, &versions)),
              ElementsAre("job.toml", "candidates/more.cu", "new.py"));
  EXPECT_THAT(versions, ElementsAre("candidates/copy.cu", "helpers.py"));
  // Who names a file, or a gate, is not told which of them count.
  versions.clear();
  EXPECT_THAT(
      names(find_kernels(tree.path(), {"job.toml", "candidates/c*", "helpers.py"}, {}, &versions)),
      ElementsAre("job.toml", "candidates/copy.cu", "helpers.py"));
  EXPECT_THAT(versions, IsEmpty());
  EXPECT_EQ(find_kernels(tree.path(), {"."}, {}).size(), 5U);
}

TEST(FindKernels, globs) {
  EXPECT_TRUE(matches_glob("a/*.toml", "a/b.toml"));
  EXPECT_FALSE(matches_glob("a/*.toml", "a/c/b.toml"));
  EXPECT_TRUE(matches_glob("**/b.toml", "b.toml"));
  EXPECT_TRUE(matches_glob("**/b.toml", "a/c/b.toml"));
  EXPECT_TRUE(matches_glob("a/**", "a/c/b.toml"));
}

TEST(Closure, follows_imports_includes_and_data) {
  const Tree tree;
  tree.write("jobs/job.toml", "kernel = '../k.py'\n[tensors.x]\ncontents = \"file('x.npy')\"\n");
  tree.write("jobs/x.npy", "data");
  tree.write("k.py", "import helpers as h, other\nfrom pkg.tools import (cdiv,\n  more)\n");
  tree.write("helpers.py", "def f():\n  from . import beside; import deep\n");
  tree.write("deep.py", "");
  tree.write("beside.py", "");
  tree.write("pkg/__init__.py", "");
  tree.write("pkg/tools.py", "");
  tree.write("stranger.py", "");
  Closures closures(tree.path());
  EXPECT_THAT(closures.files("jobs/job.toml"),
              ElementsAre("beside.py", "deep.py", "helpers.py", "jobs/job.toml", "jobs/x.npy",
                          "k.py", "pkg/__init__.py", "pkg/tools.py"));
  tree.write("f.hip", "#include \"a.h\"\n  #  include <b.h>\n#include <vector>\n");
  tree.write("a.h", "#include \"f.hip\"\n");
  tree.write("include/b.h", "");
  tree.write("g.toml", "kernel = 'f.hip'\ninclude = ['include']\n");
  EXPECT_THAT(closures.files("g.toml"), ElementsAre("a.h", "f.hip", "g.toml", "include/b.h"));
}

TEST(Plan, a_key_changes_with_everything_that_decides_the_result) {
  const Tree tree;
  tree.write("job.toml", kJob);
  tree.write("k.py", "import h\n");
  tree.write("h.py", "x = 1\n");
  Spec spec = read_spec(tree.path());
  spec.verbs = {SweepVerb::check};
  const auto key = [&](const char* version) { return make_plan(spec, {version}).units[0].key; };
  const Key first = key("1");
  EXPECT_EQ(key("1"), first);
  EXPECT_NE(key("2"), first);
  tree.write("stranger.py", "");
  EXPECT_EQ(key("1"), first);
  tree.write("h.py", "x = 2\n");
  EXPECT_NE(key("1"), first);
  tree.write("h.py", "x = 1\n");
  EXPECT_EQ(key("1"), first);
  spec.groups[0].shapes = {"M=1"};
  EXPECT_NE(key("1"), first);
}

TEST(Plan, units_in_the_order_of_the_spec) {
  const Tree tree;
  tree.write("job.toml", kJob);
  tree.write("k.py", "");
  tree.write("table.csv", "");
  tree.write("sweep.toml",
             "gpus = ['mi300x', 'h100']\nverbs = ['simulate', 'check', 'validate']\n"
             "[[kernels]]\npaths = ['*.toml', '*.csv']\nexcept = 1\n");
  EXPECT_THAT(message_of([&] { read_spec(tree.path("sweep.toml")); }),
              HasSubstr("unknown key 'except'"));
  tree.write("sweep.toml",
             "gpus = ['mi300x', 'h100']\nverbs = ['simulate', 'check', 'validate']\n"
             "[[kernels]]\npaths = ['job.toml', 'table.csv']\nshapes = ['M=3']\n"
             "[kernels.sizes]\nM = [1, 2]\nN = [5]\n");
  const Plan plan = make_plan(read_spec(tree.path("sweep.toml")), {"1"});
  std::vector<std::string> units;
  for (const Unit& unit : plan.units) {
    const SweepRow row = plan.row(unit);
    units.push_back(row.verb + " " + row.subject() + " " + row.gpu);
  }
  EXPECT_THAT(units,
              ElementsAre("simulate job.toml M=3 mi300x", "simulate job.toml M=3 h100",
                          "check job.toml M=3 ", "simulate job.toml M=1,N=5 mi300x",
                          "simulate job.toml M=1,N=5 h100", "check job.toml M=1,N=5 ",
                          "simulate job.toml M=2,N=5 mi300x", "simulate job.toml M=2,N=5 h100",
                          "check job.toml M=2,N=5 ", "validate table.csv "));
}

TEST(Spec, says_what_is_wrong) {
  const Tree tree;
  const auto error_of = [&](const std::string& text) {
    tree.write("s.toml", text);
    tree.write("job.toml", kJob);
    return message_of([&] { make_plan(read_spec(tree.path("s.toml")), {"1"}); });
  };
  EXPECT_THAT(error_of(""), HasSubstr("[[kernels]]"));
  EXPECT_THAT(error_of("kernels = 3"), HasSubstr("[[kernels]]"));
  EXPECT_THAT(error_of("verbs = ['chek']\n[[kernels]]\npaths=['.']"),
              HasSubstr("did you mean 'check'"));
  EXPECT_THAT(error_of("verbs = ['simulate']\n[[kernels]]\npaths=['.']"), HasSubstr("needs a GPU"));
  EXPECT_THAT(error_of("verbs = ['audit']\n[[kernels]]\npaths=['.']"), HasSubstr("add --base"));
  EXPECT_THAT(error_of("verbs = ['simulate']\ngpus=['h1000']\n[[kernels]]\npaths=['.']"),
              HasSubstr("h1000"));
  EXPECT_THAT(error_of("[[kernels]]\npaths=[3]"), HasSubstr("'paths' must hold texts"));
  EXPECT_THAT(error_of("[[kernels]]\nshapes=['M=1']"), HasSubstr("without paths"));
  EXPECT_THAT(error_of("[[kernels]]\npaths=['.']\n[kernels.sizes]\nM = ['a']"),
              HasSubstr("whole numbers"));
  EXPECT_THAT(error_of("effort='huge'\n[[kernels]]\npaths=['.']"),
              HasSubstr("low, normal or high"));
}

}  // namespace
}  // namespace heddle::sweep
