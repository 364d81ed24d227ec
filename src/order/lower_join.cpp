// Where two paths meet: one slot and one type for every name, whichever path was taken.
#include <algorithm>

#include "order/lowering.h"

namespace heddle::order {

/// The type that can stand for both; at run time there are no constexprs.
Type Lowering::joined_type(Type left, Type right, bool at_run_time) {
  const Type wider = std::max(left, right);
  if (left == right && !(at_run_time && left == Type::constexpr_int)) return left;
  return std::max(wider, Type::i32);
}

/// variable = the slot of `from`, converted.
void Lowering::convert_slot(const Bound& from, int variable, Type type, std::vector<Step>& steps,
                            Position at) {
  const int node = convert_to(read(from, at), type, at).node;
  steps.push_back({.variable = variable, .node = node, .at = at});
}

/// A name that one path leaves unset may not be read afterwards. A name that both paths assign gets
/// one type; a name that is new on both gets the left path's slot.
Environment Lowering::join(Path left, Path right, bool at_run_time, Position at) {
  Environment result;
  for (const auto& [name, bound] : left.environment) {
    const auto found = right.environment.find(name);
    Bound merged = bound;
    if (found == right.environment.end()) {
      merged.maybe_unset = true;
    } else if (found->second.version != bound.version) {
      const Bound& there = found->second;
      merged.maybe_unset = bound.maybe_unset || there.maybe_unset;
      merged.version = ++versions_;
      if (!merged.maybe_unset) {
        merged.type = joined_type(bound.type, there.type, at_run_time);
        if (bound.type != merged.type)
          convert_slot(bound, bound.variable, merged.type, left.steps, at);
        const bool moves = there.variable != bound.variable;
        if (moves || there.type != merged.type)
          convert_slot(there, bound.variable, merged.type, right.steps, at);
      }
    }
    result[name] = merged;
  }
  for (const auto& [name, bound] : right.environment) {
    if (result.try_emplace(name, bound).second) result[name].maybe_unset = true;
  }
  return result;
}

}  // namespace heddle::order
