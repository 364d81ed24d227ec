#include "profile/workload/column_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace heddle::profile {
namespace {

constexpr std::int64_t kNoWhole = std::numeric_limits<std::int64_t>::min();

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
  const auto [found, fresh] =
      column.seen.emplace(std::string(word), static_cast<std::uint32_t>(column.words.size()));
  if (fresh) column.words.emplace_back(word);
  column.rows.push_back(found->second);
}

void ColumnStore::add_whole(std::size_t column, std::optional<std::int64_t> value) {
  columns_[column].wholes.push_back(value.value_or(kNoWhole));
}

void ColumnStore::set_real(std::size_t place, std::uint32_t row, double value) {
  Column& column = columns_[place];
  column.rows.push_back(row);
  column.reals.push_back(value);
}

void ColumnStore::add_real(std::size_t place, std::uint32_t row, double value) {
  set_real(place, row, value);
  Column& column = columns_[place];
  column.adds.resize(column.rows.size());
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

std::size_t ColumnStore::finish() {
  std::size_t replaced = 0;
  for (Column& column : columns_) {
    column.seen.clear();
    if (column.kind == Kind::reals) replaced += sort_rows(column);
  }
  return replaced;
}

std::optional<std::int64_t> ColumnStore::integer(std::size_t place, std::size_t row) const {
  const Column& column = columns_[place];
  if (column.kind == Kind::wholes) {
    if (row >= column.wholes.size() || column.wholes[row] == kNoWhole) return std::nullopt;
    return column.wholes[row];
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
  // Most columns have a value in every row.
  std::size_t at = row;
  if (at >= column.rows.size() || column.rows[at] != row) {
    const auto found = std::ranges::lower_bound(column.rows, row);
    if (found == column.rows.end() || *found != row) return std::nullopt;
    at = static_cast<std::size_t>(found - column.rows.begin());
  }
  return std::isnan(column.reals[at]) ? std::nullopt : std::optional<double>(column.reals[at]);
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
