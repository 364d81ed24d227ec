#include "config/layout.h"

#include "config/testing.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
using Addresses = std::vector<std::uint64_t>;

struct Wanted {
  std::int64_t bytes = 0;
  std::uint64_t address = 0;  ///< 0: not given
};

Addresses laid_out(const std::vector<Wanted>& wanted) {
  std::vector<Tensor> tensors;
  std::vector<bool> given;
  for (const Wanted& item : wanted) {
    Tensor tensor;
    tensor.bytes = item.bytes;
    tensor.address = item.address;
    tensors.push_back(tensor);
    given.push_back(item.address != 0);
  }
  lay_out(tensors, given);
  Addresses addresses;
  for (const Tensor& tensor : tensors) addresses.push_back(tensor.address);
  return addresses;
}

TEST(Layout, SampleOfTheHeader) {
  EXPECT_EQ(laid_out({{128 * kMiB}, {40}, {2 * kMiB}, {40}}),
            (Addresses{0x7f0000000000, 0x7f0008000000, 0x7f0008200000, 0x7f0008000200}));
}

TEST(Layout, LargeTensorsBeginAt2MiB) {
  EXPECT_EQ(laid_out({{kMiB}, {2 * kMiB + 1}, {kMiB}}),
            (Addresses{0x7f0000000000, 0x7f0000200000, 0x7f0000600000}));
}

TEST(Layout, SmallTensorsSharePools) {
  // Two of nearly 1 MiB fill a pool; the third needs another; the small one still fits the first.
  EXPECT_EQ(laid_out({{kMiB - 512}, {kMiB - 512}, {kMiB - 1}, {512}, {513}, {1}}),
            (Addresses{0x7f0000000000, 0x7f00000ffe00, 0x7f0000200000, 0x7f0000300000,
                       0x7f0000300200, 0x7f0000300600}));
}

TEST(Layout, EmptyTensorsHaveAPlaceOfTheirOwn) {
  EXPECT_EQ(laid_out({{0}, {0}, {8}}), (Addresses{0x7f0000000000, 0x7f0000000200, 0x7f0000000400}));
}

TEST(Layout, GoesAroundGivenAddresses) {
  // The second range is inside where the first tensor would end.
  EXPECT_EQ(laid_out({{4 * kMiB}, {8, 0x7f0000300000}, {4 * kMiB}}),
            (Addresses{0x7f0000400000, 0x7f0000300000, 0x7f0000800000}));
  EXPECT_EQ(laid_out({{8}, {3 * kMiB, 0x7f0000000000}, {1, 0x7f0000400000}, {2 * kMiB}}),
            (Addresses{0x7f0000600000, 0x7f0000000000, 0x7f0000400000, 0x7f0000800000}));
  // Given addresses stay even where they overlap; far ones disturb nobody.
  EXPECT_EQ(laid_out({{64, 0x1000}, {64, 0x1020}, {64}}),
            (Addresses{0x1000, 0x1020, 0x7f0000000000}));
}

TEST(Layout, NoTwoOverlap) {
  std::vector<Wanted> wanted;
  std::uint64_t state = 1;
  for (int i = 0; i < 300; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    Wanted item;
    item.bytes = static_cast<std::int64_t>((state >> 33) % (1U << (8 + i % 18)));
    if (i % 7 == 0) item.address = 0x7f0000000000 + static_cast<std::uint64_t>(i) * 0x800000;
    if (i % 7 == 0) item.bytes %= 0x700000;
    wanted.push_back(item);
  }
  const Addresses addresses = laid_out(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart =
          addresses[i] + static_cast<std::uint64_t>(wanted[i].bytes) <= addresses[j] ||
          addresses[j] + static_cast<std::uint64_t>(wanted[j].bytes) <= addresses[i];
      EXPECT_TRUE(apart) << i << " " << j;
    }
  }
}

TEST(Layout, StaysBelow2ToThe63) {
  const std::int64_t half = std::int64_t{1} << 62;
  EXPECT_EQ(thrown_by([&] {
              laid_out({{half}, {half}});
            }).full_text(),
            "the tensors do not fit into the address space\n  try: make them smaller");
  EXPECT_EQ(thrown_by([&] {
              laid_out({{0x100000, 0x7fffffffffe00000}, {INT64_MAX - 0x7f0000000000}});
            }).message(),
            "the tensors do not fit into the address space");
}

}  // namespace
}  // namespace heddle::testing
