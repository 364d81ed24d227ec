// What the uses of unknowns in host code show of them: ranks, names of axes, dtypes, sizes.
//
//   M, K = a.shape                  a: a tensor of rank 2 whose axes are M and K
//   assert a.shape[1] == b.shape[0]     one size of two names
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace heddle::kernel::triton::host {

/// What its uses show of an unknown.
struct Fact {
  bool is_tensor = false;
  bool is_number = false;
  bool is_none = false;
  int rank = 0;                           ///< at least
  bool exact_rank = false;                ///< exactly
  int from_start = 0;                     ///< axes of the shape that are asked for by number
  int from_end = 0;                       ///< and by number from the end
  int strides = 0;                        ///< strides that are asked for
  int first_strides = 0;                  ///< of them: those by number from the start
  bool has_lane = false;                  ///< behind those is an axis of stride 1
  std::map<int, std::string> axis_names;  ///< below 0: from the end
  std::string dtype;
  std::optional<std::string> text;  ///< it is this text
  std::optional<bool> flag;         ///< it is true or false

  /// x.shape[0], x.shape[-1]: two axes, unless its strides say how many there are.
  int likely_rank() const {
    if (exact_rank) return rank;
    if (has_lane) return std::max(rank, first_strides + 1);
    const bool is_open = strides == 0 && from_end > 0;
    return is_open ? std::max(rank, std::min(6, from_start + from_end)) : rank;
  }
  bool operator==(const Fact&) const = default;
};

struct Size {
  std::int64_t value = 0;
  std::string reason;    ///< "by its name"; "matmul.py:81"
  bool is_weak = false;  ///< whatever else is learnt of it counts more
};

struct Knowledge {
  std::map<std::string, Fact> facts;        ///< of unknowns, by key
  std::map<std::string, std::string> same;  ///< a size that equals another
  std::map<std::string, Size> sizes;        ///< values that are known better than by name
  bool has_heads = false;                   ///< an axis is called as those of attention are
  bool is_matrix = false;  ///< the kernel has M and N, which are 4096 by their names
  int changes = 0;         ///< counts what was learnt

  /// The fact of that unknown; null: nothing is known of it.
  const Fact* find(const std::string& key) const {
    const auto found = facts.find(key);
    return found == facts.end() ? nullptr : &found->second;
  }
  /// A size that is known better than by its name; the first word counts.
  void set_size(const std::string& name, std::int64_t value, const char* reason) {
    const auto [at, added] = sizes.try_emplace(name, Size{value, reason});
    if (!added && !at->second.is_weak) return;
    at->second = Size{value, reason};
    ++changes;
  }
};

/// Steps that following host code took, over all passes and places of a kernel.
struct Effort {
  static constexpr int kMost = 400'000;
  int spent = 0;
};

}  // namespace heddle::kernel::triton::host
