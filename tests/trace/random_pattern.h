// Random access patterns of every kind, small enough to look at byte by byte, and those bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "trace/pattern.h"

namespace heddle::trace::sample {

/// A pattern and what its pointers point at.
struct OwnedPattern {
  AccessPattern pattern;
  std::vector<std::unique_ptr<std::vector<std::int64_t>>> tables;
  std::vector<std::unique_ptr<std::vector<std::uint8_t>>> flags;

  const std::int64_t* keep(std::vector<std::int64_t> values) {
    return tables.emplace_back(std::make_unique<std::vector<std::int64_t>>(std::move(values)))
        ->data();
  }
  const std::uint8_t* keep(std::vector<std::uint8_t> values) {
    return flags.emplace_back(std::make_unique<std::vector<std::uint8_t>>(std::move(values)))
        ->data();
  }
};

/// "[4, 8] strided": for the message of a failing comparison.
inline std::string describe(const AccessPattern& pattern) {
  std::string text = "base " + std::to_string(pattern.base) + ", elements of " +
                     std::to_string(pattern.element_bytes) + " B";
  for (int k = 0; k < pattern.axes; ++k) {
    const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
    text += "; extent " + std::to_string(axis.extent) + " stride " + std::to_string(axis.stride) +
            " active " + std::to_string(axis.first) + ".." + std::to_string(axis.last);
    if (axis.table != nullptr) text += " table";
    if (axis.flags != nullptr) text += " flags";
  }
  if (pattern.addresses != nullptr) text += "; dense addresses";
  if (pattern.active != nullptr) text += "; dense mask";
  if (!pattern.scalar_active) text += "; inactive";
  return text;
}

class PatternMaker {
 public:
  explicit PatternMaker(std::uint64_t seed) : random_(seed) {}

  OwnedPattern make() {
    OwnedPattern owned;
    AccessPattern& pattern = owned.pattern;
    pattern.element_bytes = 1 << below(4);
    pattern.base =
        (std::int64_t{1} << 20) + below(64) * (below(2) == 0 ? 64 : pattern.element_bytes);
    pattern.axes = static_cast<int>(below(4));
    pattern.scalar_active = below(50) != 0;
    for (int k = 0; k < pattern.axes; ++k)
      fill_axis(owned, pattern.axis[static_cast<std::size_t>(k)]);
    const std::int64_t elements = pattern.elements();
    if (below(6) == 0) {
      std::vector<std::int64_t> addresses(static_cast<std::size_t>(elements));
      const std::int64_t spread = 1 + below(4000);
      for (std::int64_t& address : addresses) address = pattern.base + below(spread);
      if (below(2) == 0) {  // contiguous after all
        for (std::size_t i = 0; i < addresses.size(); ++i)
          addresses[i] = pattern.base + static_cast<std::int64_t>(i) * pattern.element_bytes;
      }
      pattern.addresses = owned.keep(std::move(addresses));
    }
    if (below(5) == 0) pattern.active = owned.keep(random_flags(elements));
    return owned;
  }

  std::int64_t below(std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random_);
  }

 private:
  std::vector<std::uint8_t> random_flags(std::int64_t count) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(count));
    const std::int64_t one_in = 1 + below(4);
    for (std::uint8_t& flag : flags) flag = below(one_in) == 0 ? 1 : 0;
    return flags;
  }

  void fill_axis(OwnedPattern& owned, PatternAxis& axis) {
    const std::int64_t bytes = owned.pattern.element_bytes;
    axis.extent = below(3) == 0 ? 1 + below(9) : std::int64_t{1} << below(5);
    const std::int64_t strides[] = {0,  bytes, bytes, bytes * 2, bytes * 8, -bytes,
                                    64, 128,   100,   512,       -256,      below(700)};
    axis.stride = strides[below(std::size(strides))];
    axis.last = axis.extent;
    if (below(4) == 0) axis.first = below(axis.extent + 1);
    if (below(4) == 0) axis.last = below(axis.extent + 1);
    if (below(6) == 0) axis.flags = owned.keep(random_flags(axis.extent));
    if (below(5) == 0) {
      std::vector<std::int64_t> table(static_cast<std::size_t>(axis.extent));
      const std::int64_t wrap = 1 + below(axis.extent);
      const std::int64_t spread = 1 + below(2000);
      const bool is_random = below(2) == 0;
      for (std::size_t i = 0; i < table.size(); ++i) {
        const auto wrapped = (static_cast<std::int64_t>(i) + wrap) % axis.extent;
        table[i] = is_random ? below(spread) : wrapped * axis.stride;
      }
      axis.table = owned.keep(std::move(table));
    }
  }

  std::mt19937_64 random_;
};

/// One active element: where it stands in the block and in memory. By pattern.h's rules, literally.
struct Element {
  std::vector<std::int64_t> index;
  std::uint64_t address = 0;
};

inline std::vector<Element> elements_of(const AccessPattern& pattern) {
  std::vector<Element> result;
  const std::int64_t count = pattern.elements();
  for (std::int64_t linear = 0; linear < count; ++linear) {
    Element element;
    element.index.resize(static_cast<std::size_t>(pattern.axes));
    bool is_active = pattern.scalar_active;
    std::int64_t address = pattern.base;
    std::int64_t rest = linear;
    for (int k = pattern.axes - 1; k >= 0; --k) {
      const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
      const std::int64_t i = rest % axis.extent;
      rest /= axis.extent;
      element.index[static_cast<std::size_t>(k)] = i;
      address += axis.table != nullptr ? axis.table[i] : axis.stride * i;
      is_active = is_active && axis.first <= i && i < axis.last;
      is_active = is_active && (axis.flags == nullptr || axis.flags[i] != 0);
    }
    is_active = is_active && (pattern.active == nullptr || pattern.active[linear] != 0);
    if (pattern.addresses != nullptr) address = pattern.addresses[linear];
    element.address = static_cast<std::uint64_t>(address);
    if (is_active) result.push_back(std::move(element));
  }
  return result;
}

}  // namespace heddle::trace::sample
