#include "audit/index_ranges.h"

#include <fmt/format.h>

#include <chrono>

#include "order/tile_reading.h"
#include "proof/check.h"

namespace heddle::audit {
namespace {

constexpr std::chrono::seconds kTimeLimit{2};

IndexRange check(const std::string& lines, const std::vector<SizeOfAxis>& sizes, int launch_axes,
                 const std::vector<std::string>& numbers) {
  const std::string range = sizes.size() == 1 ? "1..2048" : "1..40x1..40";
  const bool is_line = launch_axes == 1 && sizes.size() > 1;
  std::vector<std::string> bound = numbers;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    bound.push_back(fmt::format("{}={}*{}{}", sizes[i].size.name, sizes[i].size.per_tile,
                                is_line ? "t" : "g",
                                is_line ? static_cast<int>(i) : sizes[i].axis));
  const order::Bindings bindings(bound);
  order::Order order = order::Order::from_formula(lines, "index lines", {});
  if (is_line) {
    const order::TileAxes found = order::read_tile_axes(order, bindings);
    if (found.axes != 2 || !found.doubt.empty() || !found.reason.empty()) return {};
    if (!found.results.empty()) order = order.with_results(found.results, found.note);
  }
  const order::SpaceRange spaces(is_line ? "" : range, is_line ? range : "", bindings);
  proof::CheckOptions options;
  options.time_limit = kTimeLimit;
  const RangeReport report = proof::check_range(order, spaces, bindings, options);
  IndexRange result;
  result.verdict = report.verdict;
  result.text = fmt::format("every grid of {} tiles", range);
  if (report.verdict == Verdict::refuted && !report.failing_sizes.empty())
    result.tiles = report.failing_sizes.front();
  return result;
}

}  // namespace

IndexRange check_index_lines(const std::string& lines, const std::vector<SizeOfAxis>& sizes,
                             int launch_axes, std::vector<std::string> numbers) {
  const bool is_known =
      sizes.size() == 1 ? launch_axes == 1 : sizes.size() == 2 && launch_axes <= 2;
  if (!is_known || lines.empty()) return {};
  if (launch_axes == 2 && sizes[0].axis == sizes[1].axis) return {};
  try {
    return check(lines, sizes, launch_axes, numbers);
  } catch (const Error&) {
    return {};  // not an order that can be read
  }
}

}  // namespace heddle::audit
