#include "profile/workload/column_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace heddle::profile {
namespace {

/// Many times what any chip needs for all of its counters.
constexpr std::size_t kMostSets = 256;
constexpr std::int64_t kNoWhole = std::numeric_limits<std::int64_t>::min();
constexpr std::int32_t kNoShortWhole = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMostShortWhole = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::size_t ColumnStore::add(std::string name, Kind kind) {
  columns_.emplace_back();
  columns_.back().name = std::move(name);
  columns_.back().kind = kind;
  return columns_.size() - 1;
}

std::size_t ColumnStore::add_words(std::string name) {
  return add(std::move(name), Kind::words);
}

std::size_t ColumnStore::add_wholes(std::string name) {
  return add(std::move(name), Kind::wholes);
}

std::size_t ColumnStore::add_reals(std::string name) {
  return add(std::move(name), Kind::reals);
}

void ColumnStore::add_word(std::size_t place, std::string_view word) {
  Column& column = columns_[place];
  // Mostly that of the row before.
  if (column.last >= column.words.size() || column.words[column.last] != word) {
    const auto [found, fresh] =
        column.seen.emplace(std::string(word), static_cast<std::uint32_t>(column.words.size()));
    if (fresh) column.words.emplace_back(word);
    column.last = found->second;
  }
  column.rows.push_back(column.last);
}

std::optional<std::uint32_t> ColumnStore::find_word(std::size_t place,
                                                    std::string_view word) const {
  const Column& column = columns_[place];
  if (column.last < column.words.size() && column.words[column.last] == word) return column.last;
  const auto found = column.seen.find(std::string(word));
  return found == column.seen.end() ? std::nullopt : std::optional(found->second);
}

void ColumnStore::add_whole(std::size_t column, std::optional<std::int64_t> value) {
  Column& its = columns_[column];
  const std::int64_t number = value.value_or(kNoWhole);
  const bool fits = !value || (number > kNoShortWhole && number <= kMostShortWhole);
  if (its.wholes.empty() && fits)
    its.short_wholes.push_back(value ? static_cast<std::int32_t>(number) : kNoShortWhole);
  else
    its.wholes.push_back(number);
}

std::int64_t ColumnStore::whole(const Column& column, std::size_t row) {
  const std::size_t shorts = column.short_wholes.size();
  if (row < shorts)
    return column.short_wholes[row] == kNoShortWhole ? kNoWhole : column.short_wholes[row];
  return row - shorts < column.wholes.size() ? column.wholes[row - shorts] : kNoWhole;
}

void ColumnStore::set_real(std::size_t place, std::uint32_t row, double value) {
  Column& column = columns_[place];
  // Doubling would leave half of the memory of a large recording empty.
  const auto make_room = [&](auto& values) {
    if (values.size() == values.capacity()) values.reserve(values.size() + values.size() / 4 + 16);
  };
  if (column.rows.empty() && row != column.reals.size()) name_rows(column);
  if (!column.rows.empty() || row != column.reals.size()) {
    make_room(column.rows);
    column.rows.push_back(row);
  }
  make_room(column.reals);
  column.reals.push_back(value);
}

void ColumnStore::name_rows(Column& column) {
  column.rows.resize(column.reals.size());
  std::iota(column.rows.begin(), column.rows.end(), 0U);
}

void ColumnStore::add_real(std::size_t place, std::uint32_t row, double value) {
  set_real(place, row, value);
  Column& column = columns_[place];
  column.adds.resize(column.reals.size());
  column.adds.back() = true;
}

std::size_t ColumnStore::sort_rows(Column& column) {
  const auto out_of_order = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
  if (std::ranges::adjacent_find(column.rows, out_of_order) == column.rows.end()) return 0;
  std::size_t replaced = 0;
  std::vector<std::uint32_t> order(column.rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t at) { return column.rows[at]; });
  std::vector<std::uint32_t> rows;
  std::vector<double> reals;
  rows.reserve(order.size());
  reals.reserve(order.size());
  for (const std::uint32_t at : order) {
    if (rows.empty() || rows.back() != column.rows[at]) {
      rows.push_back(column.rows[at]);
      reals.push_back(column.reals[at]);
    } else if (at < column.adds.size() && column.adds[at]) {
      reals.back() += column.reals[at];
    } else {
      if (reals.back() != column.reals[at]) ++replaced;
      reals.back() = column.reals[at];
    }
  }
  column.rows = std::move(rows);
  column.reals = std::move(reals);
  return replaced;
}

void ColumnStore::renumber(std::uint32_t first, const std::vector<std::uint32_t>& rows) {
  for (Column& column : columns_) {
    if (column.kind != Kind::reals) continue;
    if (column.rows.empty()) name_rows(column);
    for (std::uint32_t& row : column.rows) {
      if (row >= first) row = rows[row - first];
    }
  }
}

const std::vector<double>* ColumnStore::all_numbers(std::size_t place) const {
  const Column& column = columns_[place];
  const bool whole = column.kind == Kind::reals && column.rows.empty() &&
                     std::ranges::none_of(column.reals, [](double one) { return std::isnan(one); });
  return whole ? &column.reals : nullptr;
}

std::size_t ColumnStore::finish() {
  std::size_t replaced = 0;
  for (Column& column : columns_) {
    column.seen.clear();
    if (column.kind == Kind::reals) {
      replaced += sort_rows(column);
      // Each row once, from 0 to the last: the places are the rows.
      if (!column.rows.empty() && column.rows.back() + std::size_t{1} == column.rows.size())
        column.rows.clear();
    }
    column.rows.shrink_to_fit();
    column.wholes.shrink_to_fit();
    column.short_wholes.shrink_to_fit();
    column.reals.shrink_to_fit();
  }
  return replaced;
}

std::optional<std::int64_t> ColumnStore::integer(std::size_t place, std::size_t row) const {
  const Column& column = columns_[place];
  if (column.kind == Kind::wholes) {
    const std::int64_t value = whole(column, row);
    return value == kNoWhole ? std::nullopt : std::optional(value);
  }
  const auto value = number(place, row);
  constexpr double kWholeDoubles = 9007199254740992.0;
  if (!value || std::abs(*value) > kWholeDoubles || *value != std::floor(*value))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<double> ColumnStore::number(std::size_t place, std::size_t row) const {
  const Column& column = columns_[place];
  if (column.kind == Kind::words) return std::nullopt;
  if (column.kind == Kind::wholes) {
    const auto whole = integer(place, row);
    return whole ? std::optional<double>(static_cast<double>(*whole)) : std::nullopt;
  }
  auto value = own_number(column, row);
  const auto seat = value ? seats_.end() : seats_.find(static_cast<std::uint32_t>(row));
  if (seat == seats_.end()) return value;
  const Neighbours& group = groups_[seat->second.group];
  const std::size_t own = seat->second.place;
  const std::size_t end = std::min((own / group.round + 1) * group.round, group.rows.size());
  for (std::size_t next = own + 1; next < end && !value; ++next)
    value = own_number(column, group.rows[next]);
  // Each round has each counter once: two of them back is as far as there is something to find.
  const std::size_t least = own < 2 * group.round ? 0 : own - 2 * group.round;
  for (std::size_t before = own; before > least && !value; --before)
    value = own_number(column, group.rows[before - 1]);
  return value;
}

std::optional<double> ColumnStore::own_number(const Column& column, std::size_t row) const {
  // Most columns have a value in every row.
  std::size_t at = row;
  if (column.rows.empty()) {
    if (at >= column.reals.size()) return std::nullopt;
  } else if (at >= column.rows.size() || column.rows[at] != row) {
    const auto found = std::ranges::lower_bound(column.rows, row);
    if (found == column.rows.end() || *found != row) return std::nullopt;
    at = static_cast<std::size_t>(found - column.rows.begin());
  }
  return std::isnan(column.reals[at]) ? std::nullopt : std::optional<double>(column.reals[at]);
}

std::vector<bool> ColumnStore::counted(std::uint32_t row) const {
  std::vector<bool> has;
  for (const Column& column : columns_) {
    if (column.kind == Kind::reals) has.push_back(own_number(column, row).has_value());
  }
  return has;
}

bool ColumnStore::share(const std::vector<std::uint32_t>& rows) {
  std::set<std::vector<bool>> sets;
  for (const std::uint32_t row : rows) {
    std::vector<bool> has = counted(row);
    if (std::ranges::find(has, true) == has.end()) continue;
    // Sets come in turns.
    if (!sets.insert(std::move(has)).second) break;
    if (sets.size() > kMostSets) return false;
  }
  if (sets.empty()) return false;
  std::vector<bool> together = *sets.begin();
  for (const std::vector<bool>& has : sets) {
    for (std::size_t i = 0; i < has.size(); ++i) together[i] = together[i] || has[i];
  }
  if (std::ranges::find(together, false) != together.end()) return false;
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({rows, sets.size()});
  for (std::size_t place = 0; place < rows.size(); ++place)
    seats_[rows[place]] = {group, static_cast<std::uint32_t>(place)};
  return true;
}

std::string ColumnStore::text(std::size_t place, std::size_t row) const {
  const Column& column = columns_[place];
  if (column.kind == Kind::words)
    return row < column.rows.size() ? column.words[column.rows[row]] : std::string();
  if (const auto whole = integer(place, row)) return fmt::format("{}", *whole);
  const auto value = number(place, row);
  return value ? fmt::format("{}", *value) : std::string();
}

}  // namespace heddle::profile
