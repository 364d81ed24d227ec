#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "oracle/list_cache.h"
#include "sim/cache/any_cache.h"

namespace heddle::sim {
namespace {

using config::Replacement;
using oracle::ListCache;

struct Access {
  std::uint32_t set = 0;
  std::uint32_t tag = 0;
  LineState bits = 0;
  bool is_offer = false;
  bool on_probation = false;
};
using Stream = std::vector<Access>;

ListCache::Policy twin_of(Replacement replacement) {
  switch (replacement) {
    case Replacement::tree_plru:
      return ListCache::Policy::tree_plru;
    case Replacement::random:
      return ListCache::Policy::random;
    case Replacement::sampled_lru:
      return ListCache::Policy::sampled_lru;
    case Replacement::lru:
      break;
  }
  return ListCache::Policy::lru;
}

class StreamMaker {
 public:
  StreamMaker(std::uint64_t seed, std::uint32_t sets, std::uint32_t ways)
      : random_(seed), sets_(sets), ways_(ways) {}

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  /// The kinds of streams; tags stay below `tags`.
  Stream make(int kind, std::size_t length) {
    Stream stream;
    const std::uint32_t around = ways_ * 5 / 4 + 1;  // just above capacity
    std::uint32_t hot = 0;
    for (std::size_t k = 0; k < length; ++k) {
      Access access;
      access.set = below(sets_);
      const auto turn = static_cast<std::uint32_t>(k / sets_);
      switch (kind) {
        case 0:  // round and round, one line too many in every set
          access.set = static_cast<std::uint32_t>(k % sets_);
          access.tag = turn % (ways_ + 1);
          break;
        case 1:
          access.tag = below(around);
          break;
        case 2:
          access.tag = below(ways_ * 4);
          break;
        case 3:  // hot lines that a scan goes over
          access.tag = below(4) != 0 ? below(ways_ / 2 + 1) : ways_ + hot++ % (8 * ways_);
          break;
        default:  // there and back
          access.tag = turn / around % 2 == 0 ? turn % around : around - 1 - turn % around;
      }
      access.bits = random_bits();
      stream.push_back(access);
    }
    return stream;
  }
  static constexpr int kKinds = 5;

  LineState random_bits() {
    const SectorMask sectors = 1 + below(15);
    return below(3) == 0 ? state_of_write(sectors) : state_of_read(sectors);
  }

 private:
  std::mt19937_64 random_;
  std::uint32_t sets_;
  std::uint32_t ways_;
};

LineState state_of(const ListCache::Line& line) {
  return line.valid | line.dirty << 4;
}

template <class Cache>
std::vector<ListCache::Line> lines_of(const Cache& cache, std::uint32_t set) {
  std::vector<ListCache::Line> lines;
  cache.for_each(set, [&](std::uint32_t tag, LineState state) {
    lines.push_back({tag, valid_sectors(state), dirty_sectors(state)});
  });
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.tag < b.tag; });
  return lines;
}

/// Plays a stream into a cache and its twin, comparing everything an access tells: the hits.
template <class Cache>
std::int64_t compare(Cache& cache, ListCache& twin, const Stream& stream) {
  std::int64_t hits = 0;
  for (std::size_t k = 0; k < stream.size(); ++k) {
    const Access& access = stream[k];
    if (access.is_offer) {
      if constexpr (requires { cache.offer(0U, 0U, 0U); })
        cache.offer(access.set, access.tag, access.bits);
      twin.offer(access.set, access.tag, valid_sectors(access.bits));
    } else {
      const SectorMask valid = valid_sectors(access.bits);
      const SectorMask dirty = dirty_sectors(access.bits);
      const auto play = [&] {
        if constexpr (requires { cache.access_on_probation(0U, 0U, 0U); })
          if (access.on_probation)
            return cache.access_on_probation(access.set, access.tag, access.bits);
        return cache.access(access.set, access.tag, access.bits);
      };
      const CacheOutcome got = play();
      const ListCache::Outcome wanted =
          access.on_probation ? twin.access_on_probation(access.set, access.tag, valid, dirty)
                              : twin.access(access.set, access.tag, valid, dirty);
      EXPECT_EQ(got.missed, wanted.before ? 0U : 1U) << "access " << k;
      EXPECT_EQ(got.before, wanted.before ? state_of(*wanted.before) : 0U) << "access " << k;
      EXPECT_EQ(got.victim, wanted.victim ? state_of(*wanted.victim) : 0U) << "access " << k;
      if (wanted.victim) {
        EXPECT_EQ(got.victim_tag, wanted.victim->tag) << "access " << k;
      }
      hits += wanted.before ? 1 : 0;
    }
    const auto after = twin.find(access.set, access.tag);
    EXPECT_EQ(cache.peek(access.set, access.tag), after ? state_of(*after) : 0U) << "access " << k;
    if (::testing::Test::HasFailure()) return hits;
  }
  for (std::uint32_t set = 0; set < static_cast<std::uint32_t>(cache.sets()); ++set)
    EXPECT_EQ(lines_of(cache, set), twin.lines(set)) << "set " << set;
  return hits;
}

struct Geometry {
  std::uint32_t sets;
  int ways;
};

std::vector<Geometry> geometries(bool powers_only) {
  std::vector<Geometry> all;
  for (const int ways : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48, 63, 64}) {
    if (powers_only && (ways & (ways - 1)) != 0) continue;
    for (const std::uint32_t sets : {1U, 2U, 5U, 64U}) all.push_back({sets, ways});
  }
  return all;
}

class Caches : public ::testing::TestWithParam<Replacement> {};

TEST_P(Caches, hit_victim_and_state_of_every_access_are_those_of_the_twin) {
  std::uint64_t seed = 1;
  for (const Geometry& geometry : geometries(GetParam() == Replacement::tree_plru)) {
    for (int kind = 0; kind < StreamMaker::kKinds; ++kind) {
      ++seed;
      SCOPED_TRACE(::testing::Message() << geometry.sets << " sets, " << geometry.ways
                                        << " ways, stream " << kind << ", seed " << seed);
      StreamMaker maker(seed, geometry.sets, static_cast<std::uint32_t>(geometry.ways));
      AnyCache cache(geometry.sets, geometry.ways, GetParam(), 0xffff, seed);
      ListCache twin(geometry.sets, geometry.ways, twin_of(GetParam()), seed);
      compare(cache, twin, maker.make(kind, 2500));
      if (HasFailure()) return;
    }
  }
}

TEST_P(Caches, tags_that_share_their_low_half_are_told_apart) {
  for (const int ways : {4, 16, 64}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << ways << " ways, seed " << seed);
      StreamMaker maker(seed, 2, static_cast<std::uint32_t>(ways));
      AnyCache cache(2, ways, GetParam(), std::uint64_t{1} << 31, seed);
      ListCache twin(2, ways, twin_of(GetParam()), seed);
      Stream stream = maker.make(2, 4000);
      // Two lows, one of them all ones, which empty places may hold; the rest is in the high half.
      for (Access& access : stream)
        access.tag = (access.tag % 2 != 0 ? 0xffffU : 0x1234U) | access.tag / 2 << 16;
      compare(cache, twin, stream);
      if (HasFailure()) return;
    }
  }
}

TEST_P(Caches, copies_go_first_and_are_only_offered_where_there_is_room) {
  for (const int ways : {1, 2, 8, 16, 64}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << ways << " ways, seed " << seed);
      StreamMaker maker(seed, 4, static_cast<std::uint32_t>(ways));
      AnyCache cache(4, ways, GetParam(), kCopy, seed);
      ListCache twin(4, ways, twin_of(GetParam()), seed);
      Stream stream = maker.make(1, 4000);
      for (std::size_t k = 0; k < stream.size(); ++k) {
        Access& access = stream[k];
        // Lines come slowly at first, so that copies find room; later they drive the copies out.
        const std::uint32_t one_in = k < stream.size() / 2 ? 8 : 2;
        if (maker.below(one_in) == 0) continue;
        access.tag |= kCopy;
        access.bits = state_of_read(valid_sectors(access.bits));
        access.is_offer = maker.below(4) != 0;
      }
      compare(cache, twin, stream);
      if (HasFailure()) return;
    }
  }
}

TEST_P(Caches, lines_on_probation_go_first_unless_they_are_used) {
  for (const int ways : {1, 2, 8, 16, 64}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << ways << " ways, seed " << seed);
      StreamMaker maker(seed, 4, static_cast<std::uint32_t>(ways));
      AnyCache cache(4, ways, GetParam(), kCopy, seed);  // not in vectors
      ListCache twin(4, ways, twin_of(GetParam()), seed);
      Stream stream = maker.make(static_cast<int>(seed) % StreamMaker::kKinds, 4000);
      for (Access& access : stream) access.on_probation = maker.below(2) == 0;
      compare(cache, twin, stream);
      if (HasFailure()) return;
    }
  }
}

TEST_P(Caches, one_set_keeps_its_order_over_very_many_accesses) {
  for (const int ways : {4, 16, 64}) {
    SCOPED_TRACE(::testing::Message() << ways << " ways, seed 7");
    StreamMaker maker(7, 1, static_cast<std::uint32_t>(ways));
    AnyCache cache(1, ways, GetParam(), kCopy, 7);  // not in vectors
    ListCache twin(1, ways, twin_of(GetParam()), 7);
    compare(cache, twin, maker.make(1, 150'000));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Caches,
                         ::testing::Values(Replacement::lru, Replacement::tree_plru,
                                           Replacement::random, Replacement::sampled_lru),
                         [](const auto& policy) {
                           return policy.param == Replacement::lru         ? "lru"
                                  : policy.param == Replacement::tree_plru ? "tree_plru"
                                  : policy.param == Replacement::random    ? "random"
                                                                           : "sampled_lru";
                         });

TEST(VectorLru, counts_what_the_twin_counts) {
  for (const std::uint32_t sets : {1U, 3U, 63U, 64U, 65U, 200U}) {
    for (int kind = 0; kind < StreamMaker::kKinds; ++kind) {
      const std::uint64_t seed = sets * 10U + static_cast<std::uint64_t>(kind);
      SCOPED_TRACE(::testing::Message() << sets << " sets, stream " << kind << ", seed " << seed);
      StreamMaker maker(seed, sets, VectorLru::kWays);
      VectorLru cache(sets);
      ListCache twin(sets, VectorLru::kWays, ListCache::Policy::lru, 0);
      Stream stream = maker.make(kind, 20'000);
      // The largest tags, and tags whose halves are alike.
      for (Access& access : stream)
        access.tag = access.tag % 2 == 0 ? VectorLru::kTagLimit - 1 - access.tag
                                         : access.tag << 8 | access.tag;
      compare(cache, twin, stream);
      if (HasFailure()) return;
    }
  }
}

TEST(AnyCache, lru_of_16_ways_runs_in_vectors_where_tags_fit) {
  EXPECT_TRUE(AnyCache(4, 16, Replacement::lru, VectorLru::kTagLimit, 0).runs_in_vectors());
  EXPECT_FALSE(AnyCache(4, 16, Replacement::lru, VectorLru::kTagLimit + 1, 0).runs_in_vectors());
  EXPECT_FALSE(AnyCache(4, 8, Replacement::lru, VectorLru::kTagLimit, 0).runs_in_vectors());
  EXPECT_FALSE(AnyCache(4, 16, Replacement::random, VectorLru::kTagLimit, 0).runs_in_vectors());
}

TEST(SetAssociative, is_the_twin_with_room_for_more_ways_than_it_has) {
  for (const int ways : {1, 4, 16, 33}) {
    StreamMaker maker(11, 3, static_cast<std::uint32_t>(ways));
    SetAssociative<Lru> cache(3, ways);
    ListCache twin(3, ways, ListCache::Policy::lru, 0);
    compare(cache, twin, maker.make(1, 3000));
    SetAssociative<Random> drawing(3, ways, 5);
    ListCache drawing_twin(3, ways, ListCache::Policy::random, 5);
    compare(drawing, drawing_twin, maker.make(1, 3000));
  }
}

std::int64_t hits_of(Replacement replacement, int kind, int ways) {
  StreamMaker maker(3, 4, static_cast<std::uint32_t>(ways));
  AnyCache cache(4, ways, replacement, 0xffff, 3);
  std::int64_t hits = 0;
  for (const Access& access : maker.make(kind, 20'000))
    hits += cache.access(access.set, access.tag, access.bits).missed == 0 ? 1 : 0;
  return hits;
}

TEST(Streams, tell_the_policies_apart) {
  for (int kind = 0; kind < StreamMaker::kKinds; ++kind) {
    const std::int64_t lru = hits_of(Replacement::lru, kind, 16);
    const std::int64_t tree = hits_of(Replacement::tree_plru, kind, 16);
    const std::int64_t random = hits_of(Replacement::random, kind, 16);
    EXPECT_NE(lru, tree) << kind;
    EXPECT_NE(lru, random) << kind;
    EXPECT_NE(tree, random) << kind;
  }
  EXPECT_EQ(hits_of(Replacement::lru, 0, 16), 0);  // one line too many: LRU never hits
  EXPECT_GT(hits_of(Replacement::random, 0, 16), 12'000);
  // Four of sixteen: between the two.
  EXPECT_GT(hits_of(Replacement::sampled_lru, 0, 16), 4'000);
  EXPECT_LT(hits_of(Replacement::sampled_lru, 0, 16), hits_of(Replacement::random, 0, 16));
}

}  // namespace
}  // namespace heddle::sim
