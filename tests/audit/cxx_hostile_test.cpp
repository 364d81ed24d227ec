// Whatever two C++ files hold, comparing them and looking for blocks ends: with a result or with an
// Error.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "kernel/cxx/block_uses.h"
#include "kernel/cxx/patch/changes.h"
#include "kernel/cxx/patch/launch.h"

namespace heddle::audit_tests {
namespace {

using kernel::cxx::CxxSource;

const std::string kSample = R"cxx(#define TILE 16
#define ROW blockIdx.y
__device__ int flip(int p, int n) { if (p > n) return p; return n - 1 - p; }
template <int W>
__global__ void k(float* x, const int* y, int n) {
  const int p = blockIdx.x, g = gridDim.x;
  int tile = flip(p, g);
  for (int i = 0; i < 3; ++i) tile ^= i;
#if W > 4
  if (tile > 4) { tile += TILE; } else tile = 2;
#else
  tile = min(tile, W);
#endif
  auto f = [&](int i) { return blockIdx.y + i; };
  x[tile * n + f(threadIdx.x)] = y[ROW];
}
int main() { dim3 g(4, 4); k<8><<<g, dim3(16, 16)>>>(x, y, 4); }
)cxx";

void compare(const std::string& before, const std::string& after) {
  try {
    const CxxSource old_source("a.hip", before);
    const CxxSource new_source("b.hip", after);
    namespace cxx = kernel::cxx;
    const cxx::CxxCodeSide old_side = cxx::code_side(old_source, old_source.kernel("k"));
    cxx::CxxCodeSide new_side = cxx::code_side(new_source, new_source.kernel("k"));
    cxx::doubt_grids(old_side, new_side);
    const kernel::PatchSide launched;
    cxx::judge_launch(old_side, new_side, launched, launched, std::nullopt);
    cxx::find_cxx_changes({&old_side, nullptr, nullptr}, {&new_side, nullptr, nullptr});
    kernel::cxx::BlockUses(new_source, "k", {});
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
  }
}

TEST(CxxHostile, Mutations) {
  std::mt19937 random(7);
  const std::string pieces = "{}()[]<>;:,\"#=*&.+-\n x1";
  for (int round = 0; round < 2000; ++round) {
    std::string text = kSample;
    for (int change = static_cast<int>(random() % 5); change >= 0; --change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 30);
          break;
        case 1:
          text.insert(at, 1, pieces[random() % pieces.size()]);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 50));
          break;
        default:
          text[at] = pieces[random() % pieces.size()];
      }
    }
    compare(round % 2 == 0 ? kSample : text, round % 2 == 0 ? text : kSample);
  }
}

TEST(CxxHostile, LongBodies) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string head = "__global__ void k(int n) { int a0 = blockIdx.x; ";
  for (const std::string piece :
       {"int b = a; ", "x[blockIdx.x] = 0; ", "{ ", "; ", "[n]{ ", "struct A { ", "blockIdx.x ",
        "a, ", "k<<<g, ", "#if A\n", "f(blockIdx.x) + ", "g<"}) {
    std::string text = head;
    while (text.size() < 100'000) text += piece;
    compare(kSample, text + "}");
    compare(text + std::string(static_cast<std::size_t>(3), '}'), text + "}");
  }
  // Each name needs the one behind it.
  std::string chain = head;
  for (int i = 3000; i > 0; --i)
    chain += "int a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "; ";
  compare(chain + "a1 = x; }", chain + "x[a3000] = 0; }");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace heddle::audit_tests
