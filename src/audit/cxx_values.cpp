#include "audit/cxx_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "order/evaluate.h"
#include "order/order.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 26;

using Rows = std::vector<std::vector<std::int64_t>>;  ///< of each block: the values that it sees

order::Bindings bindings_of(const config::Launch& launch) {
  std::vector<std::string> texts;
  for (std::size_t axis = 0; axis < 3; ++axis)
    texts.push_back(
        fmt::format("heddle_threads_{}={}", "xyz"[axis], std::max(launch.threads[axis], 1)));
  for (const config::Argument& argument : launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
      for (const char* prefix : {"", "heddle_given_"})
        texts.push_back(fmt::format("{}{}={}", prefix, argument.name, *number));
  return order::Bindings(texts);
}

/// One value of every block, put at the end of its row.
void add_values(const std::string& index, const std::string& expression,
                const config::Launch& launch, Rows& rows) {
  const std::string result = "heddle_value";
  order::ReadOptions options;
  options.language = order::Language::c_like;
  options.results = {result};
  const order::Order values = order::Order::from_formula(
      fmt::format("{}\nconst long long {} = {};\n", index, result, expression), "index code",
      options);
  order::Space space;
  space.launch = launch.grid;
  space.tiles = Grid({std::numeric_limits<std::int32_t>::max()});
  const order::Bindings bindings = bindings_of(launch);
  const order::Program program = values.program(order::Shape::of(space), bindings);
  order::Evaluator evaluator(program, space, bindings.values(program.names, space));
  std::vector<std::int64_t> found(order::kLanes);
  for (std::size_t first = 0; first < rows.size(); first += order::kLanes) {
    const std::size_t count = std::min<std::size_t>(order::kLanes, rows.size() - first);
    evaluator.run(LaunchId{static_cast<std::int64_t>(first)}, {found.data(), count});
    const std::vector<std::int64_t> batch = found;
    for (std::size_t lane = 0; lane < count; ++lane) {
      std::int64_t value = batch[lane];
      if (value == order::kFailed || value == order::kIdle)
        throw Error("the index arithmetic overflows, or is not defined", "");
      if (value == order::kOutside)
        value = evaluator.index_of(LaunchId{static_cast<std::int64_t>(first + lane)}).at(0);
      rows[first + lane].push_back(value);
    }
  }
}

}  // namespace

std::string doubt_of_values(const CxxChanges& changes, const config::Launch& before,
                            const config::Launch& after) {
  const std::int64_t blocks = before.grid.count();
  if (after.grid.count() != blocks) return "there are more blocks, or fewer";
  if (blocks * static_cast<std::int64_t>(changes.values.size() + 1) > kMostValues)
    return "there are too many blocks to look at the index values of each";
  try {
    Rows olds(static_cast<std::size_t>(blocks));
    Rows news(static_cast<std::size_t>(blocks));
    for (const auto& [old_value, new_value] : changes.values) {
      add_values(changes.index_before, old_value, before, olds);
      add_values(changes.index_after, new_value, after, news);
    }
    std::vector<std::size_t> by_value(news.size());
    for (std::size_t i = 0; i < by_value.size(); ++i) by_value[i] = i;
    std::sort(by_value.begin(), by_value.end(),
              [&](std::size_t a, std::size_t b) { return news[a] < news[b]; });
    std::sort(olds.begin(), olds.end());
    for (std::size_t i = 0; i < olds.size(); ++i)
      if (news[by_value[i]] != olds[i])
        return fmt::format(
            "block {} sees index values that are not those of the original, once each",
            with_separators(static_cast<std::int64_t>(by_value[i])));
  } catch (const Error& error) {
    return fmt::format("the index code cannot be evaluated: {}", error.message());
  }
  return {};
}

}  // namespace heddle::audit
