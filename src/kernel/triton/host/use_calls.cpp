// Calls and accesses of a kernel: what they show of its parameters.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/triton/host/use_search.h"
#include "support/lists.h"

namespace heddle::kernel::triton::host {
namespace {

using Flow = UseSearch::Flow;

/// An expression as a text that another has only if it is the same.
void write_expression(const Node& node, std::string& text) {
  text += node.kind + "(" + node.text;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) write_expression(child, text);
  text += ")";
}

/// The terms of a sum, its whole numbers added up.
void split_sum(const Node& node, bool is_negative, std::vector<std::string>& terms, int& number) {
  const bool is_sum = node.is("BinOp") && (node.text == "Add" || node.text == "Sub");
  if (is_sum) {
    split_sum(node.at("left"), is_negative, terms, number);
    return split_sum(node.at("right"), is_negative != (node.text == "Sub"), terms, number);
  }
  if (node.is("Constant") && node.constant == ConstantKind::integer && node.text == "0x1") {
    number += is_negative ? -1 : 1;
    return;
  }
  std::string text = is_negative ? "-" : "";
  write_expression(node, text);
  terms.push_back(std::move(text));
}

bool keeps_lanes(const std::string& function) {
  static const std::set<std::string> kKeep = {
      "where",   "multiple_of",  "max_contiguous", "cast",    "minimum", "maximum",
      "reshape", "broadcast_to", "expand_dims",    "advance", "view",    "max_constancy"};
  return kKeep.count(function) != 0;
}

bool keeps_pointers(const std::string& function) {
  return function == "where" || function == "multiple_of" || function == "max_contiguous" ||
         function == "cast" || function == "advance";
}

bool is_integer_type(const Node& node) {
  return node.text.rfind("int", 0) == 0 || node.text.rfind("uint", 0) == 0;
}

}  // namespace

/// Loads at E and at E + 1: where pieces begin and end.
void UseSearch::read_beside(const Node& node, const Names& bases) {
  constexpr std::size_t kMostPlaces = 64;
  std::vector<std::string> terms;
  int number = 0;
  split_sum(node, false, terms, number);
  std::ranges::sort(terms);
  const std::string place = fmt::format("{}", fmt::join(terms, " "));
  for (const std::string& name : bases) {
    auto& places = places_[name];
    if (places.size() >= kMostPlaces) continue;
    std::set<int>& numbers = places[place];
    numbers.insert(number);
    if (numbers.count(number - 1) + numbers.count(number + 1) != 0)
      uses_[name].reads_neighbours = true;
  }
}

void UseSearch::pointer(const Node& node, bool is_store) {
  const Flow flow = value(node);
  for (const std::string& name : flow.bases) {
    uses_[name].is_pointer = true;
    if (flow.has_lane) uses_[name].has_lane = true;
    join(uses_[name].factors, flow.factors);
    for (const std::string& index : flow.loaded) {
      Names& scales = uses_[name].indices[index];
      const auto found = flow.scales.find(index);
      if (found != flow.scales.end()) join(scales, found->second);
    }
  }
  if (!is_store && !flow.has_lane) read_beside(node, flow.bases);
  if (is_store)
    for (const Names* places : {&flow.loaded, &flow.placing})
      for (const std::string& name : *places) uses_[name].places_writes = true;
  // A pointer that was loaded from a table of pointers is no offset.
  if (!flow.bases.empty() || node.is("BinOp")) integers(flow, false);
}

Flow UseSearch::call(const Node& node) {
  const Node& function = node.at("func");
  const std::string& name = function.text;
  const auto& arguments = node.list("args");
  const bool is_method = function.is("Attribute") && !is_module(function.at("value"));
  if (is_method) return method(node);
  const bool is_memory = name == "load" || name == "store" || name.rfind("atomic_", 0) == 0;
  if (is_memory || name == "make_block_ptr" || name == "make_tensor_descriptor" ||
      name == "_experimental_make_tensor_descriptor")
    return memory(node, is_memory);
  if (const Node* helper = helper_of(function)) return inline_helper(node, *helper);
  Flow all;
  const bool is_bound = name == "arange" || name == "zeros" || name == "full" || name == "reshape";
  for (const Node& one : arguments) {
    const Flow flow = value(one);
    if (is_bound) bound(one);
    join(all.loaded, flow.loaded);
    if (keeps_pointers(name)) {
      join(all.bases, flow.bases);
      join(all.views, flow.views);
      join(all.placing, flow.placing);
    }
    if (!keeps_lanes(name)) continue;
    all.has_lane = all.has_lane || flow.has_lane;
    join(all.factors, flow.factors);
    for (const auto& [index, factors] : flow.scales) join(all.scales[index], factors);
  }
  if (name == "arange") all.has_lane = true;
  for (const Node& keyword : node.list("keywords")) {
    const Flow flow = value(keyword.at("value"));
    if (keyword.text == "dtype") type(flow);
  }
  if (name == "zeros" || name == "full")
    if (!arguments.empty()) type(value(arguments.back()));
  if (name == "histogram" && !arguments.empty()) integers(value(arguments.front()), false);
  if (name == "range" || name == "static_range")
    for (const Node& one : arguments) integers(value(one), false);
  if (name == "dot" || name == "exp" || name == "exp2" || name == "sqrt" || name == "log" ||
      name == "rsqrt" || name == "sigmoid")
    all.loaded.clear();
  return all;
}

void UseSearch::bound(const Node& node) {
  if (node.is("Name"))
    for (const std::string& name : names_[node.text].bases) uses_[name].is_bound = true;
  for (const Node& one : node.list("elts")) bound(one);
}

void UseSearch::type(const Flow& flow) {
  for (const std::string& name : flow.bases) uses_[name].is_type = true;
}

/// tl, triton.language, libdevice: what is imported.
bool UseSearch::is_module(const Node& node) const {
  const Node* first = &node;
  while (first->is("Attribute")) first = &first->at("value");
  return first->is("Name") && module_->imports.count(first->text) != 0;
}

Flow UseSearch::method(const Node& node) {
  const Node& function = node.at("func");
  const std::string& name = function.text;
  const Node& self = function.at("value");
  Flow flow = value(self);
  const Names loaded = flow.loaded;
  const bool is_memory = name == "load" || name == "store" || name == "gather" ||
                         name == "scatter" || name.rfind("atomic_", 0) == 0;
  for (const Node& one : node.list("args")) {
    const Flow given = value(one);
    if (is_memory) integers(given, false);
    if (name == "to") cast(one, given, flow);
  }
  for (const Node& keyword : node.list("keywords")) value(keyword.at("value"));
  if (name == "to" && !node.list("args").empty()) {
    const Node& wanted = node.list("args").front();
    const bool is_bitcast = std::ranges::any_of(
        node.list("keywords"), [](const Node& one) { return one.text == "bitcast"; });
    if (is_bitcast) reinterpreted(wanted, loaded);
    // tl.load(sizes).to(tl.int32): nobody cuts numbers off that were just read.
    const bool is_read = self.is("Call") && self.at("func").text == "load";
    if (is_read && !is_bitcast && is_integer_type(wanted)) integers({{}, loaded}, false);
  }
  if (is_memory) {
    for (const std::string& base : flow.bases) {
      if (flow.views.empty()) uses_[base].is_descriptor = true;
      if (flow.views.empty() && !node.list("args").empty())
        uses_[base].descriptor_rank =
            static_cast<int>(node.list("args").front().list("elts").size());
      uses_[base].is_pointer = true;
    }
    Flow result{{}, flow.bases};
    join(result.loaded, flow.views);
    return result;
  }
  return flow;
}

/// x.to(tl.float8e4nv, bitcast=True): what x was loaded from holds bytes.
void UseSearch::reinterpreted(const Node& type_node, const Names& loaded) {
  const std::string& type = type_node.text;
  if (!type.starts_with("float8") && type != "int8" && type != "uint8") return;
  for (const std::string& name : loaded) uses_[name].holds_bytes = true;
}

void UseSearch::cast(const Node& type_node, const Flow& given, Flow& flow) {
  type(given);
  const bool is_pointer = type_node.is("Call") && type_node.at("func").text == "pointer_type";
  if (is_pointer)
    for (const std::string& name : flow.loaded) {
      uses_[name].is_pointer_table = true;
      uses_[name].holds_integers = true;
    }
  if (!is_integer_type(type_node)) flow.loaded.clear();
}

Flow UseSearch::memory(const Node& node, bool is_memory) {
  const auto& arguments = node.list("args");
  const Node* first = arguments.empty() ? nullptr : &arguments.front();
  Names placing;
  const auto take = [&](const Node& one, bool is_place) {
    const Flow flow = value(one);
    if (is_memory || !is_place) return;
    integers(flow, false);
    join(placing, flow.loaded);
  };
  for (const Node& keyword : node.list("keywords")) {
    if (keyword.text == "pointer" || keyword.text == "base")
      first = &keyword.at("value");
    else
      take(keyword.at("value"), keyword.text != "order" && keyword.text != "padding_option");
  }
  for (std::size_t i = 1; i < arguments.size(); ++i) take(arguments[i], true);
  if (first == nullptr) return {};
  const std::string& name = node.at("func").text;
  pointer(*first, name == "store");
  const Flow flow = value(*first);
  if (!is_memory) {
    join(placing, flow.loaded);
    return {{}, {}, flow.bases, placing};
  }
  Flow result{{}, flow.bases};
  join(result.loaded, flow.views);
  return result;
}

/// The jit function that a call names, in this file or an imported one.
const Node* UseSearch::helper_of(const Node& function) {
  helper_module_ = module_;
  if (function.is("Name")) {
    const auto found = module_->functions.find(function.text);
    if (found != module_->functions.end()) return found->second;
  }
  const std::string path = dotted_path(*module_, function);
  const std::size_t dot = path.rfind('.');
  if (path.empty() || dot == std::string::npos || dot == 0 || path.rfind("triton.", 0) == 0)
    return nullptr;
  try {
    const Module* file =
        source_.imported(*module_, path.substr(0, path[dot - 1] == '.' ? dot + 1 : dot));
    if (file == nullptr) return nullptr;
    const auto found = file->functions.find(path.substr(dot + 1));
    if (found == file->functions.end()) return nullptr;
    helper_module_ = file;
    return found->second;
  } catch (const Error&) {
    return nullptr;
  }
}

Flow UseSearch::inline_helper(const Node& node, const Node& helper) {
  const Module& module = *helper_module_;
  std::map<std::string, Flow> given;
  const auto& parameters = helper.at("args").list("args");
  const auto& arguments = node.list("args");
  for (std::size_t i = 0; i < arguments.size() && i < parameters.size(); ++i)
    given[parameters[i].text] = value(arguments[i]);
  for (const Node& keyword : node.list("keywords"))
    given[keyword.text] = value(keyword.at("value"));
  return run(module, helper, given);
}

}  // namespace heddle::kernel::triton::host
