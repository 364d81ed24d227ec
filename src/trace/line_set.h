// A set of cache lines of one tensor: one bit per line.
//
//   LineSet lines(address, bytes, 128);
//   lines.add({address, 512});      // 4 lines
//   lines.count()                   // 4
//
// Rules
//   1. Bytes outside the tensor are ignored.
//   2. Clearing and comparing cost as much as the part of the tensor that was touched.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "trace/pattern.h"
#include "trace/runs.h"

namespace heddle::trace {

class LineSet {
 public:
  LineSet() = default;
  /// `line_bytes` is a power of two.
  LineSet(std::uint64_t address, std::uint64_t bytes, int line_bytes)
      : shift_(std::countr_zero(static_cast<unsigned>(line_bytes))),
        first_(address >> shift_),
        words_(words_needed(address, bytes, line_bytes)) {}

  /// Memory of a set for a tensor, in bytes.
  static std::int64_t memory_bytes(std::uint64_t address, std::uint64_t bytes, int line_bytes) {
    return static_cast<std::int64_t>(words_needed(address, bytes, line_bytes) *
                                     sizeof(std::uint64_t));
  }

  void add(const Run& run) {
    const std::uint64_t begin = (run.address >> shift_) - first_;
    const std::uint64_t last = ((run.address + run.bytes - 1) >> shift_) - first_;
    const std::uint64_t limit = words_.size() * kBits;
    if (begin >= limit || last >= limit || last < begin) return;
    const auto word = static_cast<std::size_t>(begin / kBits);
    const auto last_word = static_cast<std::size_t>(last / kBits);
    const std::uint64_t from = ~std::uint64_t{0} << (begin % kBits);
    const std::uint64_t to = ~std::uint64_t{0} >> (kBits - 1 - last % kBits);
    low_ = std::min(low_, word);
    high_ = std::max(high_, last_word + 1);
    if (word == last_word) {
      words_[word] |= from & to;
      return;
    }
    words_[word] |= from;
    for (std::size_t i = word + 1; i < last_word; ++i) words_[i] = ~std::uint64_t{0};
    words_[last_word] |= to;
  }

  void clear() {
    for (std::size_t i = low_; i < high_; ++i) words_[i] = 0;
    low_ = words_.size();
    high_ = 0;
  }

  std::int64_t count() const {
    std::int64_t total = 0;
    for (std::size_t i = low_; i < high_; ++i) total += std::popcount(words_[i]);
    return total;
  }

  /// Lines that are in both; the other is of the same tensor.
  std::int64_t count_common(const LineSet& other) const {
    std::int64_t total = 0;
    const std::size_t high = std::min(high_, other.high_);
    for (std::size_t i = std::max(low_, other.low_); i < high; ++i)
      total += std::popcount(words_[i] & other.words_[i]);
    return total;
  }

  /// Adds all lines of a set of the same tensor.
  void unite(const LineSet& other) {
    for (std::size_t i = other.low_; i < other.high_; ++i) words_[i] |= other.words_[i];
    low_ = std::min(low_, other.low_);
    high_ = std::max(high_, other.high_);
  }

 private:
  static constexpr std::uint64_t kBits = 64;

  static std::size_t words_needed(std::uint64_t address, std::uint64_t bytes, int line_bytes) {
    const auto line = static_cast<std::uint64_t>(line_bytes);
    if (bytes == 0) return 0;
    const std::uint64_t lines = (address + bytes - 1) / line - address / line + 1;
    return static_cast<std::size_t>((lines + kBits - 1) / kBits);
  }

  int shift_ = 0;
  std::uint64_t first_ = 0;  ///< number of the tensor's first line
  std::vector<std::uint64_t> words_;
  std::size_t low_ = ~std::size_t{0};  ///< words touched
  std::size_t high_ = 0;
};

}  // namespace heddle::trace
