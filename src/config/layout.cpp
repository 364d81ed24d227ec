#include "config/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"

namespace heddle::config {
namespace {

constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20;  // less than this is small
constexpr std::uint64_t kSmallAlignmentBytes = 512;
constexpr std::uint64_t kLargeAlignmentBytes = std::uint64_t{1} << 21;
constexpr std::uint64_t kPoolBytes = std::uint64_t{1} << 21;
constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 63;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// Hands out memory from kFirstAddress upwards, around what is taken.
class Segments {
 public:
  explicit Segments(std::vector<Range> taken) : taken_(std::move(taken)) {
    std::ranges::sort(taken_, {}, &Range::first);
  }

  /// Both next_ and the result are multiples of the large alignment; bytes is below 2^63.
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t size = round_up(bytes, kLargeAlignmentBytes);
    while (at_ < taken_.size() && taken_[at_].first < next_ + size) {
      if (taken_[at_].end > next_) next_ = round_up(taken_[at_].end, kLargeAlignmentBytes);
      ++at_;
    }
    if (next_ >= kAddressLimit || size > kAddressLimit - next_) {
      throw Error("the tensors do not fit into the address space", "make them smaller")
          .because({Cause::Kind::size});
    }
    const std::uint64_t address = next_;
    next_ += size;
    return address;
  }

 private:
  std::vector<Range> taken_;
  std::size_t at_ = 0;
  std::uint64_t next_ = kFirstAddress;
};

}  // namespace

void lay_out(std::vector<Tensor>& tensors, const std::vector<bool>& given) {
  std::vector<Range> taken;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto bytes = static_cast<std::uint64_t>(tensors[i].bytes);
    if (given[i]) taken.push_back({tensors[i].address, tensors[i].address + bytes});
  }
  Segments segments(std::move(taken));
  std::uint64_t pool = 0;
  std::uint64_t pool_end = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (given[i]) continue;
    const auto bytes = static_cast<std::uint64_t>(tensors[i].bytes);
    if (bytes >= kSmallBytes) {
      tensors[i].address = segments.take(bytes);
      continue;
    }
    const std::uint64_t size = round_up(std::max<std::uint64_t>(bytes, 1), kSmallAlignmentBytes);
    if (pool_end - pool < size) {
      pool = segments.take(kPoolBytes);
      pool_end = pool + kPoolBytes;
    }
    tensors[i].address = pool;
    pool += size;
  }
}

}  // namespace heddle::config
