#include "profile/workload/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostNamedKernels = 8;

struct Range {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool holds(std::int64_t id) const { return first <= id && id <= last; }
};

std::optional<Range> parse_range(std::string_view text) {
  text = trim(text);
  const auto number_after = [&](std::size_t length) {
    return parse_integer(trim(text.substr(length)));
  };
  Range range;
  if (text.starts_with(">=") || text.starts_with("<=")) {
    const auto bound = number_after(2);
    if (!bound) return std::nullopt;
    (text[0] == '>' ? range.first : range.last) = *bound;
    return range;
  }
  if (text.starts_with('>') || text.starts_with('<')) {
    const auto bound = number_after(1);
    if (!bound || *bound == range.first || *bound == range.last) return std::nullopt;
    if (text[0] == '>')
      range.first = *bound + 1;
    else
      range.last = *bound - 1;
    return range;
  }
  const std::size_t cut = text.find_first_of("-:", 1);
  const auto first = parse_integer(trim(text.substr(0, cut)));
  const auto last = cut == std::string_view::npos ? first : number_after(cut + 1);
  if (!first || !last) return std::nullopt;
  return Range{*first, *last};
}

template <class Values>
std::string some_of(const Values& values) {
  std::string text;
  std::size_t count = 0;
  for (const auto& value : values) {
    if (++count > kMostNamedKernels) return text + ", ...";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
  }
  return text;
}

std::int64_t number_of(const Dispatch& dispatch, bool by_row) {
  return by_row ? static_cast<std::int64_t>(dispatch.row) : dispatch.id;
}

void keep_gpus(const Workload& workload, const Choice& choice, std::vector<std::size_t>& places) {
  if (choice.gpus.empty()) return;
  std::set<std::string> there;
  for (const Dispatch& dispatch : workload.dispatches) there.insert(dispatch.gpu);
  for (const std::string& gpu : choice.gpus) {
    if (!there.contains(gpu))
      throw Error(fmt::format("'{}' has no dispatch on GPU {}", workload.path, gpu),
                  "GPU_IDs it has: " + some_of(there));
  }
  // The original heeds the first one alone.
  const auto last = choice.by_row ? choice.gpus.begin() + 1 : choice.gpus.end();
  std::erase_if(places, [&](std::size_t place) {
    return std::find(choice.gpus.begin(), last, workload.dispatches[place].gpu) == last;
  });
}

std::vector<Range> ranges_of(const Choice& choice) {
  std::vector<Range> ranges;
  for (const std::string& text : choice.dispatches) {
    const auto range = parse_range(text);
    if (!range)
      throw Error(fmt::format("'{}' is not a dispatch", text), "write -d 3, -d 3-5, or -d '>3'");
    ranges.push_back(*range);
  }
  return ranges;
}

/// An Error if one of the choices matches nothing.
void check_dispatches(const Workload& workload, const Choice& choice,
                      const std::vector<std::size_t>& places) {
  const std::vector<Range> ranges = ranges_of(choice);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::vector<std::int64_t> numbers;
    for (const std::size_t place : places)
      numbers.push_back(number_of(workload.dispatches[place], choice.by_row));
    if (std::ranges::none_of(numbers, [&](std::int64_t number) { return ranges[i].holds(number); }))
      throw Error(
          fmt::format("'{}' has no {} {}", workload.path, choice.by_row ? "row" : "dispatch",
                      choice.dispatches[i]),
          fmt::format("{} it has: {}", choice.by_row ? "rows" : "dispatches", some_of(numbers)));
  }
}

std::vector<std::size_t> kept_dispatches(const Workload& workload, const Choice& choice,
                                         std::vector<std::size_t> places, bool by_row) {
  const std::vector<Range> ranges = ranges_of(choice);
  if (ranges.empty()) return places;
  std::erase_if(places, [&](std::size_t place) {
    return std::ranges::none_of(ranges, [&](const Range& range) {
      return range.holds(number_of(workload.dispatches[place], by_row));
    });
  });
  return places;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<KernelTime> kernel_times(const Workload& workload,
                                     const std::vector<std::size_t>& places) {
  std::map<std::string, std::vector<double>> durations;
  std::map<std::string, std::size_t> counts;
  // Dispatches of a kernel share its name.
  struct Known {
    std::size_t* count = nullptr;
    std::vector<double>* list = nullptr;
  };
  std::unordered_map<const std::string*, Known> known;
  for (const std::size_t place : places) {
    const Dispatch& dispatch = workload.dispatches[place];
    Known& kernel = known[&dispatch.kernel.text()];
    if (kernel.count == nullptr) kernel = {&counts[dispatch.kernel], &durations[dispatch.kernel]};
    ++*kernel.count;
    if (dispatch.duration_ns) kernel.list->push_back(*dispatch.duration_ns);
  }
  std::vector<KernelTime> kernels;
  double total = 0;
  for (const auto& [name, list] : durations) {
    KernelTime kernel;
    kernel.name = name;
    kernel.count = counts[name];
    for (const double duration : list) kernel.sum_ns += duration;
    kernel.mean_ns = list.empty() ? 0 : kernel.sum_ns / static_cast<double>(list.size());
    kernel.median_ns = median(list);
    total += kernel.sum_ns;
    kernels.push_back(std::move(kernel));
  }
  for (KernelTime& kernel : kernels) kernel.share = total > 0 ? kernel.sum_ns / total : 0;
  // By name where times are equal: the map has sorted them.
  std::ranges::stable_sort(kernels, std::greater<>(), &KernelTime::sum_ns);
  return kernels;
}

void choose_kernels(const Choice& choice, std::vector<KernelTime>& kernels) {
  for (const std::string& text : choice.kernels) {
    if (const auto number = parse_integer(text)) {
      if (*number < 0 || *number >= static_cast<std::int64_t>(kernels.size()))
        throw Error(
            fmt::format("there is no kernel {}", text),
            fmt::format("kernels have the numbers 0 to {}: heddle analyze -p DIR --list-stats",
                        kernels.size() - 1));
      kernels[static_cast<std::size_t>(*number)].chosen = true;
      continue;
    }
    bool any = false;
    for (KernelTime& kernel : kernels) {
      if (kernel.name.find(text) == std::string::npos) continue;
      kernel.chosen = true;
      any = true;
    }
    if (!any)
      throw Error(fmt::format("no kernel has '{}' in its name", text),
                  "see the names: heddle analyze -p DIR --list-stats");
  }
}

}  // namespace

Selection select(const Workload& workload, const Choice& choice) {
  Selection selection;
  std::vector<std::size_t> places;
  places.reserve(workload.dispatches.size());
  for (std::size_t place = 0; place < workload.dispatches.size(); ++place) places.push_back(place);
  keep_gpus(workload, choice, places);
  check_dispatches(workload, choice, places);
  selection.listed = kept_dispatches(workload, choice, places, false);
  selection.kernels = kernel_times(workload, selection.listed);
  choose_kernels(choice, selection.kernels);
  selection.measured = kept_dispatches(workload, choice, places, choice.by_row);
  if (!choice.kernels.empty()) {
    std::set<std::string> chosen;
    for (const KernelTime& kernel : selection.kernels) {
      if (kernel.chosen) chosen.insert(kernel.name);
    }
    std::erase_if(selection.measured, [&](std::size_t place) {
      return !chosen.contains(workload.dispatches[place].kernel);
    });
  }
  return selection;
}

}  // namespace heddle::profile
