// Which names hold the tile: rule 3 of lower.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "order/lowering.h"

namespace heddle::order {

void Lowering::take_results(const std::vector<std::string>& names, const Environment& environment) {
  for (const std::string& name : names) {
    const auto found = environment.find(name);
    if (found == environment.end()) {
      std::vector<std::string> known;
      for (const Assigned& assigned : history_) {
        if (std::find(known.begin(), known.end(), assigned.name) == known.end())
          known.push_back(assigned.name);
      }
      throw Error(fmt::format("the result '{}' is never assigned", name),
                  fmt::format("name one of: {}", fmt::join(known, " ")));
    }
    if (found->second.maybe_unset) {
      throw Error(fmt::format("the result '{}' is not assigned on every path", name),
                  "assign it in every branch");
    }
    program_.results.push_back(found->second.variable);
    program_.result_names.push_back(name);
  }
}

/// Whether a value is made of program ids, extents and names by + and * alone, as p1 * g0 + p0 is.
bool Lowering::numbers_blocks(int index, bool& uses_launch) const {
  const Node& node = program_.nodes[static_cast<std::size_t>(index)];
  switch (node.kind) {
    case Node::Kind::launch:
      uses_launch = true;
      return true;
    case Node::Kind::variable:
      uses_launch = uses_launch || launch_variables_.count(static_cast<int>(node.value)) > 0;
      return true;
    case Node::Kind::constant:
    case Node::Kind::grid:
    case Node::Kind::tile_extent:
    case Node::Kind::name:
      return true;
    case Node::Kind::cast:
      return numbers_blocks(node.a, uses_launch);
    case Node::Kind::binary:
      return (node.operation == Operation::add || node.operation == Operation::multiply) &&
             numbers_blocks(node.a, uses_launch) && numbers_blocks(node.b, uses_launch);
    default:
      return false;
  }
}

/// Rule 3 of lower.h.
void Lowering::find_results(const Environment& environment) {
  if (!options_.results.empty()) return take_results(options_.results, environment);
  if (history_.empty()) {
    throw Error("the order assigns nothing",
                "write 'pid = ...', or give an expression over p0 and g0");
  }
  std::map<int, std::string> from_launch;  // axis -> the name that first took its program id
  std::set<std::string> reassigned;
  for (const Assigned& assigned : history_) {
    const bool known = std::any_of(from_launch.begin(), from_launch.end(), [&](const auto& entry) {
      return entry.second == assigned.name;
    });
    if (assigned.axis >= 0 && from_launch.count(assigned.axis) == 0 && !known)
      from_launch[assigned.axis] = assigned.name;
    else if (known)
      reassigned.insert(assigned.name);
  }
  if (history_.back().lone) {  // an expression on its own is the whole index
    std::vector<std::string> values;
    for (auto assigned = history_.rbegin(); assigned != history_.rend() && assigned->lone;
         ++assigned) {
      if (!values.empty() && assigned->name == history_.back().name) break;
      values.insert(values.begin(), assigned->name);
    }
    program_.notes.push_back(fmt::format("result: the expression at the end of the text"));
    return take_results(values, environment);
  }
  const auto wanted = static_cast<std::size_t>(options_.tile_axes);
  const bool last_is_reassigned = reassigned.count(history_.back().name) > 0;
  std::vector<std::string> chosen;
  if (!reassigned.empty() && (from_launch.size() >= wanted || last_is_reassigned)) {
    for (const auto& [axis, name] : from_launch) chosen.push_back(name);
    if (chosen.size() > wanted) chosen.resize(wanted);
    program_.notes.push_back(fmt::format("result: {} (assigned from program ids and reassigned)",
                                         fmt::join(chosen, ", ")));
    return take_results(chosen, environment);
  }
  // pid = p1 * g0 + p0, reassigned and the last thing assigned, is a linear tile id.
  const std::string& last = history_.back().name;
  const auto first = std::find_if(history_.begin(), history_.end(),
                                  [&](const Assigned& assigned) { return assigned.name == last; });
  if (first->line && first != history_.end() - 1) {
    program_.notes.push_back(fmt::format("result: {} (made of program ids and reassigned)", last));
    return take_results({last}, environment);
  }
  for (auto assigned = history_.rbegin(); assigned != history_.rend() && chosen.size() < wanted;
       ++assigned) {
    if (std::find(chosen.begin(), chosen.end(), assigned->name) != chosen.end()) continue;
    if (environment.count(assigned->name) > 0) chosen.insert(chosen.begin(), assigned->name);
  }
  if (chosen.size() < wanted && chosen.size() > 1) chosen = {chosen.back()};
  const bool may_be_index = wanted == 1 && history_.size() > 1;
  program_.notes.push_back(
      fmt::format("result: {} (the last assigned; {})", fmt::join(chosen, ", "),
                  may_be_index ? "--result names others, --tiles makes it a row and a column"
                               : "--result names others"));
  take_results(chosen, environment);
}

}  // namespace heddle::order
