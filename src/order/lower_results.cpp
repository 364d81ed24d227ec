// Which names hold the tile: rule 3 of lower.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "order/axis_name.h"
#include "order/flow.h"
#include "order/lowering.h"
#include "support/lists.h"

namespace heddle::order {

void Lowering::take_results(const std::vector<std::string>& names, const Environment& environment) {
  for (const std::string& name : names) {
    const auto found = environment.find(name);
    if (found == environment.end()) {
      std::vector<std::string> known;
      for (const Assigned& assigned : history_) {
        if (!is_one_of(assigned.name, known)) known.push_back(assigned.name);
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

/// An expression on its own at the end is the whole index.
bool Lowering::take_lone_expression(const Environment& environment) {
  if (!history_.back().lone) return false;
  std::vector<std::string> values;
  for (auto assigned = history_.rbegin(); assigned != history_.rend() && assigned->lone;
       ++assigned) {
    if (!values.empty() && assigned->name == history_.back().name) break;
    values.insert(values.begin(), assigned->name);
  }
  program_.notes.push_back(fmt::format("result: the expression at the end of the text"));
  program_.results_given = true;
  take_results(values, environment);
  return true;
}

/// Names assigned from program ids and reassigned, unless names that follow are made of them. What
/// is a multiple of one is an offset into a tensor.
bool Lowering::take_reassigned(const Environment& environment, const Flow& flow) {
  std::map<int, std::string> from_launch;  // axis -> the name that first took its program id
  std::set<std::string> reassigned;
  for (const Assigned& assigned : history_) {
    const bool known = std::ranges::any_of(
        from_launch, [&](const auto& entry) { return entry.second == assigned.name; });
    if (assigned.axis >= 0 && from_launch.count(assigned.axis) == 0 && !known)
      from_launch[assigned.axis] = assigned.name;
    else if (known)
      reassigned.insert(assigned.name);
  }
  const auto wanted = static_cast<std::size_t>(options_.tile_axes);
  const bool last_is_reassigned = reassigned.count(history_.back().name) > 0;
  if (reassigned.empty() || (from_launch.size() < wanted && !last_is_reassigned)) return false;
  std::vector<std::string> chosen;
  std::set<int> slots;
  for (const auto& [axis, name] : from_launch) {
    if (chosen.size() == wanted) break;
    chosen.push_back(name);
    const auto found = environment.find(name);
    if (found != environment.end()) slots.insert(found->second.variable);
  }
  const auto is_made_of = [&](int slot) {
    const auto base = flow.offset_of(slot);
    return slots.count(slot) == 0 && !(base && slots.count(*base) > 0);
  };
  for (const int slot : slots) {
    const std::set<int> readers = flow.readers(slot);
    if (std::ranges::any_of(readers, is_made_of)) return false;
  }
  program_.notes.push_back(fmt::format("result: {} (assigned from program ids and reassigned)",
                                       fmt::join(chosen, ", ")));
  take_results(chosen, environment);
  return true;
}

/// The names that nothing reads: of too many those that the text ends in; of too few also the
/// names of other axes that only they read, as in col = (col + row) % cols.
std::vector<int> Lowering::unread_results(const Flow& flow) const {
  const auto wanted = static_cast<std::size_t>(options_.tile_axes);
  const auto name = [&](int slot) { return program_.variables[static_cast<std::size_t>(slot)]; };
  std::vector<int> indices;
  std::copy_if(program_.own.begin(), program_.own.end(), std::back_inserter(indices),
               [&](int slot) { return flow.is_index(slot); });
  std::vector<int> open = flow.unread();
  const auto is_open = [&](int slot) { return is_one_of(slot, open); };
  if (open.size() > 1 && open.size() != wanted) {
    auto first = indices.end();
    while (first != indices.begin() && is_open(first[-1])) --first;
    open.assign(first, indices.end());
    if (wanted > 1 && open.size() > wanted)
      open.erase(open.begin(), open.end() - static_cast<std::ptrdiff_t>(wanted));
  }
  const bool is_whole =
      !open.empty() && axis_of(name(open.back())).empty();  // tile, pid, linear_id
  if (wanted == 1 && is_whole) return {open.back()};
  if (wanted == 1 || open.empty() || is_whole) return open;
  std::set<std::string> axes;
  for (const int slot : open) axes.insert(axis_of(name(slot)));
  for (auto slot = indices.rbegin(); slot != indices.rend() && open.size() < wanted; ++slot) {
    const std::set<int> readers = flow.readers(*slot);
    const bool belongs =
        !is_open(*slot) && !axis_of(name(*slot)).empty() && std::ranges::all_of(readers, is_open);
    if (belongs && axes.insert(axis_of(name(*slot))).second) open.insert(open.begin(), *slot);
  }
  return open.size() == wanted ? open : std::vector<int>{open.back()};
}

void Lowering::take_unread(const Environment& environment, const Flow& flow) {
  const auto wanted = static_cast<std::size_t>(options_.tile_axes);
  const std::vector<int> open = unread_results(flow);
  std::vector<std::string> chosen;
  for (const int slot : open) chosen.push_back(program_.variables[static_cast<std::size_t>(slot)]);
  if (chosen.empty()) chosen = {history_.back().name};
  if (options_.rows_first && chosen.size() == wanted) sort_rows_first(chosen);
  const bool is_last = chosen.back() == history_.back().name;
  const bool may_be_index = wanted == 1 && chosen.size() == 1 && history_.size() > 1;
  program_.notes.push_back(
      fmt::format("result: {} ({}; {})", fmt::join(chosen, ", "),
                  is_last ? "the last assigned" : "no other name reads it",
                  may_be_index ? "--result names others, --tiles makes it a row and a column"
                               : "--result names others"));
  take_results(chosen, environment);
}

/// Rule 3 of lower.h.
void Lowering::find_results(const Environment& environment) {
  std::set<std::string> listed;
  for (auto assigned = history_.rbegin(); assigned != history_.rend(); ++assigned) {
    const auto found = environment.find(assigned->name);
    if (found == environment.end() || found->second.maybe_unset) continue;
    if (listed.insert(assigned->name).second)
      program_.own.insert(program_.own.begin(), found->second.variable);
  }
  if (!options_.results.empty()) {
    if (!options_.results_note.empty()) program_.notes.push_back(options_.results_note);
    program_.results_given = true;
    return take_results(options_.results, environment);
  }
  if (history_.empty()) {
    throw Error("the order assigns nothing",
                "write 'pid = ...', or give an expression over p0 and g0");
  }
  if (take_lone_expression(environment)) return;
  const Flow flow(program_, program_.own);
  if (take_reassigned(environment, flow)) return;
  // pid = p1 * g0 + p0, reassigned and the last thing assigned, is a linear tile id.
  const std::string& last = history_.back().name;
  const auto first = std::ranges::find(history_, last, &Assigned::name);
  if (first->line && first != history_.end() - 1) {
    program_.notes.push_back(fmt::format("result: {} (made of program ids and reassigned)", last));
    return take_results({last}, environment);
  }
  take_unread(environment, flow);
}

}  // namespace heddle::order
