// Index lines of C++ kernels: where other code gives an index another value, that is a doubt.
#include <gtest/gtest.h>

#include "kernel/source.h"

namespace heddle::testing {
namespace {

std::string doubt_of(const std::string& line) {
  const auto source = kernel::Source::open(
      "k.cu",
      "__global__ void k(float* out, int cols) {\n  int column = blockIdx.x;\n  " + line +
          "\n  const int x = column * 128 + threadIdx.x;\n  if (x < cols) out[x] = x;\n}\n");
  const kernel::IndexLines lines = source->index_lines("k");
  EXPECT_TRUE(lines) << lines.reason;
  return lines.doubt;
}

TEST(CxxIndexLines, OtherValuesOfAnIndexAreDoubts) {
  for (const char* line :
       {"if (gridDim.x > 40 && column == 7) column = 0;", "if (gridDim.x > 40) --column;",
        "if (gridDim.x > 40) column++;", "column += gridDim.x > 40 ? -1 + threadIdx.x * 0 : 0;",
        "column += threadIdx.x / 128 + gridDim.x / 41;",
        "int& other = column; if (gridDim.x > 40 && other == 7) other = 0;", "home(&column);"})
    EXPECT_NE(doubt_of(line), "") << line;
}

TEST(CxxIndexLines, ThreadsInATileAreNone) {
  for (const char* line : {"", "out[cols & column] = 0;", "float* place = out + column;"})
    EXPECT_EQ(doubt_of(line), "") << line;
}

}  // namespace
}  // namespace heddle::testing
