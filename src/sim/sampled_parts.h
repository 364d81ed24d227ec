// The requests of instructions that are in a sample, found once for all replays of a launch.
//
//   a load of 256 lines, one set in 16:   its 16 requests in the sample, for each place of its base
//
// Rules
//   1. What is kept depends on the shape, its base and the sample alone: one object for each sample,
//      and for shapes that outlive it.
//   2. Any thread may ask. Beyond kMostBytes nothing more is kept, and what is asked is found anew.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "sim/tile_trace.h"

namespace heddle::sim {

class SampledParts {
 public:
  /// Shapes with fewer requests are quicker looked through than looked up.
  static constexpr std::size_t kLeastRequests = 48;

  /// What find() says of this shape at this place of its base; find's span need not last.
  template <class Find>
  std::span<const ShapeRequest> get(const Shape& shape, std::uint32_t place, Find find) {
    const Key key{&shape, place};
    const std::size_t hash = Hash{}(key);
    Shard& shard = shards_[hash % kShards];
    const std::lock_guard lock(shard.mutex);
    if (const auto known = shard.parts.find(key); known != shard.parts.end())
      return {known->second.requests.get(), known->second.count};
    const std::span<const ShapeRequest> found = find();
    const auto bytes = static_cast<std::int64_t>(found.size_bytes() + kBytesOfEntry);
    if (bytes_.fetch_add(bytes, std::memory_order_relaxed) > kMostBytes) return found;
    Part part{std::make_unique<ShapeRequest[]>(found.size()), found.size()};
    std::copy(found.begin(), found.end(), part.requests.get());
    const auto& kept = shard.parts.emplace(key, std::move(part)).first->second;
    return {kept.requests.get(), kept.count};
  }

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::int64_t kMostBytes = std::int64_t{128} << 20;
  static constexpr std::size_t kBytesOfEntry = 96;

  struct Key {
    const Shape* shape = nullptr;
    std::uint32_t place = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(key.shape));
      std::uint64_t mixed =
          (address ^ std::uint64_t{key.place} << 32 ^ key.place) * 0x9e3779b97f4a7c15U;
      mixed ^= mixed >> 32;
      return static_cast<std::size_t>(mixed);
    }
  };
  struct Part {
    std::unique_ptr<ShapeRequest[]> requests;
    std::size_t count = 0;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<Key, Part, Hash> parts;
  };

  std::array<Shard, kShards> shards_;
  std::atomic<std::int64_t> bytes_ = 0;
};

}  // namespace heddle::sim
