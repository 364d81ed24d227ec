#include "search/arrangements.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/lists.h"

namespace heddle::search {
namespace {

using Radices = std::vector<std::int64_t>;

/// Drops the digit at `index` of the launch id.
void erase_digit(Arrangement& arrangement, std::size_t index) {
  arrangement.launch.erase(arrangement.launch.begin() + static_cast<std::ptrdiff_t>(index));
  for (auto& axis : arrangement.axes) {
    std::erase(axis, index);
    for (std::size_t& digit : axis)
      if (digit > index) --digit;
  }
}

/// Whether digit i and the next of the launch id are neighbours on an axis as well.
bool stays_together(const Arrangement& arrangement, std::size_t i) {
  if (arrangement.launch[i].axis != arrangement.launch[i + 1].axis) return false;
  const auto& axis = arrangement.axes[static_cast<std::size_t>(arrangement.launch[i].axis)];
  const auto found = std::ranges::find(axis, i);
  return found + 1 != axis.end() && *(found + 1) == i + 1;
}

/// Something that tells arrangements apart.
std::vector<std::int64_t> key_of(const Arrangement& arrangement) {
  std::vector<std::int64_t> key;
  for (const Part& part : arrangement.launch) {
    key.push_back(part.axis);
    key.push_back(part.radix);
  }
  for (const auto& axis : arrangement.axes) {
    key.push_back(-1);
    for (const std::size_t digit : axis) key.push_back(static_cast<std::int64_t>(digit));
  }
  return key;
}

/// Digits of each axis, slowest first, as radices; the launch id takes them in the order of
/// `launch`, which counts them axis by axis.
Arrangement arrange(const std::vector<Radices>& axes, const std::vector<std::size_t>& launch) {
  std::vector<Part> parts;
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    places.emplace_back();
    for (const std::int64_t radix : axes[axis]) {
      places.back().push_back(parts.size());
      parts.push_back({static_cast<int>(axis), radix});
    }
  }
  Arrangement result;
  std::vector<std::size_t> where(parts.size());
  for (std::size_t i = 0; i < launch.size(); ++i) {
    where[launch[i]] = i;
    result.launch.push_back(parts[launch[i]]);
  }
  for (auto& axis : places) {
    for (std::size_t& digit : axis) digit = where[digit];
    result.axes.push_back(std::move(axis));
  }
  return result;
}

/// Keeps the first of equals.
class Collector {
 public:
  void add(const Arrangement& arrangement) {
    Arrangement plain = simplified(arrangement);
    if (seen_.insert(key_of(plain)).second) found_.push_back(std::move(plain));
  }
  std::vector<Arrangement> take() { return std::move(found_); }

 private:
  std::set<std::vector<std::int64_t>> seen_;
  std::vector<Arrangement> found_;
};

std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> primes;
  for (std::int64_t factor = 2; factor * factor <= number; ++factor)
    for (; number % factor == 0; number /= factor) primes.push_back(factor);
  if (number > 1) primes.push_back(number);
  return primes;
}

}  // namespace

Arrangement simplified(const Arrangement& arrangement) {
  Arrangement result = arrangement;
  for (std::size_t i = result.launch.size(); i-- > 0;)
    if (result.launch[i].radix == 1) erase_digit(result, i);
  for (std::size_t i = result.launch.size(); i-- > 1;) {
    if (!stays_together(result, i - 1)) continue;
    result.launch[i - 1].radix *= result.launch[i].radix;
    erase_digit(result, i);
  }
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
    if (!result.axes[axis].empty()) continue;
    for (auto& digits : result.axes)
      for (std::size_t& digit : digits) ++digit;
    result.launch.insert(result.launch.begin(), {static_cast<int>(axis), 1});
    result.axes[axis] = {0};
  }
  return result;
}

order::DigitOrder digit_order(const Arrangement& arrangement, int dies) {
  const std::size_t count = arrangement.launch.size();
  std::vector<bool> is_die(count, false);
  std::int64_t product = 1;
  for (std::size_t i = count; i-- > 0 && product < dies;) {
    product *= arrangement.launch[i].radix;
    is_die[i] = product <= dies && dies % product == 0;
    if (!is_die[i]) break;
  }
  const auto die_digits = std::ranges::count(is_die, true);
  order::DigitOrder result;
  result.launch.resize(count);
  const std::size_t axes = arrangement.axes.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto& digits = arrangement.axes[axis];
    const char letter = axes == 1 ? 'a' : static_cast<char>('x' + axis);
    const auto plain =
        std::ranges::count_if(digits, [&](std::size_t digit) { return !is_die[digit]; });
    std::size_t open = digits[0];
    for (const std::size_t digit : digits) {
      const auto rank = [&](std::size_t which) {
        return std::pair(!is_die[which], arrangement.launch[which].radix);
      };
      if (rank(digit) > rank(open)) open = digit;
    }
    auto left = plain;
    for (const std::size_t digit : digits) {
      order::Digit& named = result.launch[digit];
      if (is_die[digit])
        named.name = die_digits == 1 ? "die" : fmt::format("die{}", letter);
      else
        named.name = plain == 1 ? std::string(1, letter) : fmt::format("{}{}", letter, --left);
      if (digit != open) named.radix = arrangement.launch[digit].radix;
    }
  }
  // Two digits of the die on one axis need names of their own.
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = result.launch[i].name;
    for (std::size_t j = 0, same = 1; j < i; ++j)
      if (result.launch[j].name == result.launch[i].name)
        result.launch[i].name = name + std::to_string(++same);
  }
  for (std::size_t axis = axes; axis-- > 0;) result.axes.push_back(arrangement.axes[axis]);
  return result;
}

Arrangement arrangement_of(const order::DigitOrder& digits, const Grid& grid) {
  Arrangement result;
  const std::size_t axes = digits.axes.size();
  result.launch.resize(digits.launch.size());
  result.axes.resize(axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto& places = digits.axes[axes - 1 - axis];
    std::int64_t constants = 1;
    for (const std::size_t digit : places) constants *= digits.launch[digit].radix.value_or(1);
    const std::int64_t open = grid.extent(static_cast<int>(axis)) / constants;
    for (const std::size_t digit : places)
      result.launch[digit] = {static_cast<int>(axis), digits.launch[digit].radix.value_or(open)};
    result.axes[axis] = places;
  }
  return result;
}

std::optional<Arrangement> recognize(const order::Map& map, const Grid& grid) {
  const auto tiles = static_cast<std::int64_t>(map.size());
  if (tiles == 0 || map[0] != 0) return std::nullopt;
  struct Found {
    int axis;
    std::int64_t radix, stride;  // stride within the axis
  };
  std::vector<Found> digits;  // fastest first
  std::vector<std::int64_t> strides(static_cast<std::size_t>(grid.axes()), 1);
  for (int axis = 1; axis < grid.axes(); ++axis)
    strides[static_cast<std::size_t>(axis)] =
        strides[static_cast<std::size_t>(axis - 1)] * grid.extent(axis - 1);
  for (std::int64_t step = 1; step < tiles;) {
    const std::int64_t stride = map[static_cast<std::size_t>(step)];
    int axis = grid.axes() - 1;
    while (axis > 0 && strides[static_cast<std::size_t>(axis)] > stride) --axis;
    const std::int64_t unit = strides[static_cast<std::size_t>(axis)];
    if (stride <= 0 || stride % unit != 0) return std::nullopt;
    const std::int64_t inside = stride / unit;
    std::int64_t radix = 1;
    while (radix * step < tiles && radix * inside < grid.extent(axis) &&
           map[static_cast<std::size_t>(radix * step)] == radix * stride)
      ++radix;
    // The longest run may go too far: its length must divide what is left.
    while (radix > 1 && (tiles / step % radix != 0 || grid.extent(axis) / inside % radix != 0))
      --radix;
    if (radix == 1 || tiles % step != 0 || grid.extent(axis) % inside != 0) return std::nullopt;
    digits.push_back({axis, radix, inside});
    step *= radix;
  }
  Arrangement result;
  result.axes.resize(static_cast<std::size_t>(grid.axes()));
  std::ranges::reverse(digits);
  for (const Found& digit : digits) {
    result.axes[static_cast<std::size_t>(digit.axis)].push_back(result.launch.size());
    result.launch.push_back({digit.axis, digit.radix});
  }
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
    auto& places = result.axes[axis];
    std::ranges::sort(
        places, [&](std::size_t a, std::size_t b) { return digits[a].stride > digits[b].stride; });
    std::int64_t covered = 1;
    for (std::size_t i = places.size(); i-- > 0; covered *= digits[places[i]].radix)
      if (digits[places[i]].stride != covered) return std::nullopt;
    if (covered != grid.extent(static_cast<int>(axis))) return std::nullopt;
  }
  for (std::int64_t id = 0; id < tiles; ++id) {
    std::int64_t rest = id;
    std::int64_t tile = 0;
    for (std::size_t i = digits.size(); i-- > 0; rest /= digits[i].radix)
      tile += rest % digits[i].radix * digits[i].stride *
              strides[static_cast<std::size_t>(digits[i].axis)];
    if (map[static_cast<std::size_t>(id)] != tile) return std::nullopt;
  }
  return simplified(result);
}

std::optional<std::vector<Arrangement>> all_arrangements(const Grid& grid, std::int64_t most) {
  std::vector<std::vector<Radices>> choices;  // per axis: every order of its prime factors
  std::int64_t products = 1;
  std::size_t digits = 0;
  for (int axis = 0; axis < grid.axes(); ++axis) {
    Radices primes = prime_factors(grid.extent(axis));
    digits += primes.size();
    if (digits > 10) return std::nullopt;
    std::vector<Radices>& orders = choices.emplace_back();
    do orders.push_back(primes);
    while (std::next_permutation(primes.begin(), primes.end()));
    products *= static_cast<std::int64_t>(orders.size());
  }
  for (std::size_t i = 2; i <= digits; ++i)
    if ((products *= static_cast<std::int64_t>(i)) > most) return std::nullopt;
  Collector collector;
  std::vector<std::size_t> picked(choices.size(), 0);
  for (bool more = true; more;) {
    std::vector<Radices> axes;
    for (std::size_t axis = 0; axis < choices.size(); ++axis)
      axes.push_back(choices[axis][picked[axis]]);
    std::vector<std::size_t> launch(digits);
    std::iota(launch.begin(), launch.end(), 0);
    do collector.add(arrange(axes, launch));
    while (std::next_permutation(launch.begin(), launch.end()));
    more = false;
    for (std::size_t axis = 0; axis < choices.size() && !more; ++axis) {
      more = ++picked[axis] < choices[axis].size();
      if (!more) picked[axis] = 0;
    }
  }
  std::vector<Arrangement> found = collector.take();
  std::ranges::stable_sort(found, [](const Arrangement& a, const Arrangement& b) {
    return a.launch.size() < b.launch.size();
  });
  return found;
}

namespace {

/// One axis cut into parts, slowest first; the die's share of them.
struct CutAxis {
  Radices radices;
  std::vector<bool> is_die;
};

/// An axis with these splits and with `die` (1: none) on every place, or the slowest only.
std::vector<CutAxis> cut_axis(std::int64_t extent, std::int64_t die, const Radices& splits,
                              bool contiguous_only) {
  std::int64_t product = die;
  for (const std::int64_t split : splits) product *= split;
  if (product > extent) return {};
  Radices plain = {extent / product};
  append(plain, splits);
  if (die == 1) return {{plain, std::vector<bool>(plain.size())}};
  const auto with_die_at = [&](std::size_t place) {
    CutAxis cut{plain, std::vector<bool>(plain.size())};
    const auto at = static_cast<std::ptrdiff_t>(place);
    cut.radices.insert(cut.radices.begin() + at, die);
    cut.is_die.insert(cut.is_die.begin() + at, true);
    return cut;
  };
  std::vector<CutAxis> cuts = {with_die_at(0)};
  if (contiguous_only) return cuts;
  cuts.push_back(with_die_at(plain.size()));
  for (std::size_t place = 1; place < plain.size(); ++place) cuts.push_back(with_die_at(place));
  return cuts;
}

/// Adds the loops of these axes in every order; the die's digits stay the fastest.
void add_loops(const std::vector<CutAxis>& axes, Collector& collector) {
  std::vector<Radices> radices;
  std::vector<std::size_t> plain, dies;
  std::size_t digit = 0;
  for (const CutAxis& axis : axes) {
    radices.push_back(axis.radices);
    for (const bool is_die : axis.is_die) (is_die ? dies : plain).push_back(digit++);
  }
  std::ranges::sort(plain, std::greater<>());
  do {
    std::vector<std::size_t> launch = plain;
    launch.insert(launch.end(), dies.rbegin(), dies.rend());
    collector.add(arrange(radices, launch));
  } while (std::prev_permutation(plain.begin(), plain.end()));
}

/// How many dies each axis takes: (8, 1), (1, 8), (2, 4), (4, 2).
std::vector<Radices> die_shares(int dies, int axes) {
  std::vector<Radices> shares;
  for (int axis = 0; axis < axes; ++axis) {
    Radices share(static_cast<std::size_t>(axes), 1);
    share[static_cast<std::size_t>(axis)] = dies;
    shares.push_back(share);
    if (dies == 1) return shares;
  }
  for (int axis = 0; axis + 1 < axes; ++axis)
    for (std::int64_t part = 2; part < dies; ++part) {
      if (dies % part != 0) continue;
      Radices share(static_cast<std::size_t>(axes), 1);
      share[static_cast<std::size_t>(axis)] = part;
      share[static_cast<std::size_t>(axis + 1)] = dies / part;
      shares.push_back(share);
    }
  return shares;
}

/// Adds all arrangements with these shares of the dies and splits.
void add_cuts(const Grid& grid, const Radices& share, const Splits& splits, bool contiguous_only,
              Collector& collector) {
  std::vector<std::vector<CutAxis>> cuts;
  for (int axis = 0; axis < grid.axes(); ++axis) {
    const auto index = static_cast<std::size_t>(axis);
    cuts.push_back(cut_axis(grid.extent(axis), share[index], splits[index], contiguous_only));
    if (cuts.back().empty()) return;
  }
  std::vector<std::size_t> picked(cuts.size(), 0);
  for (bool more = true; more;) {
    std::vector<CutAxis> axes;
    for (std::size_t axis = 0; axis < cuts.size(); ++axis) axes.push_back(cuts[axis][picked[axis]]);
    add_loops(axes, collector);
    more = false;
    for (std::size_t axis = 0; axis < cuts.size() && !more; ++axis) {
      more = ++picked[axis] < cuts[axis].size();
      if (!more) picked[axis] = 0;
    }
  }
}

}  // namespace

std::vector<Splits> splits_of(const Grid& grid, const std::vector<std::int64_t>& extents,
                              int count) {
  Radices radices = extents;
  for (const std::int64_t radix : {8, 4, 16, 32, 2, 64})
    if (!is_one_of(radix, radices)) radices.push_back(radix);
  std::vector<Splits> all = {Splits(static_cast<std::size_t>(grid.axes()))};
  for (int done = 0; done < count; ++done) {
    std::vector<Splits> more;
    for (const Splits& splits : all) {
      for (const std::int64_t radix : radices) {
        // Axis by axis: the same splits are not made in several ways.
        for (int axis = 0; axis < grid.axes(); ++axis) {
          const auto rest = splits.begin() + axis + 1;
          if (std::any_of(rest, splits.end(), [](const Radices& its) { return !its.empty(); }))
            continue;
          Splits longer = splits;
          Radices& its = longer[static_cast<std::size_t>(axis)];
          its.push_back(radix);
          const std::int64_t product =
              std::accumulate(its.begin(), its.end(), std::int64_t{1}, std::multiplies<>());
          if (radix >= 2 && product <= grid.extent(axis) / 2) more.push_back(std::move(longer));
        }
      }
    }
    all = std::move(more);
  }
  std::ranges::stable_sort(all, std::less<>(), [](const Splits& splits) {
    std::size_t most = 0;
    for (const Radices& its : splits) most = std::max(most, its.size());
    return most;
  });
  return all;
}

std::vector<Arrangement> placed_dies(const Grid& grid, int dies, const Splits& splits) {
  Collector collector;
  // What is simple comes first.
  for (const bool contiguous_only : {true, false})
    for (const Radices& share : die_shares(dies, grid.axes()))
      add_cuts(grid, share, splits, contiguous_only, collector);
  return collector.take();
}

namespace {

/// Moves the digit at `from` of the launch id to `to`.
Arrangement moved(const Arrangement& arrangement, std::size_t from, std::size_t to) {
  std::vector<std::size_t> order(arrangement.launch.size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
  Arrangement result;
  std::vector<std::size_t> where(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    where[order[i]] = i;
    result.launch.push_back(arrangement.launch[order[i]]);
  }
  result.axes = arrangement.axes;
  for (auto& axis : result.axes)
    for (std::size_t& digit : axis) digit = where[digit];
  return result;
}

/// Splits a digit into a slower part and a faster one of radix `radix`.
Arrangement split(const Arrangement& arrangement, std::size_t digit, std::int64_t radix) {
  Arrangement result = arrangement;
  for (auto& axis : result.axes) {
    for (std::size_t& place : axis)
      if (place > digit) ++place;
    const auto found = std::ranges::find(axis, digit);
    if (found != axis.end()) axis.insert(found + 1, digit + 1);
  }
  result.launch[digit].radix /= radix;
  result.launch.insert(result.launch.begin() + static_cast<std::ptrdiff_t>(digit) + 1,
                       {arrangement.launch[digit].axis, radix});
  return result;
}

/// Swaps neighbours on an axis: the die's part of it for example from the end to the beginning.
Arrangement swapped(const Arrangement& arrangement, std::size_t axis, std::size_t place) {
  Arrangement result = arrangement;
  std::swap(result.axes[axis][place], result.axes[axis][place + 1]);
  return result;
}

}  // namespace

std::vector<Arrangement> neighbours(const Arrangement& arrangement, const Grid& grid) {
  Collector collector;
  // Constant radices doubled and halved: the largest digit of the axis makes up for it.
  for (std::size_t axis = 0; axis < arrangement.axes.size(); ++axis) {
    const auto& digits = arrangement.axes[axis];
    const std::size_t largest =
        *std::ranges::max_element(digits, [&](std::size_t a, std::size_t b) {
          return arrangement.launch[a].radix < arrangement.launch[b].radix;
        });
    for (const std::size_t digit : digits) {
      if (digit == largest) continue;
      for (const bool up : {true, false}) {
        Arrangement other = arrangement;
        std::int64_t& grows = other.launch[up ? digit : largest].radix;
        std::int64_t& shrinks = other.launch[up ? largest : digit].radix;
        if (shrinks % 2 != 0 || grows * 2 > grid.extent(static_cast<int>(axis))) continue;
        grows *= 2;
        shrinks /= 2;
        collector.add(other);
      }
    }
  }
  const std::size_t count = arrangement.launch.size();
  for (std::size_t from = 0; from < count; ++from)
    for (std::size_t to = 0; to < count; ++to)
      if (from != to) collector.add(moved(arrangement, from, to));
  for (std::size_t axis = 0; axis < arrangement.axes.size(); ++axis)
    for (std::size_t place = 0; place + 1 < arrangement.axes[axis].size(); ++place)
      collector.add(swapped(arrangement, axis, place));
  for (std::size_t digit = 0; digit < count; ++digit) {
    const std::int64_t radix = arrangement.launch[digit].radix;
    for (std::int64_t part = 2; part < radix; part = part < 8 ? part + 1 : part * 2) {
      if (radix % part != 0) continue;
      const Arrangement parts = split(arrangement, digit, part);
      for (const std::size_t moving : {digit, digit + 1})
        for (std::size_t to = 0; to <= count; ++to)
          if (to != digit && to != digit + 1) collector.add(moved(parts, moving, to));
    }
  }
  return collector.take();
}

}  // namespace heddle::search
