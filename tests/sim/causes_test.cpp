#include "sim/causes.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>
#include <set>

namespace heddle::sim {
namespace {

TEST(FirstTouches, are_those_of_a_set_of_sectors) {
  std::mt19937_64 random(1);
  for (const bool by_sector : {false, true}) {
    constexpr std::uint32_t kLines = 1000;
    FirstTouches touches(kLines * 128, by_sector);
    std::set<std::uint32_t> seen;
    for (int k = 0; k < 5000; ++k) {
      const auto line = static_cast<std::uint32_t>(random() % kLines);
      const auto sectors = static_cast<SectorMask>(1 + random() % 15);
      int fresh = 0;
      for (std::uint32_t sector = 0; sector < 4; ++sector)
        if ((sectors >> sector & 1) != 0 && by_sector)
          fresh += seen.insert(4 * line + sector).second ? 1 : 0;
      if (!by_sector) fresh = seen.insert(line).second ? 1 : 0;
      ASSERT_EQ(touches.touch(line, sectors), fresh) << k;
    }
    EXPECT_EQ(touches.count(), static_cast<std::int64_t>(seen.size()));
    EXPECT_EQ(touches.bytes(), touches.count() * (by_sector ? 32 : 128));
  }
}

TEST(FirstTouches, reach_to_the_last_line) {
  for (const bool by_sector : {false, true}) {
    FirstTouches touches(64 * 128, by_sector);
    EXPECT_EQ(touches.touch(63, 0x8), 1);
    EXPECT_EQ(touches.touch(63, 0x8), 0);
  }
}

/// A list of lines, the most recent first.
class ObviousShadow {
 public:
  explicit ObviousShadow(std::size_t most) : most_(most) {}
  SectorMask access(std::uint32_t line, SectorMask brought) {
    SectorMask had = 0;
    for (auto it = lines_.begin(); it != lines_.end(); ++it) {
      if (it->first != line) continue;
      had = it->second;
      lines_.erase(it);
      break;
    }
    lines_.emplace_front(line, had | brought);
    if (lines_.size() > most_) lines_.pop_back();
    return had;
  }

 private:
  std::size_t most_;
  std::list<std::pair<std::uint32_t, SectorMask>> lines_;
};

TEST(Shadow, is_a_fully_associative_lru_cache) {
  for (const std::uint32_t size : {1U, 2U, 7U, 64U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      std::mt19937_64 random(seed);
      Shadow shadow(size);
      ObviousShadow obvious(size);
      int hits = 0;
      for (std::uint32_t k = 0; k < 6000; ++k) {
        // Scans, and lines that come again soon.
        const auto line = static_cast<std::uint32_t>(
            random() % 3 == 0 ? random() % 300 : k / 4 % (size + 1 + random() % 2));
        const auto sectors = static_cast<SectorMask>(1 + random() % 15);
        const SectorMask expected = obvious.access(line, sectors);
        ASSERT_EQ(shadow.access(line, sectors), expected)
            << size << " lines, seed " << seed << ", access " << k;
        hits += expected != 0 ? 1 : 0;
      }
      EXPECT_GT(hits, 500);
      EXPECT_LT(hits, 5900);
    }
  }
}

}  // namespace
}  // namespace heddle::sim
