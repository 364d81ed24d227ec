// Whether the addresses of a block's threads are a regular pattern: base + x, y and z times
// strides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::runner {

class Regular {
 public:
  struct Found {
    bool is_regular = false;
    std::int64_t base = 0;  ///< of thread 0, whether it is there or not
    std::int32_t stride[3] = {};
  };

  void set_up(const std::uint32_t threads[3]);

  /// `lanes` ascend; addresses[k] is that of lanes[k].
  Found find(std::span<const std::uint32_t> lanes, std::span<const std::uint64_t> addresses) const;

 private:
  Found find_line(std::span<const std::uint32_t> lanes,
                  std::span<const std::uint64_t> addresses) const;

  Found find_whole(std::span<const std::uint64_t> addresses) const;

  struct Index {
    std::int32_t at[3];
  };
  std::uint32_t extent_[3] = {1, 1, 1};
  std::vector<Index> index_;  ///< of every lane
  bool is_line_ = true;       ///< x alone
};

}  // namespace heddle::runner
