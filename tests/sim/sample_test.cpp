#include "sim/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sim/driving.h"
#include "sim/units/l2.h"

namespace heddle::sim {
namespace {

TEST(Sample, without_a_factor_is_everything) {
  const Sample sample;
  EXPECT_FALSE(sample.is_sampled());
  EXPECT_EQ(sample.factor(), 1);
}

TEST(Sample, has_the_same_share_of_every_channel) {
  for (const std::string& name : config::known_gpus()) {
    const config::Gpu gpu = config::read_gpu(name);
    const Pages pages(64 << 20, gpu.pages);
    const LineMap map(gpu, pages);
    for (const std::int64_t factor : {2, 4, 8}) {
      const Sample sample(map, factor);
      ASSERT_EQ(sample.sets().size(), map.sets());
      std::vector<int> kept(static_cast<std::size_t>(gpu.l2.channels));
      std::vector<int> groups(Sample::kGroups + 1);
      for (std::uint32_t set = 0; set < map.sets(); ++set) {
        const std::uint8_t group = sample.sets()[set];
        ASSERT_LE(group, Sample::kGroups);
        ++groups[group];
        kept[map.channel_of(set)] += group != 0 ? 1 : 0;
      }
      for (const int count : kept)
        ASSERT_EQ(count, gpu.sets_of_channel() / factor) << name << " 1/" << factor;
      const int per_group = static_cast<int>(map.sets() / factor / Sample::kGroups);
      for (std::size_t k = 1; k < groups.size(); ++k)
        EXPECT_NEAR(groups[k], per_group, 5 * std::sqrt(per_group))
            << name << " 1/" << factor << " group " << k;
    }
  }
}

/// Plays the same requests into a whole L2 and into one that sees the sampled sets only.
void compare_sampled(const config::Gpu& gpu, std::int64_t bytes) {
  const Pages pages(bytes, gpu.pages);
  const LineMap map(gpu, pages);
  const Sample sample(map, 8);
  L2 whole(gpu, map, 1);
  L2 sampled(gpu, map, 1);
  std::mt19937_64 random(9);
  const auto lines = static_cast<std::uint32_t>(bytes / 128);
  int looked_at = 0;
  for (std::uint32_t k = 0; k < 3 * lines; ++k) {
    const std::uint32_t line =
        random() % 4 == 0 ? static_cast<std::uint32_t>(random() % lines) : k % lines;
    const LinePlace place = map.place(line);
    const int side = static_cast<int>(random() % 2);
    const auto sectors = static_cast<SectorMask>(1 + random() % 15);
    const auto what = random() % 5;
    const auto ask = [&](L2& l2) {
      if (what == 0) return l2.write(place, sectors, 0);
      if (what == 1) return l2.atomic(place, sectors, 0);
      return l2.read(place, sectors, side);
    };
    const L2::Reply expected = ask(whole);
    if (sample.sets()[place.set] == 0) continue;
    const L2::Reply got = ask(sampled);
    ++looked_at;
    ASSERT_EQ(got.hit, expected.hit) << "request " << k;
    ASSERT_EQ(got.far, expected.far) << "request " << k;
    ASSERT_EQ(got.fetched_sectors, expected.fetched_sectors) << "request " << k;
  }
  EXPECT_NEAR(looked_at, 3 * lines / 8, lines / 50);
}

TEST(Sample, inside_of_a_set_everything_happens_as_in_a_full_run) {
  compare_sampled(config::read_gpu("mi300x"), 6 << 20);
  compare_sampled(config::read_gpu("mi210"), 10 << 20);
}

TEST(Sample, copies_of_the_other_partition_are_in_the_sample_with_their_lines) {
  for (const config::Replication rule :
       {config::Replication::none, config::Replication::opportunistic, config::Replication::full,
        config::Replication::probation}) {
    config::Gpu gpu = config::read_gpu("h200");
    gpu.partitions->replication = rule;
    SCOPED_TRACE(config::replication_text(rule));
    compare_sampled(gpu, 56 << 20);
  }
}

}  // namespace
}  // namespace heddle::sim
