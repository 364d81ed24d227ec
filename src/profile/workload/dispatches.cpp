#include "profile/workload/dispatches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// A time stamp. Nanoseconds since 1970 have more digits than a double.
struct Instant {
  std::int64_t whole = 0;
  double part = 0;
  double value = 0;  ///< both, as a double
  bool rounded = false;
};

/// "1.41155e+15": fewer digits than nanoseconds.
bool is_rounded(std::string_view text, double value) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  const auto digits = std::ranges::count_if(mantissa, [](char c) { return c >= '0' && c <= '9'; });
  return static_cast<double>(digits) < std::floor(std::log10(std::max(value, 1.0))) + 1;
}

std::optional<Instant> instant_of(const CounterTable& table, std::size_t column, std::size_t row) {
  if (const auto whole = table.integer(column, row))
    return Instant{*whole, 0, static_cast<double>(*whole), false};
  const std::string text = table.text(column, row);
  const auto value = parse_number(text);
  if (!value || std::abs(*value) >= 9.2e18) return std::nullopt;
  const double whole = std::floor(*value);
  Instant instant{static_cast<std::int64_t>(whole), *value - whole, *value,
                  is_rounded(text, *value)};
  // A mean of several runs has a fraction.
  const std::size_t point = text.find('.');
  if (text.find_first_of("eE-") == std::string::npos && point != std::string::npos) {
    const auto exact = parse_integer(trim(std::string_view(text).substr(0, point)));
    const auto part = parse_number("0" + text.substr(point));
    if (exact && part) instant = {*exact, *part, *value, false};
  }
  return instant;
}

void set_duration(const CounterTable& table, std::size_t start, std::size_t end,
                  Dispatch& dispatch) {
  const auto from = instant_of(table, start, dispatch.row);
  const auto to = instant_of(table, end, dispatch.row);
  std::int64_t between = 0;
  if (!from || !to || __builtin_sub_overflow(to->whole, from->whole, &between)) return;
  dispatch.duration_ns = static_cast<double>(between) + (to->part - from->part);
  // A fraction is what is left of a mean of runs; its text stands for a double, as the original
  // reads it. Numbers beyond 2^53 with a fraction were never doubles: their digits count.
  constexpr double kWholeDoubles = 9007199254740992.0;
  if ((from->part != 0 || to->part != 0) && std::abs(to->value) < kWholeDoubles)
    dispatch.duration_ns = to->value - from->value;
  dispatch.rounded_time = from->rounded || to->rounded;
}

/// Each name once.
class NamePool {
 public:
  const SharedName& shared(std::string text) {
    const auto found = names_.find(text);
    if (found != names_.end()) return found->second;
    bytes_ += text.size();
    SharedName name(text);
    return names_.emplace(std::move(text), std::move(name)).first->second;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unordered_map<std::string, SharedName> names_;
  std::size_t bytes_ = 0;
};

/// The texts of one column. Where it holds each word once, a word is looked at once.
class NameColumn {
 public:
  /// `plain` makes the name of a text.
  NameColumn(const CounterTable& table, std::optional<std::size_t> column)
      : table_(table), column_(column) {}

  template <class Plain>
  SharedName at(std::size_t row, NamePool& pool, const Plain& plain) {
    if (!column_) return {};
    const auto word = table_.word(*column_, row);
    if (!word) return pool.shared(plain(*column_, row));
    if (*word >= words_.size()) words_.resize(*word + 1);
    auto& known = words_[*word];
    if (!known) known = pool.shared(plain(*column_, row));
    return *known;
  }

 private:
  const CounterTable& table_;
  std::optional<std::size_t> column_;
  std::vector<std::optional<SharedName>> words_;
};

}  // namespace

std::vector<Dispatch> read_dispatches(const CounterTable& table, const std::string& shown,
                                      std::vector<ProfileNote>& notes) {
  std::vector<Dispatch> dispatches;
  const auto id = table.find("Dispatch_ID");
  const auto kernel = table.find("Kernel_Name");
  const auto gpu = table.find("GPU_ID");
  const auto start = table.find("Start_Timestamp");
  const auto end = table.find("End_Timestamp");
  if (!kernel) notes.push_back({shown, "the column Kernel_Name is missing"});
  NamePool names;
  NameColumn kernels(table, kernel), gpus(table, gpu);
  const auto text = [&](std::size_t column, std::size_t row) { return table.text(column, row); };
  // "2.0" is GPU 2.
  const auto gpu_text = [&](std::size_t column, std::size_t row) {
    const auto number = table.integer(column, row);
    return number ? fmt::format("{}", *number) : table.text(column, row);
  };
  dispatches.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    Dispatch dispatch;
    dispatch.row = static_cast<std::uint32_t>(row);
    dispatch.id = static_cast<std::int64_t>(row);
    if (id) dispatch.id = table.integer(*id, row).value_or(dispatch.id);
    dispatch.kernel = kernels.at(row, names, text);
    if (names.bytes() > kMostKernelNameBytes)
      throw Error(fmt::format("the kernels of {} have longer names than are read", shown),
                  "profile fewer dispatches", ExitCode::missing);
    dispatch.gpu = gpus.at(row, names, gpu_text);
    if (start && end) set_duration(table, *start, *end, dispatch);
    dispatches.push_back(std::move(dispatch));
  }
  return dispatches;
}

void number_dispatches(std::vector<Dispatch>& dispatches) {
  if (!std::ranges::is_sorted(dispatches, {}, &Dispatch::id))
    std::ranges::stable_sort(dispatches, {}, &Dispatch::id);
  // Numbers in their order, then other names in theirs.
  std::map<std::pair<std::int64_t, std::string>, std::size_t> gpus;
  const auto key = [](const std::string& gpu) {
    const auto number = parse_integer(gpu);
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    return std::pair(number.value_or(kLast), number ? std::string() : gpu);
  };
  // Dispatches of a GPU share its name.
  std::unordered_map<const std::string*, SharedName> numbers;
  for (const Dispatch& dispatch : dispatches) {
    if (numbers.try_emplace(&dispatch.gpu.text(), dispatch.gpu).second)
      gpus.emplace(key(dispatch.gpu), 0);
  }
  std::size_t next = 0;
  for (auto& [gpu, place] : gpus) place = next++;
  std::vector<SharedName> names;
  for (std::size_t place = 0; place < next; ++place) names.emplace_back(fmt::format("{}", place));
  std::unordered_map<const std::string*, SharedName> numbered;
  for (const auto& [text, gpu] : numbers)
    numbered.emplace(text, gpu.empty() ? SharedName() : names[gpus.at(key(gpu))]);
  std::int64_t id = 0;
  for (Dispatch& dispatch : dispatches) {
    dispatch.id = id++;
    dispatch.gpu = numbered.at(&dispatch.gpu.text());
  }
}

void take_trace_times(const CounterTable& trace, std::vector<Dispatch>& dispatches) {
  std::vector<ProfileNote> unheard;
  std::map<std::pair<std::int64_t, std::string>, std::optional<double>> times;
  for (Dispatch& dispatch : read_dispatches(trace, "", unheard))
    times.emplace(std::pair(dispatch.id, dispatch.kernel.text()), dispatch.duration_ns);
  for (Dispatch& dispatch : dispatches) {
    const auto found = times.find({dispatch.id, dispatch.kernel.text()});
    if (found != times.end()) dispatch.duration_ns = found->second;
  }
}

void take_times(const CounterTable& times, std::vector<Dispatch>& dispatches) {
  const auto start = times.find("Start_Timestamp");
  const auto end = times.find("End_Timestamp");
  if (!start || !end) return;
  for (Dispatch& dispatch : dispatches) {
    if (!dispatch.duration_ns && dispatch.row < times.rows())
      set_duration(times, *start, *end, dispatch);
  }
}

}  // namespace heddle::profile
