// The bytes that all blocks of a launch touch together, per kind of access.
//
//   MemoryUse before = find_memory_use(kernel, limits)
//     output_ptr   written 134,217,728 B, none by two blocks; read 0 B
//   first_difference(before, after)    output_ptr, byte 4096: written before, not after
//
// Rules
//   1. Every block is traced. Beyond the work or the memory allowed it is an Error.
//   2. `shared` is what more than one block writes. A block that writes a byte twice is one block.
//   3. Memory is counted in grains, the widest that no access cuts.
//
// Does not model: how often a byte is read, or updated by atomics (`updates` is their number).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/block_match.h"
#include "trace/regions.h"

namespace heddle::audit {

enum class Use { read, written, updated, shared };
inline constexpr std::size_t kUses = 4;

/// A set of grains of one region of memory.
class GrainSet {
 public:
  bool is_empty() const { return words_.empty(); }
  void resize(std::size_t grains) { words_.assign((grains + 63) / 64, 0); }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  /// Adds [begin, end); what was in already goes to `again`, if given.
  void add(std::uint64_t begin, std::uint64_t end, GrainSet* again);
  std::int64_t count() const;
  /// The first grain that is in one of the two only, and how many those are.
  std::optional<std::uint64_t> first_difference(const GrainSet& other, std::int64_t& count) const;
  bool has(std::uint64_t grain) const;

 private:
  std::uint64_t word(std::size_t i) const { return i < words_.size() ? words_[i] : 0; }
  std::vector<std::uint64_t> words_;
};

struct RegionUse {
  std::uint64_t begin = 0;
  std::uint64_t grain = 1;  ///< bytes
  std::array<GrainSet, kUses> sets;

  std::int64_t bytes(Use use) const {
    return sets[static_cast<std::size_t>(use)].count() * static_cast<std::int64_t>(grain);
  }
};

struct MemoryUse {
  std::vector<RegionUse> regions;  ///< as RegionMap has them
  std::int64_t updates = 0;        ///< elements that atomics updated
  std::vector<trace::Fault> faults;
};

/// Of both kernels with the same grains. `after` may be null.
struct MemoryUses {
  MemoryUse before;
  MemoryUse after;
};
MemoryUses find_memory_use(const LaunchedKernel& before, const LaunchedKernel* after,
                           std::int64_t most_work = kMostWork);

struct MemoryDifference {
  Use use = Use::written;
  std::size_t tensor = 0;     ///< index into Launch::tensors
  std::uint64_t address = 0;  ///< the first byte
  std::int64_t bytes = 0;     ///< in the tensor's region, of this use
  bool is_in_before = false;  ///< the original has it
};

/// The first difference of each use, writes first.
std::vector<MemoryDifference> differences(const MemoryUses& uses, const config::Launch& launch);

/// The first block that touches the byte in this way (`shared`: that writes it).
std::optional<std::int64_t> find_block(const LaunchedKernel& kernel, Use use,
                                       std::uint64_t address);

}  // namespace heddle::audit
