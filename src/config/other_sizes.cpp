#include "config/other_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "config/job.h"
#include "config/resolver.h"
#include "support/text.h"

namespace heddle::config {
namespace {

constexpr std::size_t kMostVarying = 8;
constexpr std::int64_t kTriedLoose = 40;  ///< values of a loose size
constexpr std::size_t kMostLoose = 32;    ///< that are chosen of them

/// Tiles of an odd grid along each varying size: 3, 5, 7 and 11 divide them.
std::vector<std::int64_t> odd_tiles(std::size_t sizes) {
  if (sizes == 1) return {1155};
  if (sizes == 2) return {33, 35};
  std::vector<std::int64_t> tiles = {15, 7, 11};
  tiles.resize(sizes, 3);
  return tiles;
}

std::string override_of(const std::string& name, std::int64_t value) {
  return fmt::format("{}={}", name, value);
}

std::string name_of(std::string_view override) {
  return std::string(trim(override.substr(0, override.find('='))));
}

/// A quotient that is rounded down; sums before it may be there to round it up.
bool has_remainder(const Expression& expression, Names& names) {
  const auto adds = [](const auto& self, const Expression& one) -> bool {
    return (one.kind == Expression::Kind::binary && (one.text == "+" || one.text == "-")) ||
           std::ranges::any_of(one.operands,
                               [&](const Expression& part) { return self(self, part); });
  };
  if (expression.kind == Expression::Kind::binary && expression.text == "//" &&
      !adds(adds, expression.operands.at(0))) {
    try {
      const Value left = evaluate(expression.operands[0], names);
      const Value right = evaluate(expression.operands[1], names);
      const auto* const whole = std::get_if<std::int64_t>(&left.data);
      const auto* const parts = std::get_if<std::int64_t>(&right.data);
      if (whole != nullptr && parts != nullptr && *parts > 0 && *whole % *parts != 0) return true;
    } catch (const Error&) {
      return false;  // a name that the kernel gives a value
    }
  }
  return std::ranges::any_of(expression.operands,
                             [&](const Expression& part) { return has_remainder(part, names); });
}

/// Looks for the sizes at which the grid changes, all other sizes as they are.
class TileSearch {
 public:
  TileSearch(const GridWith& grid_with, std::string name, std::int64_t value)
      : grid_with_(grid_with), name_(std::move(name)), value_(value) {}

  /// Fills in per_tile and is_cut where one tile more is one size apart.
  void run(VaryingSize& size) const {
    const std::int64_t first = least([&](std::int64_t at) { return grid(at).has_value(); });
    const std::optional<Grid> one = grid(first);
    if (!one) return;
    const std::int64_t next = least([&](std::int64_t at) {
      const std::optional<Grid> here = grid(at);
      return here && !(*here == *one);
    });
    const std::optional<Grid> two = grid(next);
    if (!two || !is_twice(*one, *two)) return;
    size.per_tile = next - first;
    size.is_cut = first > 1;
    if (size.is_cut && size.per_tile != first) size.per_tile = 0;
  }

 private:
  std::optional<Grid> grid(std::int64_t size) const {
    return grid_with_({override_of(name_, size)});
  }

  static bool is_twice(const Grid& one, const Grid& two) {
    int doubled = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (two.extent(axis) == one.extent(axis)) continue;
      if (two.extent(axis) != 2 * one.extent(axis)) return false;
      ++doubled;
    }
    return doubled > 0;
  }

  /// The least size for which a test holds that holds for all larger ones, the job's among them.
  template <class Test>
  std::int64_t least(const Test& holds) const {
    std::int64_t below = 0;
    std::int64_t at = 1;
    while (at < value_ && !holds(at)) {
      below = at;
      at *= 2;
    }
    at = std::min(at, value_);
    while (at - below > 1) {
      const std::int64_t middle = below + (at - below) / 2;
      (holds(middle) ? at : below) = middle;
    }
    return at;
  }

  const GridWith& grid_with_;
  std::string name_;
  std::int64_t value_;
};

/// The axis that differs; -1: several do.
int changed_axis(const Grid& one, const Grid& other) {
  int changed = -1;
  for (int axis = 0; axis < 3; ++axis) {
    if (one.extent(axis) == other.extent(axis)) continue;
    if (changed != -1) return -1;
    changed = axis;
  }
  return changed;
}

std::int64_t grown(const VaryingSize& one, std::int64_t factor) {
  if (one.per_tile == 0) return factor * one.value;
  const std::int64_t tiles = (one.value + one.per_tile - 1) / one.per_tile;
  return one.value + one.per_tile * (factor - 1) * tiles;
}

std::int64_t ragged(const VaryingSize& one, std::int64_t tiles) {
  if (one.per_tile == 0) return 2 * tiles + 1;
  return one.per_tile * tiles - (one.per_tile > 1 && !one.is_cut ? 1 : 0);
}

/// The first and the last of those tried that give a grid of its own: tiles that hold one element,
/// and full ones.
std::vector<std::int64_t> loose_values(const VaryingSize& size, const GridWith& grid_with) {
  std::set<std::int64_t> values;
  for (std::int64_t i = 1; i <= kTriedLoose; ++i) {
    values.insert(i);
    values.insert(i * std::max<std::int64_t>(1, size.value / (kTriedLoose / 2)));
  }
  std::map<std::int64_t, std::set<std::int64_t>> by_blocks;
  for (const std::int64_t value : values)
    if (const std::optional<Grid> grid = grid_with({override_of(size.name, value)}))
      by_blocks[grid->count()].insert(value);
  std::vector<std::int64_t> chosen;
  std::size_t grids = 0;
  for (const auto& [blocks, same] : by_blocks) {
    if (++grids > kMostLoose) break;
    chosen.push_back(*same.begin());
    if (same.size() > 1) chosen.push_back(*same.rbegin());
  }
  return chosen;
}

}  // namespace

std::vector<VaryingSize> find_varying(const std::string& job_path,
                                      const std::vector<std::string>& overrides,
                                      const GridWith& grid_with) {
  const std::optional<Grid> grid = grid_with({});
  if (!grid) return {};
  const Job job = read_job(job_path, overrides);
  std::vector<VaryingSize> varying;
  for (const auto* list : {&job.sizes, &job.scalars, &job.constexprs}) {
    for (const NamedExpression& entry : *list) {
      const auto value = parse_integer(trim(entry.written.text));
      if (!value || *value < 2 || varying.size() == kMostVarying) continue;
      const std::optional<Grid> half = grid_with({override_of(entry.name, *value / 2)});
      // A block's size makes more tiles where it is smaller.
      if (!half || half->count() >= grid->count()) continue;
      VaryingSize size{entry.name, *value, 0, false, changed_axis(*half, *grid)};
      TileSearch(grid_with, entry.name, *value).run(size);
      varying.push_back(std::move(size));
    }
  }
  return varying;
}

std::vector<std::string> other_numbers(const std::string& job_path,
                                       const std::vector<std::string>& overrides,
                                       const std::vector<VaryingSize>& varying) {
  const Job job = read_job(job_path, overrides);
  std::vector<std::string> names;
  for (const auto* list : {&job.sizes, &job.scalars})
    for (const NamedExpression& entry : *list) {
      const bool is_known = std::ranges::any_of(
          varying, [&](const VaryingSize& size) { return size.name == entry.name; });
      if (!is_known && parse_integer(trim(entry.written.text))) names.push_back(entry.name);
    }
  return names;
}

bool has_odd_shape(const std::string& job_path, const std::vector<std::string>& overrides) {
  const Job job = read_job(job_path, overrides);
  Resolver names(job, {});
  return std::ranges::any_of(job.tensors, [&](const JobTensor& tensor) {
    return std::ranges::any_of(tensor.shape.items, [&](const Written& extent) {
      return has_remainder(extent.expression, names);
    });
  });
}

std::vector<std::vector<std::int64_t>> tile_counts(std::size_t sizes) {
  static const std::array<std::vector<std::int64_t>, kMostVarying> kCounts = {
      {{1, 2, 3, 5, 7, 8, 9, 13, 16, 17},
       {1, 2, 3, 5, 7, 8, 9, 13, 16, 17},
       {1, 2, 3, 5, 8},
       {1, 2, 3},
       {1, 3},
       {1, 3},
       {1, 2},
       {1, 2}}};
  std::vector<std::vector<std::int64_t>> all = {{}};
  for (std::size_t i = 0; i < sizes; ++i) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& counts : all)
      for (const std::int64_t count : kCounts[std::min(sizes, kMostVarying) - 1]) {
        longer.push_back(counts);
        longer.back().push_back(count);
      }
    all = std::move(longer);
  }
  const auto tiles = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>());
  };
  std::ranges::stable_sort(all, [&](const auto& a, const auto& b) { return tiles(a) < tiles(b); });
  return all;
}

std::vector<std::vector<std::int64_t>> counts_along_one(std::size_t sizes, std::int64_t others) {
  constexpr std::int64_t kEvery = 17;
  static const std::array<std::int64_t, 4> kPrimes = {19, 23, 29, kMostTileCount};
  std::vector<std::vector<std::int64_t>> all;
  for (std::size_t i = 0; i < sizes; ++i) {
    std::vector<std::int64_t> counts(sizes, others);
    for (counts[i] = 1; counts[i] <= kEvery; ++counts[i]) all.push_back(counts);
    for (const std::int64_t prime : kPrimes) {
      counts[i] = prime;
      all.push_back(counts);
    }
  }
  return all;
}

std::vector<std::vector<std::string>> loose_sizes(const std::vector<VaryingSize>& varying,
                                                  const GridWith& grid_with) {
  const std::vector<VaryingSize> tiled = tiled_of(varying);
  const std::vector<std::string> others =
      sizes_with(tiled, std::vector<std::int64_t>(tiled.size(), 1));
  std::vector<std::vector<std::string>> all;
  for (const VaryingSize& size : varying) {
    if (size.per_tile > 0) continue;
    const auto with_others = [&](const std::vector<std::string>& more) {
      return grid_with(with_overrides(others, more));
    };
    for (const std::int64_t value : loose_values(size, with_others)) {
      all.push_back(others);
      all.back().push_back(override_of(size.name, value));
    }
  }
  return all;
}

std::vector<VaryingSize> tiled_of(std::vector<VaryingSize> varying) {
  std::erase_if(varying, [](const VaryingSize& size) { return size.per_tile < 1; });
  return varying;
}

std::vector<std::string> sizes_with(const std::vector<VaryingSize>& varying,
                                    const std::vector<std::int64_t>& tiles) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < varying.size(); ++i)
    sizes.push_back(override_of(varying[i].name, ragged(varying[i], tiles[i])));
  return sizes;
}

std::vector<std::string> grown_sizes(const std::vector<VaryingSize>& varying, std::int64_t factor) {
  std::vector<std::string> sizes;
  for (const VaryingSize& one : varying) sizes.push_back(override_of(one.name, grown(one, factor)));
  return sizes;
}

std::vector<std::string> ragged_sizes(const std::vector<VaryingSize>& varying) {
  return sizes_with(varying, odd_tiles(varying.size()));
}

std::vector<std::string> with_overrides(const std::vector<std::string>& given,
                                        const std::vector<std::string>& more) {
  std::vector<std::string> overrides = more;
  for (const std::string& text : given) {
    for (const std::string_view one : split_outside_brackets(text, ',')) {
      const bool is_replaced = std::ranges::any_of(
          more, [&](const std::string& other) { return name_of(other) == name_of(one); });
      if (!is_replaced) overrides.emplace_back(one);
    }
  }
  return overrides;
}

}  // namespace heddle::config
