// What the tests of the search share: maps by plain counting, attempts made by hand, small jobs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "folder.h"
#include "order/compact.h"
#include "order/order.h"
#include "search/arrangements.h"

namespace heddle::search {

inline order::Order read_order(const std::string& text) {
  return order::read_compact(text);
}

inline order::Map map_of(const order::Order& order, const Grid& grid) {
  order::Space space;
  space.launch = grid;
  return order::materialize(order, space, {});
}

inline order::Map map_of(const order::DigitOrder& digits, const Grid& grid) {
  return map_of(order::Order::from_stages({order::digit_stage(digits)}), grid);
}

/// Straight from the digits of each launch id; the arrangement covers the grid.
inline order::Map map_of(const Arrangement& arrangement, const Grid& grid) {
  order::Map map;
  for (std::int64_t id = 0; id < grid.count(); ++id) {
    std::vector<std::int64_t> values(arrangement.launch.size());
    std::int64_t rest = id;
    for (std::size_t i = values.size(); i-- > 0;) {
      values[i] = rest % arrangement.launch[i].radix;
      rest /= arrangement.launch[i].radix;
    }
    std::int64_t tile = 0;
    for (int axis = grid.axes(); axis-- > 0;) {
      std::int64_t index = 0;
      for (const std::size_t digit : arrangement.axes[static_cast<std::size_t>(axis)])
        index = index * arrangement.launch[digit].radix + values[digit];
      tile = tile * grid.extent(axis) + index;
    }
    map.push_back(tile);
  }
  return map;
}

/// The maps of all digit permutations of a small grid: every order of the prime digits of all
/// axes, spelt as counters. Written for clarity, and for nothing else.
inline std::set<order::Map> all_digit_maps(const Grid& grid) {
  struct Loop {
    std::int64_t count, stride;
  };
  // One axis: every way to split it into loops, as strides within the tile id.
  const auto splits = [](std::int64_t extent, std::int64_t unit) {
    std::vector<std::vector<Loop>> found;
    const auto split = [&](const auto& self, std::int64_t left, std::int64_t stride,
                           std::vector<Loop> loops) -> void {
      if (left == 1) found.push_back(loops);
      for (std::int64_t prime = 2; prime <= left; ++prime) {
        bool is_prime = true;
        for (std::int64_t part = 2; part < prime; ++part) is_prime = is_prime && prime % part != 0;
        if (!is_prime || left % prime != 0) continue;
        std::vector<Loop> more = loops;
        more.push_back({prime, stride});
        self(self, left / prime, stride * prime, more);
      }
    };
    split(split, extent, unit, {});
    return found;
  };
  std::vector<std::vector<Loop>> nests = {{}};
  std::int64_t unit = 1;
  for (int axis = 0; axis < grid.axes(); ++axis) {
    std::vector<std::vector<Loop>> longer;
    for (const auto& nest : nests)
      for (const auto& loops : splits(grid.extent(axis), unit)) {
        longer.push_back(nest);
        longer.back().insert(longer.back().end(), loops.begin(), loops.end());
      }
    nests = std::move(longer);
    unit *= grid.extent(axis);
  }
  std::set<order::Map> maps;
  for (const auto& nest : nests) {
    std::vector<std::size_t> order(nest.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      order::Map map = {0};
      for (const std::size_t loop : order) {  // the fastest first: repeat what is there
        const std::size_t size = map.size();
        for (std::int64_t step = 1; step < nest[loop].count; ++step)
          for (std::size_t i = 0; i < size; ++i) map.push_back(map[i] + step * nest[loop].stride);
      }
      maps.insert(map);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return maps;
}

using Folder = TestFolder;

}  // namespace heddle::search
