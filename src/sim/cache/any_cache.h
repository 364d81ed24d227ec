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
    return std::visit([&](auto& cache) { return cache.access(set, tag, bits); }, cache_);
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

 private:
  using Cache = std::variant<VectorLru, SetAssociative<Lru>, SetAssociative<TreePlru>,
                             SetAssociative<Random>>;
  static Cache make(std::int64_t sets, int ways, config::Replacement replacement,
                    std::uint64_t tag_limit, std::uint64_t seed) {
    switch (replacement) {
      case config::Replacement::tree_plru: return SetAssociative<TreePlru>(sets, ways, seed);
      case config::Replacement::random: return SetAssociative<Random>(sets, ways, seed);
      case config::Replacement::lru: break;
    }
    if (ways == VectorLru::kWays && tag_limit <= VectorLru::kTagLimit) return VectorLru(sets);
    return SetAssociative<Lru>(sets, ways, seed);
  }

  Cache cache_;
};

}  // namespace heddle::sim
