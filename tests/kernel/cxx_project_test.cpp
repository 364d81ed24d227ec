// What compile_commands.json, conditions and names of declarations say, without a compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/cxx/compile_commands.h"
#include "kernel/cxx/conditions.h"
#include "kernel/cxx/declared_names.h"
#include "kernel/cxx/project.h"
#include "kernel/cxx/token.h"

namespace heddle::testing {
namespace {

using kernel::cxx::command_for;
using kernel::cxx::CompileCommand;
using kernel::cxx::Conditions;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

CompileCommand command(const std::string& text) {
  return command_for("[{\"file\": \"k.cu\", \"directory\": \"/p\", \"command\": \"" + text + "\"}]",
                     "/p/k.cu");
}

TEST(CompileCommands, OnlyFoldersAndMacrosAreTaken) {
  const CompileCommand found = command(
      "clang++ -fplugin=/tmp/evil.so -Xclang -load -Xclang /tmp/evil.so @/tmp/flags -o /etc/passwd "
      "-B/tmp --sysroot=/tmp -include /etc/passwd -Xcompiler -DHOST=1 -specs=/x -wrapper sh -Iinc "
      "-iquote q -isystem sys -isystem=/opt/cuda -I /abs -D N=4 -DGONE -UGONE -D'A B' "
      "-DHEDDLE_HOST "
      "'-DS=\\\"x y\\\"' -DF(x)=x -c k.cu");
  EXPECT_TRUE(found.is_found);
  EXPECT_THAT(found.folders, ElementsAre("/p/q", "/p/inc", "/abs", "/p/sys", "/opt/cuda"));
  EXPECT_THAT(found.defines, ElementsAre("N=4", "S=\"x y\"", "F(x)=x"));
  EXPECT_THAT(found.included, ElementsAre("/etc/passwd"));
}

TEST(CompileCommands, EntriesThatDifferAreAmbiguous) {
  const std::string one = "{\"file\": \"/p/k.cu\", \"arguments\": [\"nvcc\", \"-DN=1\"]}";
  const std::string two = "{\"file\": \"/p/k.cu\", \"arguments\": [\"nvcc\", \"-DN=2\"]}";
  EXPECT_FALSE(command_for("[" + one + "," + one + "]", "/p/k.cu").is_ambiguous);
  EXPECT_TRUE(command_for("[" + one + "," + two + "]", "/p/k.cu").is_ambiguous);
  for (const char* const text :
       {"", "[", "{}", "[1, null, {\"file\": 3}]", "[{\"arguments\": {}}]"})
    EXPECT_FALSE(command_for(text, "/p/k.cu").is_found) << text;
}

TEST(Conditions, OnlyThoseAroundSomethingCount) {
  const Conditions found(
      {"#ifndef GUARD_H\n#define GUARD_H\n#ifdef OPEN\nint a;\n#endif\n"
       "#ifdef EMPTY\n#endif\n#if defined(__GNUC__) || SHUT\n#error no\n#endif\n"
       "#ifdef MAKES\n#define USED 1\n#define UNUSED 1\n#endif\nint b = USED;\n"
       "#ifdef IDLE\n#define NOBODY 1\n#endif\n"
       "#if __has_include(<a.h>) && KNOWN > 1\n#include <a.h>\n#endif\n#endif\n",
       "#define KNOWN 3\n"});
  EXPECT_THAT(found.macros(), ElementsAre("MAKES", "OPEN"));
  EXPECT_THAT(found.headers(), ElementsAre("<a.h>"));
  EXPECT_TRUE(kernel::cxx::may_define("lib/any.h", "FAST"));
  EXPECT_FALSE(kernel::cxx::may_define("cublas_v2.h", "FAST"));
  EXPECT_FALSE(kernel::cxx::may_define("THC/THCAtomics.cuh", "WITH_MUSA"));
  EXPECT_TRUE(kernel::cxx::may_define("cublas_v2.h", "CUBLAS_VERSION"));
}

/// The words of every declaration of a text.
std::vector<std::string> declared(const std::string& text) {
  const auto tokens = kernel::cxx::tokenize(text, "");
  const auto outline = kernel::cxx::outline_of(tokens, "");
  std::vector<std::string> names;
  for (const auto& item : outline.items)
    for (const std::string& name : kernel::cxx::declared_names(tokens, item)) names.push_back(name);
  for (const auto& other : outline.others)
    for (const std::string& name : kernel::cxx::declared_names(tokens, other))
      names.push_back(name);
  return names;
}

TEST(DeclaredNames, AreThoseOfTheDeclarators) {
  EXPECT_THAT(declared("__constant__ float a __attribute__((aligned(16))) = f(1, 2), *b[3], c{1};"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(declared("template <> constexpr int bits<float> = 4;"), ElementsAre("bits"));
  EXPECT_THAT(declared("typedef float (*Map)(float), real;"), ElementsAre("Map", "real"));
  EXPECT_THAT(declared("template <class T> concept Small = sizeof(T) < 5;"), ElementsAre("Small"));
  EXPECT_THAT(declared("enum Mode : int { kAdd = 3, kTimes } mode;"),
              IsSupersetOf({"Mode", "kAdd", "kTimes", "mode"}));
  EXPECT_THAT(declared("using lib::f, lib::g;"), IsSupersetOf({"f", "g"}));
  EXPECT_THAT(declared("static_assert(sizeof(P) == N);"), ElementsAre("P", "N"));
  EXPECT_THAT(declared("const int A::n = 4;"), ElementsAre("n"));
  EXPECT_THAT(declared("using namespace lib;"), IsEmpty());
}

TEST(SharedFolders, AreNoProjects) {
  for (const char* const folder : {"/", "/proc/1", "/home", "/etc", "/sys/kernel", "/dev"})
    EXPECT_TRUE(kernel::cxx::is_shared_folder(folder)) << folder;
  EXPECT_TRUE(kernel::cxx::is_shared_folder(std::getenv("HOME")));
  EXPECT_FALSE(kernel::cxx::is_shared_folder("/opt/rocm/include"));
}

}  // namespace
}  // namespace heddle::testing
