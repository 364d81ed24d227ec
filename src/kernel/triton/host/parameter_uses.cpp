#include "kernel/triton/host/parameter_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "kernel/triton/host/use_search.h"
#include "support/lists.h"

namespace heddle::kernel::triton::host {

using Flow = UseSearch::Flow;

void join(UseSearch::Names& into, const UseSearch::Names& more) {
  into.insert(more.begin(), more.end());
}

namespace {

void join_scales(Flow& into, const Flow& more) {
  for (const auto& [name, factors] : more.scales) join(into.scales[name], factors);
}

/// What was loaded from them is multiplied by that.
void scale(Flow& into, const UseSearch::Names& loaded, const Flow& by) {
  for (const std::string& name : loaded) {
    into.scales[name].insert("");
    join(into.scales[name], by.bases);
  }
}

}  // namespace

void join(Flow& into, const Flow& more) {
  join(into.bases, more.bases);
  join(into.loaded, more.loaded);
  join(into.views, more.views);
  join(into.placing, more.placing);
  join(into.factors, more.factors);
  join_scales(into, more);
  into.has_lane = into.has_lane || more.has_lane;
}

bool is_bit_operator(const std::string& op) {
  return op == "LShift" || op == "RShift" || op == "BitAnd" || op == "BitOr" || op == "BitXor";
}

bool is_integer_operator(const std::string& op) {
  return op == "FloorDiv" || is_bit_operator(op);
}

Flow UseSearch::run(const Module& module, const Node& function,
                    const std::map<std::string, Flow>& given) {
  if (depth_ >= 5 || is_spent()) return {};
  ++depth_;
  Environment names = std::move(names_);
  const Module* outside = module_;
  Flow result = std::move(result_);
  names_ = given;
  module_ = &module;
  result_ = {};
  visit_all(function.list("body"));
  Flow returned = std::move(result_);
  names_ = std::move(names);
  module_ = outside;
  result_ = std::move(result);
  --depth_;
  return returned;
}

void UseSearch::visit_all(const std::vector<Node>& list) {
  for (const Node& node : list)
    if (!is_spent()) statement(node);
}

void UseSearch::statement(const Node& node) {
  ++work_;
  if (node.is("Assign")) {
    const Flow flow = value(node.at("value"));
    for (const Node& target : node.list("targets")) assign(target, flow);
  } else if (node.is("AnnAssign")) {
    if (node.has("value")) assign(node.at("target"), value(node.at("value")));
  } else if (node.is("AugAssign")) {
    assign_operated(node);
  } else if (node.is("If")) {
    branch(node);
  } else if (node.is("For") || node.is("While")) {
    loop(node);
  } else if (node.is("Return")) {
    if (node.has("value")) join(result_, value(node.at("value")));
  } else if (node.is("Expr")) {
    value(node.at("value"));
  } else {
    for (const char* body : {"body", "orelse"}) visit_all(node.list(body));
  }
}

/// Copying or joining them takes as long as there are names in their sets.
void UseSearch::spend(const Environment& names) {
  for (const auto& [name, flow] : names)
    work_ += static_cast<int>(1 + flow.bases.size() + flow.loaded.size() + flow.views.size() +
                              flow.placing.size() + flow.factors.size() + flow.scales.size());
}

void UseSearch::join_names(const Environment& other) {
  spend(other);
  if (is_spent()) return;
  for (const auto& [name, flow] : other) join(names_[name], flow);
}

void UseSearch::branch(const Node& node) {
  asked(node.at("test"));
  spend(names_);
  if (is_spent()) return;
  const Environment before = names_;
  visit_all(node.list("body"));
  const Environment after = std::exchange(names_, before);
  visit_all(node.list("orelse"));
  join_names(after);
}

void UseSearch::loop(const Node& node) {
  spend(names_);
  if (is_spent()) return;
  const Environment before = names_;
  for (int times = 0; times < 2; ++times) {
    turn(node);
    join_names(before);
  }
  visit_all(node.list("orelse"));
}

void UseSearch::turn(const Node& node) {
  if (node.is("While")) {
    asked(node.at("test"));
  } else {
    const Node& sequence = node.at("iter");
    if (sequence.is("Call"))
      for (const Node& bound : sequence.list("args")) integers(value(bound), false);
    assign(node.at("target"), {});
  }
  visit_all(node.list("body"));
}

void UseSearch::assign(const Node& target, const Flow& flow) {
  if (target.is("Name")) names_[target.text] = flow;
  for (const Node& one : target.list("elts")) assign(one, flow);
}

void UseSearch::assign_operated(const Node& node) {
  const Flow flow = value(node.at("value"));
  const Node& target = node.at("target");
  if (is_integer_operator(node.text)) integers(flow, is_bit_operator(node.text));
  if (!target.is("Name")) return;
  Flow& known = names_[target.text];
  join(known.loaded, flow.loaded);
  join(known.factors, flow.factors);
  join_scales(known, flow);
  if (is_integer_operator(node.text)) integers(known, is_bit_operator(node.text));
  const bool is_sum = node.text == "Add" || node.text == "Sub";
  known.has_lane = is_sum && (known.has_lane || flow.has_lane);
}

void UseSearch::integers(const Flow& flow, bool bits) {
  for (const std::string& name : flow.loaded) {
    uses_[name].holds_integers = true;
    if (bits) uses_[name].holds_bits = true;
  }
}

/// A condition: a name that stands alone in it is a flag.
void UseSearch::asked(const Node& test) {
  if (test.is("Name")) {
    for (const std::string& name : names_[test.text].bases) uses_[name].is_flag = true;
    return;
  }
  if (test.is("UnaryOp") && test.text == "Not") return asked(test.at("operand"));
  if (test.is("BoolOp")) {
    for (const Node& one : test.list("values")) asked(one);
    return;
  }
  value(test);
}

void UseSearch::compared(const Node& node) {
  const Node& left = node.at("left");
  for (const Node& right : node.list("comparators")) {
    if (!left.is("Name")) continue;
    std::vector<const Node*> options = {&right};
    for (const Node& one : right.list("elts")) options.push_back(&one);
    for (const std::string& name : names_[left.text].bases)
      for (const Node* option : options) {
        ParameterUse& use = uses_[name];
        if (node.text == "Eq" || node.text == "NotEq") {
          const std::string number = number_of(*option);
          if (!number.empty() && !is_one_of(number, use.numbers) && use.numbers.size() < 8)
            use.numbers.push_back(number);
        }
        if (!option->is("Constant")) continue;
        if (option->constant == ConstantKind::text && !is_one_of(option->text, use.texts))
          use.texts.push_back(option->text);
        if (option->constant == ConstantKind::none) use.is_compared = true;
        if (option->constant == ConstantKind::boolean) use.is_flag = true;
      }
  }
}

/// A whole number, or a global of the file that is one: `MODE: tl.constexpr = tl.constexpr(2)`.
std::string UseSearch::number_of(const Node& node) const {
  const Node* found = &node;
  if (node.is("Name")) {
    const auto global = module_->constants.find(node.text);
    if (global == module_->constants.end()) return {};
    found = global->second;
  }
  if (found->is("Call") && found->list("args").size() == 1) found = &found->list("args").front();
  bool is_negative = false;
  if (found->is("UnaryOp") && found->text == "USub") {
    is_negative = true;
    found = &found->at("operand");
  }
  if (!found->is("Constant") || found->constant != ConstantKind::integer || found->text.size() > 12)
    return {};
  return fmt::format("{}{}", is_negative ? "-" : "",
                     std::strtoll(found->text.c_str(), nullptr, 16));
}

Flow UseSearch::operated(const Node& node) {
  Flow left = value(node.at("left"));
  const Flow right = value(node.at("right"));
  if (is_integer_operator(node.text)) {
    integers(left, is_bit_operator(node.text));
    integers(right, is_bit_operator(node.text));
  }
  const Names own = left.loaded;
  const Flow multiplied = node.text == "Mult" ? left : Flow();
  join(left.loaded, right.loaded);
  join(left.factors, right.factors);
  join_scales(left, right);
  if (node.text == "Mult") {
    scale(left, own, right);
    scale(left, right.loaded, multiplied);
    join(left.factors, left.bases);
    join(left.factors, right.bases);
  }
  const bool is_sum = node.text == "Add" || node.text == "Sub";
  if (!is_sum) left.bases.clear();
  if (is_sum)
    left.has_lane = left.has_lane || right.has_lane;
  else if (node.text != "FloorDiv" && node.text != "Mod")
    left.has_lane = false;
  return left;
}

Flow UseSearch::value(const Node& node) {
  ++work_;
  if (is_spent()) return {};
  if (node.is("Name")) {
    const auto found = names_.find(node.text);
    if (found == names_.end()) return {};
    work_ += static_cast<int>(found->second.bases.size() + found->second.loaded.size());
    return found->second;
  }
  if (node.is("BinOp")) return operated(node);
  if (node.is("Compare")) {
    compared(node);
    value(node.at("left"));
    for (const Node& one : node.list("comparators")) value(one);
    return {};
  }
  if (node.is("BoolOp") || (node.is("UnaryOp") && node.text == "Not")) {
    asked(node);
    return {};
  }
  if (node.is("IfExp")) {
    asked(node.at("test"));
    Flow flow = value(node.at("body"));
    join(flow, value(node.at("orelse")));
    return flow;
  }
  if (node.is("Subscript")) return subscript(node);
  if (node.is("Call")) return call(node);
  if (node.is("Attribute")) {
    value(node.at("value"));
    return {};
  }
  Flow all;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) join(all.loaded, value(child).loaded);
  return all;
}

Flow UseSearch::subscript(const Node& node) {
  const Flow flow = value(node.at("value"));
  const Node& slice = node.at("slice");
  if (node.at("value").is("Name") && slice.is("Constant") &&
      slice.constant == ConstantKind::integer)
    for (const std::string& name : flow.bases) uses_[name].is_tuple = true;
  return flow;
}

std::map<std::string, ParameterUse> parameter_uses(TritonSource& source, const Module& module,
                                                   const Node& function) {
  std::map<std::string, ParameterUse> uses;
  std::map<std::string, Flow> given;
  const Node& arguments = function.at("args");
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"})
    for (const Node& parameter : arguments.list(field))
      given[parameter.text].bases = {parameter.text};
  UseSearch(source, uses).run(module, function, given);
  return uses;
}

}  // namespace heddle::kernel::triton::host
