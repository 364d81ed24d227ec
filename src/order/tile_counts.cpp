#include "order/tile_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "order/axis_name.h"
#include "order/evaluate.h"
#include "support/lists.h"

namespace heddle::order {
namespace {

/// The steps that do the same in every block.
std::vector<Step> uniform_steps(const std::vector<Step>& steps, const Flow& flow) {
  std::vector<Step> result;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::stop) continue;
    if (step.kind == Step::Kind::assign ? flow.varies(step.variable) : !flow.is_uniform(step.node))
      continue;
    Step kept = step;
    kept.body = uniform_steps(step.body, flow);
    kept.otherwise = uniform_steps(step.otherwise, flow);
    result.push_back(std::move(kept));
  }
  return result;
}

}  // namespace

TileCounts::TileCounts(const Program& program, const Flow& flow, const Bindings& bindings)
    : program_(program), flow_(flow), bindings_(bindings), uniform_(program) {
  uniform_.steps = uniform_steps(program.steps, flow);
  uniform_.stops = false;
  using Found = std::vector<std::pair<std::string, TileCount>>;
  Found by_name;
  Found by_dividend;
  Found counting;
  for (const int slot : program.own) {
    if (flow.varies(slot)) continue;
    const std::string& name = program.variables[static_cast<std::size_t>(slot)];
    const auto value = flow.only_value(slot);
    if (!value) continue;
    const bool quotient = is_quotient(*value);
    if (quotient) by_name.emplace_back(axis_of(name), TileCount{name, -1, slot});
    const std::string dividend = quotient ? dividend_name(*value) : "";
    if (quotient && !is_count_name(dividend))
      by_dividend.emplace_back(axis_of(dividend), TileCount{name, -1, slot});
    if (is_count_name(name)) counting.emplace_back(axis_of(name), TileCount{name, -1, slot});
  }
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const int node = static_cast<int>(i);
    const Node& each = program.nodes[i];
    if (!flow.is_uniform(node)) continue;
    if (each.kind == Node::Kind::name) {
      const std::string& name = program.names[static_cast<std::size_t>(each.value)];
      if (is_count_name(name)) counting.emplace_back(axis_of(name), TileCount{name, node});
    } else if (each.kind == Node::Kind::binary && each.operation == Operation::divide) {
      const std::string dividend = dividend_name(node);
      Found& found = is_count_name(dividend) ? counting : by_dividend;
      found.emplace_back(axis_of(dividend),
                         TileCount{fmt::format("the tiles of {}", dividend), node});
    }
  }
  for (const Found* found : {&by_name, &by_dividend, &counting}) {
    std::set<std::string> taken;
    for (const auto& [axis, list] : by_axis_) taken.insert(axis);
    for (const auto& [axis, count] : *found) {
      if (!axis.empty() && taken.count(axis) == 0) by_axis_[axis].push_back(count);
    }
  }
}

/// A node behind casts and slots that are assigned once.
std::optional<int> TileCounts::resolved(int node) const {
  for (int hops = 0; hops < 64; ++hops) {
    const Node& at = program_.nodes[static_cast<std::size_t>(node)];
    if (at.kind == Node::Kind::cast) {
      node = at.a;
    } else if (at.kind == Node::Kind::variable) {
      const auto value = flow_.only_value(static_cast<int>(at.value));
      if (!value) return std::nullopt;
      node = *value;
    } else {
      return node;
    }
  }
  return std::nullopt;
}

bool TileCounts::is_quotient(int node) const {
  const auto at = resolved(node);
  if (!at) return false;
  const Node& value = program_.nodes[static_cast<std::size_t>(*at)];
  return value.kind == Node::Kind::binary && value.operation == Operation::divide;
}

/// The first name of a quotient's dividend: M of (M + BLOCK_M - 1) // BLOCK_M.
std::string TileCounts::dividend_name(int node) const {
  const auto at = resolved(node);
  if (!at) return {};
  int left = program_.nodes[static_cast<std::size_t>(*at)].a;
  while (left >= 0) {
    const Node& each = program_.nodes[static_cast<std::size_t>(left)];
    if (each.kind == Node::Kind::name) return program_.names[static_cast<std::size_t>(each.value)];
    left = each.a;
    if (each.kind != Node::Kind::variable) continue;
    const int slot = static_cast<int>(each.value);
    const auto& own = program_.own;
    if (is_one_of(slot, own)) return program_.variables[static_cast<std::size_t>(slot)];
    left = flow_.only_value(slot).value_or(-1);  // the parameter of a helper
  }
  return {};
}

std::optional<std::int64_t> TileCounts::value(const TileCount& count, const Space& space) const {
  Program program = uniform_;
  int slot = count.slot;
  if (count.node >= 0) {
    slot = static_cast<int>(program.variables.size());
    program.variables.emplace_back("count");
    Step step;
    step.variable = slot;
    step.node = count.node;
    program.steps.push_back(std::move(step));
  }
  program.results = {slot};
  Evaluator evaluator(program, space, bindings_.values(program.names, space));
  const std::vector<std::int64_t> values = evaluator.index_of(LaunchId{0});
  if (values.empty() || values[0] < 1) return std::nullopt;
  return values[0];
}

}  // namespace heddle::order
