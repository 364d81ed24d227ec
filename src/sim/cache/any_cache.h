// A cache whose replacement policy is data: the one list of policies.
//
// Rules
//   1. LRU with 16 ways and tags that fit 16 bits runs in vector registers; it counts exactly what
//      the general one counts.
#pragma once

#include <cstdint>
#include <variant>

#include "config/gpu.h"
#include "sim/cache/lru.h"
#include "sim/cache/random.h"
#include "sim/cache/sampled_lru.h"
#include "sim/cache/set_associative.h"
#include "sim/cache/tree_plru.h"
#include "sim/cache/vector_lru.h"

namespace heddle::sim {

class AnyCache {
 public:
  AnyCache(std::int64_t sets, int ways, config::Replacement replacement, std::uint64_t tag_limit,
           std::uint64_t seed)
      : cache_(make(sets, ways, replacement, tag_limit, seed)) {}

  CacheOutcome access(std::uint32_t set, std::uint32_t tag, LineState bits) {
    if (auto* vector = std::get_if<VectorLru>(&cache_)) return vector->access(set, tag, bits);
    if (auto* wide = std::get_if<WideLru>(&cache_)) return wide->access(set, tag, bits);
    return std::visit([&](auto& cache) { return cache.access(set, tag, bits); }, cache_);
  }
  /// A line that was not there comes in as the oldest one (set_associative.h).
  CacheOutcome access_on_probation(std::uint32_t set, std::uint32_t tag, LineState bits) {
    return std::visit(
        [&](auto& cache) {
          if constexpr (requires { cache.access_on_probation(set, tag, bits); })
            return cache.access_on_probation(set, tag, bits);
          else
            return cache.access(set, tag, bits);
        },
        cache_);
  }
  /// Brings in a copy where no other line has to go for it (set_associative.h).
  void offer(std::uint32_t set, std::uint32_t tag, LineState bits) {
    std::visit(
        [&](auto& cache) {
          if constexpr (requires { cache.offer(set, tag, bits); }) cache.offer(set, tag, bits);
        },
        cache_);
  }
  LineState peek(std::uint32_t set, std::uint32_t tag) const {
    return std::visit([&](const auto& cache) { return cache.peek(set, tag); }, cache_);
  }
  template <class Visit>
  void for_each(std::uint32_t set, Visit visit) const {
    std::visit([&](const auto& cache) { cache.for_each(set, visit); }, cache_);
  }
  std::int64_t sets() const {
    return std::visit([](const auto& cache) { return cache.sets(); }, cache_);
  }
  bool runs_in_vectors() const { return std::holds_alternative<VectorLru>(cache_); }

  void prefetch(std::uint32_t set, std::uint32_t tag) const {
    if (const auto* vector = std::get_if<VectorLru>(&cache_)) return vector->prefetch(set);
    std::visit(
        [&](const auto& cache) {
          if constexpr (requires { cache.prefetch(set, tag); }) cache.prefetch(set, tag);
        },
        cache_);
  }

 private:
  using WideLru = SetAssociative<Lru, 64>;
  using Cache = std::variant<VectorLru, WideLru, SetAssociative<Lru, 16>,
                             SetAssociative<TreePlru, 16>, SetAssociative<TreePlru, 64>,
                             SetAssociative<Random, 16>, SetAssociative<Random, 64>,
                             SetAssociative<SampledLru, 16>, SetAssociative<SampledLru, 64>>;

  template <class Policy>
  static Cache make_general(std::int64_t sets, int ways, std::uint64_t seed) {
    if (ways <= 16) return SetAssociative<Policy, 16>(sets, ways, seed);
    return SetAssociative<Policy, 64>(sets, ways, seed);
  }
  static Cache make(std::int64_t sets, int ways, config::Replacement replacement,
                    std::uint64_t tag_limit, std::uint64_t seed) {
    switch (replacement) {
      case config::Replacement::tree_plru:
        return make_general<TreePlru>(sets, ways, seed);
      case config::Replacement::random:
        return make_general<Random>(sets, ways, seed);
      case config::Replacement::sampled_lru:
        return make_general<SampledLru>(sets, ways, seed);
      case config::Replacement::lru:
        break;
    }
    if (ways == VectorLru::kWays && tag_limit <= VectorLru::kTagLimit) return VectorLru(sets);
    return make_general<Lru>(sets, ways, seed);
  }

  Cache cache_;
};

}  // namespace heddle::sim
