#include "profile/workload/long_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

struct WholeColumn {
  const char* name;
  std::optional<std::int64_t> LongDispatch::*value;
};
constexpr std::array<WholeColumn, 9> kWholeColumns = {{
    {"Grid_Size", &LongDispatch::grid},
    {"Workgroup_Size", &LongDispatch::workgroup},
    {"LDS_Per_Workgroup", &LongDispatch::lds},
    {"Scratch_Per_Workitem", &LongDispatch::scratch},
    {"Arch_VGPR", &LongDispatch::vgpr},
    {"Accum_VGPR", &LongDispatch::accum_vgpr},
    {"SGPR", &LongDispatch::sgpr},
    {"Start_Timestamp", &LongDispatch::start},
    {"End_Timestamp", &LongDispatch::end},
}};

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void too_much(const std::string& what) {
  throw Error(fmt::format("the recording holds more than {}", what),
              "profile fewer dispatches or counters at a time: rocprof-compute profile -b 2 16 17");
}

/// A whole number, also as a table program writes it: 1.3e+16.
std::optional<std::int64_t> whole_of(const CounterTable& table, std::size_t column,
                                     std::size_t row) {
  constexpr double kMost = 9e18;
  if (const auto whole = table.integer(column, row)) return whole;
  const auto number = table.number(column, row);
  if (!number || !(std::abs(*number) < kMost)) return std::nullopt;
  return std::llround(*number);
}

/// Columns that tell the instances of a counter apart: DIMENSION_XCC, Dimension_Instance.
bool has_instances(const CounterTable& table) {
  return std::ranges::any_of(table.columns(), [](const std::string& name) {
    return lower_case(name).starts_with("dimension");
  });
}

/// Who ran a dispatch, where one file holds the dispatches of several.
class Owners {
 public:
  Owners(const CounterTable& table, const std::string& shown) : table_(table), shown_(shown) {
    for (const char* const name : {"GPU_ID", "Process_Id", "Process_ID", "PID"})
      if (const auto column = table.find(name)) columns_.emplace_back(name, *column);
    known_.resize(columns_.size());
  }

  /// Refuses a dispatch that is another's, too.
  void check(std::uint32_t dispatch, std::int64_t id, std::size_t row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string text = table_.text(columns_[i].second, row);
      const auto [known, is_new] = known_[i].emplace(dispatch, text);
      if (is_new || known->second == text) continue;
      throw Error(
          fmt::format("{} has two dispatches {}: of {} {} and of {}", shown_, id, columns_[i].first,
                      known->second, text),
          "keep the recordings of processes and GPUs in folders of their own, and show them "
          "with --nodes",
          ExitCode::missing);
    }
  }

 private:
  const CounterTable& table_;
  const std::string& shown_;
  std::vector<std::pair<const char*, std::size_t>> columns_;
  std::vector<std::unordered_map<std::uint32_t, std::string>> known_;
};

}  // namespace

bool is_long(const CounterTable& table) {
  return table.has("Counter_Name") && table.has("Counter_Value");
}

LongCounters::LongCounters() {
  whole_columns_.push_back(store_.add_wholes("Dispatch_ID"));
  kernel_column_ = store_.add_words("Kernel_Name");
  gpu_column_ = store_.add_words("GPU_ID");
  for (const WholeColumn& column : kWholeColumns)
    whole_columns_.push_back(store_.add_wholes(column.name));
}

LongCounters::Key LongCounters::key_of(std::uint32_t row) const {
  Key key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = store_.integer(whole_columns_[i], row).value_or(-1);
  return key;
}

std::size_t LongCounters::place_of(const Key& key, std::uint32_t kernel) const {
  std::uint64_t hash = kernel;
  for (const std::int64_t part : key)
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15U + (hash >> 29U);
  hash ^= hash >> 32U;
  std::size_t place = hash & (places_.size() - 1);
  while (places_[place] != kNoRow &&
         (store_.word(kernel_column_, places_[place]) != kernel || key_of(places_[place]) != key))
    place = (place + 1) & (places_.size() - 1);
  return place;
}

void LongCounters::index_rows() {
  if (2 * std::size_t{rows_} > places_.size()) {
    std::size_t places = std::max<std::size_t>(2 * places_.size(), 64);
    while (2 * std::size_t{rows_} > places) places *= 2;
    places_.assign(places, kNoRow);
    indexed_ = 0;
  }
  for (; indexed_ < rows_; ++indexed_)
    places_[place_of(key_of(indexed_), store_.word(kernel_column_, indexed_))] = indexed_;
}

std::uint32_t LongCounters::row_of(const LongDispatch& dispatch) {
  // Ids go up while the first pass is read: there is nothing to look for.
  if (rows_ > 0 && dispatch.id <= largest_id_) {
    index_rows();
    const Key key = {dispatch.id, dispatch.grid.value_or(-1), dispatch.workgroup.value_or(-1),
                     dispatch.lds.value_or(-1)};
    if (const auto kernel = store_.find_word(kernel_column_, dispatch.kernel)) {
      const std::uint32_t row = places_[place_of(key, *kernel)];
      if (row != kNoRow) return row;
    }
  }
  if (rows_ >= kMostValues) too_much(count_of(kMostValues, "dispatch") + "es");
  store_.add_whole(whole_columns_[0], dispatch.id);
  store_.add_word(kernel_column_, dispatch.kernel);
  store_.add_word(gpu_column_, dispatch.gpu);
  for (std::size_t i = 0; i < kWholeColumns.size(); ++i)
    store_.add_whole(whole_columns_[i + 1], dispatch.*kWholeColumns[i].value);
  largest_id_ = rows_ == 0 ? dispatch.id : std::max(largest_id_, dispatch.id);
  return rows_++;
}

std::size_t LongCounters::column_of(std::string_view counter) {
  std::string name(counter);
  const auto found = counters_.find(name);
  if (found != counters_.end()) return found->second;
  if (store_.columns() >= kMostColumns) too_much(fmt::format("{} counters", kMostColumns));
  const std::size_t column = store_.add_reals(name);
  counters_.emplace(std::move(name), column);
  return column;
}

void LongCounters::add(std::size_t column, std::uint32_t row, double value, bool more) {
  if (++values_ > kMostValues) too_much(fmt::format("{} values", with_separators(kMostValues)));
  if (more)
    store_.add_real(column, row, value);
  else
    store_.set_real(column, row, value);
}

void LongCounters::took(std::uint32_t row, std::int64_t duration_ns, std::uint32_t counters) {
  if (!took_.empty() && took_.back().row == row && took_.back().duration_ns == duration_ns)
    took_.back().counters += counters;
  else
    took_.push_back({row, counters, duration_ns});
}

void LongCounters::settle(std::uint32_t first, const std::vector<std::uint32_t>& rows) {
  bool moved = false;
  for (std::size_t i = 0; i < rows.size() && !moved; ++i) moved = rows[i] != first + i;
  if (!moved) return;
  store_.renumber(first, rows);
  for (Took& one : took_) {
    if (one.row >= first) one.row = rows[one.row - first];
  }
}

std::vector<std::optional<double>> LongCounters::durations() {
  std::vector<std::optional<double>> medians(rows_);
  const auto key = [](const Took& one) { return std::tuple(one.row, one.duration_ns); };
  if (!std::ranges::is_sorted(took_, {}, key)) std::ranges::sort(took_, {}, key);
  for (auto first = took_.begin(); first != took_.end();) {
    const auto end =
        std::find_if(first, took_.end(), [&](const Took& one) { return one.row != first->row; });
    std::uint64_t all = 0;
    for (auto one = first; one != end; ++one) all += one->counters;
    const auto at = [&](std::uint64_t place) {
      auto one = first;
      for (; place >= one->counters; ++one) place -= one->counters;
      return static_cast<double>(one->duration_ns);
    };
    medians[first->row] = (at((all - 1) / 2) + at(all / 2)) / 2;
    first = end;
  }
  return medians;
}

void LongCounters::add_table(const CounterTable& table, const std::string& shown,
                             std::vector<ProfileNote>& notes,
                             const std::unordered_map<std::int64_t, std::int64_t>& ids) {
  const auto id = table.find("Dispatch_ID");
  const auto kernel = table.find("Kernel_Name");
  if (!id || !kernel)
    throw Error(fmt::format("{} has a row for each counter, and no column {} to tell whose it is",
                            shown, id ? "Kernel_Name" : "Dispatch_ID"),
                "profile again, or name another folder", ExitCode::missing);
  const auto gpu = table.find("GPU_ID");
  const std::size_t name = *table.find("Counter_Name");
  const std::size_t value = *table.find("Counter_Value");
  std::array<std::optional<std::size_t>, kWholeColumns.size()> wholes;
  for (std::size_t i = 0; i < wholes.size(); ++i) wholes[i] = table.find(kWholeColumns[i].name);
  std::int64_t without = 0;
  const bool are_instances = has_instances(table);
  std::set<std::pair<std::uint32_t, std::size_t>> seen;
  Owners owners(table, shown);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    const auto its_id = table.integer(*id, row);
    const auto number = table.number(value, row);
    const std::string counter = table.text(name, row);
    if (const std::string text = number ? "" : table.text(value, row); is_number_of_a_locale(text))
      refuse_locale(shown, text, counter);
    if (!its_id || !number || counter.empty()) {
      ++without;
      continue;
    }
    LongDispatch dispatch;
    const std::string its_kernel = table.text(*kernel, row);
    const std::string its_gpu = gpu ? table.text(*gpu, row) : std::string();
    const auto paired = ids.find(*its_id);
    dispatch.id = paired == ids.end() ? *its_id : paired->second;
    dispatch.kernel = its_kernel;
    dispatch.gpu = its_gpu;
    for (std::size_t i = 0; i < wholes.size(); ++i) {
      if (wholes[i]) dispatch.*kWholeColumns[i].value = whole_of(table, *wholes[i], row);
    }
    const std::uint32_t its_row = row_of(dispatch);
    owners.check(its_row, *its_id, row);
    const std::size_t its_column = column_of(counter);
    const bool is_next = are_instances && !seen.emplace(its_row, its_column).second;
    add(its_column, its_row, *number, is_next);
    std::int64_t duration = 0;
    if (dispatch.start && dispatch.end &&
        !__builtin_sub_overflow(*dispatch.end, *dispatch.start, &duration))
      took(its_row, duration);
  }
  if (without > 0)
    notes.push_back({shown, fmt::format("{} without an id, a name or a number; left out",
                                        count_of(without, "row"))});
}

void LongCounters::share_counters(Multiplexing multiplexing, const std::string& shown,
                                  std::vector<ProfileNote>& notes) {
  // Kernels, or launches of them, with their rows in the order of ids.
  std::map<std::array<std::int64_t, 4>, std::vector<std::pair<std::int64_t, std::uint32_t>>> groups;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    const auto [id, grid, workgroup, lds] = key_of(row);
    const bool one = multiplexing == Multiplexing::kernel;
    groups[{store_.word(kernel_column_, row), one ? 0 : grid, one ? 0 : workgroup, one ? 0 : lds}]
        .emplace_back(id, row);
  }
  std::int64_t incomplete = 0;
  std::string example;
  for (auto& [key, by_id] : groups) {
    std::ranges::sort(by_id);
    std::vector<std::uint32_t> rows;
    for (const auto& [id, row] : by_id) rows.push_back(row);
    if (store_.share(rows)) continue;
    if (incomplete++ == 0) example = store_.text(kernel_column_, rows[0]);
  }
  if (incomplete > 0)
    notes.push_back({shown, fmt::format("{} ran too few times to count everything, '{}' for "
                                        "example: metrics that need more leave it out",
                                        count_of(incomplete, "kernel"), example.substr(0, 80))});
}

CounterTable LongCounters::table(const std::string& shown, Multiplexing multiplexing,
                                 std::vector<ProfileNote>& notes) && {
  const std::size_t replaced = store_.finish();
  if (replaced > 0)
    notes.push_back(
        {shown,
         fmt::format("{} recorded again with another value; the last one counts",
                     replaced == 1 ? "a counter of a dispatch was"
                                   : fmt::format("{} counters of dispatches were", replaced))});
  if (multiplexing != Multiplexing::none) share_counters(multiplexing, shown, notes);
  return CounterTable(std::move(store_), rows_);
}

}  // namespace heddle::profile
