#include "kernel/triton/host/parameter_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "support/lists.h"

namespace heddle::kernel::triton::host {
namespace {

using Names = std::set<std::string>;

/// What an expression is made of: parameters it points with, parameters it was loaded from.
struct Flow {
  Names bases;
  Names loaded;
  Names views = {};  ///< parameters that it is a block pointer or a descriptor of
};

void join(Names& into, const Names& more) {
  into.insert(more.begin(), more.end());
}

class UseSearch {
 public:
  UseSearch(TritonSource& source, std::map<std::string, ParameterUse>& uses)
      : source_(source), uses_(uses) {}

  /// `given`: what the function's parameters stand for.
  Flow run(const Module& module, const Node& function, const std::map<std::string, Flow>& given) {
    if (depth_ >= 5 || is_spent()) return {};
    ++depth_;
    const int branches = branches_;
    branches_ = 0;
    auto names = std::move(names_);
    const Module* outside = module_;
    Flow result = std::move(result_);
    names_ = given;
    module_ = &module;
    result_ = {};
    for (int turn = 0; turn < 2; ++turn) visit_all(function.list("body"));
    Flow returned = std::move(result_);
    names_ = std::move(names);
    branches_ = branches;
    module_ = outside;
    result_ = std::move(result);
    --depth_;
    return returned;
  }

 private:
  bool is_spent() const { return work_ > 400'000; }

  void visit_all(const std::vector<Node>& list) {
    for (const Node& node : list)
      if (!is_spent()) statement(node);
  }

  void statement(const Node& node) {
    ++work_;
    if (node.is("Assign")) {
      const Flow flow = value(node.at("value"));
      for (const Node& target : node.list("targets")) assign(target, flow);
    } else if (node.is("AnnAssign")) {
      if (node.has("value")) assign(node.at("target"), value(node.at("value")));
    } else if (node.is("AugAssign")) {
      const Flow flow = value(node.at("value"));
      const Node& target = node.at("target");
      if (is_integer_operator(node.text)) integers(flow, is_bit_operator(node.text));
      if (target.is("Name")) join(names_[target.text].loaded, flow.loaded);
    } else if (node.is("If") || node.is("While")) {
      asked(node.at("test"));
      ++branches_;
      visit_all(node.list("body"));
      visit_all(node.list("orelse"));
      --branches_;
    } else if (node.is("For")) {
      loop(node);
    } else if (node.is("Return")) {
      if (!node.has("value")) return;
      const Flow flow = value(node.at("value"));
      join(result_.bases, flow.bases);
      join(result_.loaded, flow.loaded);
      join(result_.views, flow.views);
    } else if (node.is("Expr")) {
      value(node.at("value"));
    } else {
      for (const char* body : {"body", "orelse"}) visit_all(node.list(body));
    }
  }

  void loop(const Node& node) {
    const Node& sequence = node.at("iter");
    if (sequence.is("Call"))
      for (const Node& bound : sequence.list("args")) integers(value(bound), false);
    ++branches_;
    visit_all(node.list("body"));
    --branches_;
  }

  void assign(const Node& target, const Flow& flow) {
    if (target.is("Name")) {
      Flow& known = names_[target.text];
      if (branches_ == 0) known = {};
      join(known.loaded, flow.loaded);
      join(known.bases, flow.bases);
      join(known.views, flow.views);
    }
    for (const Node& one : target.list("elts")) assign(one, flow);
  }

  static bool is_bit_operator(const std::string& op) {
    return op == "LShift" || op == "RShift" || op == "BitAnd" || op == "BitOr" || op == "BitXor";
  }
  static bool is_integer_operator(const std::string& op) {
    return op == "FloorDiv" || is_bit_operator(op);
  }

  void integers(const Flow& flow, bool bits) {
    for (const std::string& name : flow.loaded) {
      uses_[name].holds_integers = true;
      if (bits) uses_[name].holds_bits = true;
    }
  }

  /// A condition: a name that stands alone in it is a flag.
  void asked(const Node& test) {
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

  void compared(const Node& node) {
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
  std::string number_of(const Node& node) const {
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
    if (!found->is("Constant") || found->constant != ConstantKind::integer ||
        found->text.size() > 12)
      return {};
    return fmt::format("{}{}", is_negative ? "-" : "",
                       std::strtoll(found->text.c_str(), nullptr, 16));
  }

  Flow value(const Node& node) {
    ++work_;
    if (is_spent()) return {};
    if (node.is("Name")) {
      const auto found = names_.find(node.text);
      if (found == names_.end()) return {};
      work_ += static_cast<int>(found->second.bases.size() + found->second.loaded.size());
      return found->second;
    }
    if (node.is("BinOp")) {
      Flow left = value(node.at("left"));
      const Flow right = value(node.at("right"));
      if (is_integer_operator(node.text)) {
        integers(left, is_bit_operator(node.text));
        integers(right, is_bit_operator(node.text));
      }
      join(left.loaded, right.loaded);
      if (node.text != "Add" && node.text != "Sub") left.bases.clear();
      return left;
    }
    if (node.is("Compare")) {
      compared(node);
      value(node.at("left"));
      for (const Node& one : node.list("comparators")) value(one);
      return {};
    }
    if (node.is("BoolOp")) {
      asked(node);
      return {};
    }
    if (node.is("UnaryOp") && node.text == "Not") {
      asked(node);
      return {};
    }
    if (node.is("IfExp")) {
      asked(node.at("test"));
      Flow flow = value(node.at("body"));
      const Flow other = value(node.at("orelse"));
      join(flow.bases, other.bases);
      join(flow.loaded, other.loaded);
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

  Flow subscript(const Node& node) {
    const Flow flow = value(node.at("value"));
    const Node& slice = node.at("slice");
    if (node.at("value").is("Name") && slice.is("Constant") &&
        slice.constant == ConstantKind::integer)
      for (const std::string& name : flow.bases) uses_[name].is_tuple = true;
    return flow;
  }

  void pointer(const Node& node) {
    const Flow flow = value(node);
    for (const std::string& name : flow.bases) uses_[name].is_pointer = true;
    // A pointer that was loaded from a table of pointers is no offset.
    if (!flow.bases.empty() || node.is("BinOp")) integers(flow, false);
  }

  Flow call(const Node& node) {
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
    const bool is_bound =
        name == "arange" || name == "zeros" || name == "full" || name == "reshape";
    for (const Node& one : arguments) {
      const Flow flow = value(one);
      if (is_bound) bound(one);
      join(all.loaded, flow.loaded);
      if (name == "where" || name == "multiple_of" || name == "max_contiguous" || name == "cast" ||
          name == "advance") {
        join(all.bases, flow.bases);
        join(all.views, flow.views);
      }
    }
    for (const Node& keyword : node.list("keywords")) {
      const Flow flow = value(keyword.at("value"));
      if (keyword.text == "dtype") type(flow);
    }
    if (name == "zeros" || name == "full")
      if (!arguments.empty()) type(value(arguments.back()));
    if (name == "range" || name == "static_range")
      for (const Node& one : arguments) integers(value(one), false);
    if (name == "dot" || name == "exp" || name == "exp2" || name == "sqrt" || name == "log" ||
        name == "rsqrt" || name == "sigmoid")
      all.loaded.clear();
    return all;
  }

  void bound(const Node& node) {
    if (node.is("Name"))
      for (const std::string& name : names_[node.text].bases) uses_[name].is_bound = true;
    for (const Node& one : node.list("elts")) bound(one);
  }

  void type(const Flow& flow) {
    for (const std::string& name : flow.bases) uses_[name].is_type = true;
  }

  /// tl, triton.language, libdevice: what is imported.
  bool is_module(const Node& node) const {
    const Node* first = &node;
    while (first->is("Attribute")) first = &first->at("value");
    return first->is("Name") && module_->imports.count(first->text) != 0;
  }

  Flow method(const Node& node) {
    const Node& function = node.at("func");
    const std::string& name = function.text;
    Flow flow = value(function.at("value"));
    const Names loaded = flow.loaded;
    const bool is_memory = name == "load" || name == "store" || name == "gather" ||
                           name == "scatter" || name.rfind("atomic_", 0) == 0;
    for (const Node& one : node.list("args")) {
      const Flow given = value(one);
      if (is_memory) integers(given, false);
      if (name == "to") cast(one, given, flow);
    }
    for (const Node& keyword : node.list("keywords")) value(keyword.at("value"));
    if (name == "to") {
      for (const Node& keyword : node.list("keywords"))
        if (keyword.text == "bitcast" && !node.list("args").empty())
          reinterpreted(node.list("args").front(), loaded);
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
  void reinterpreted(const Node& type_node, const Names& loaded) {
    const std::string& type = type_node.text;
    if (!type.starts_with("float8") && type != "int8" && type != "uint8") return;
    for (const std::string& name : loaded) uses_[name].holds_bytes = true;
  }

  void cast(const Node& type_node, const Flow& given, Flow& flow) {
    type(given);
    const bool is_pointer = type_node.is("Call") && type_node.at("func").text == "pointer_type";
    if (is_pointer)
      for (const std::string& name : flow.loaded) {
        uses_[name].is_pointer_table = true;
        uses_[name].holds_integers = true;
      }
    const bool is_integer =
        type_node.text.rfind("int", 0) == 0 || type_node.text.rfind("uint", 0) == 0;
    if (!is_integer) flow.loaded.clear();
  }

  Flow memory(const Node& node, bool is_memory) {
    const auto& arguments = node.list("args");
    const Node* first = arguments.empty() ? nullptr : &arguments.front();
    Flow stored;
    for (const Node& keyword : node.list("keywords")) {
      if (keyword.text == "pointer" || keyword.text == "base") {
        first = &keyword.at("value");
        continue;
      }
      const Flow flow = value(keyword.at("value"));
      if (!is_memory && keyword.text != "order" && keyword.text != "padding_option")
        integers(flow, false);
    }
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const Flow flow = value(arguments[i]);
      if (!is_memory) integers(flow, false);
    }
    if (first == nullptr) return {};
    pointer(*first);
    const Flow flow = value(*first);
    if (!is_memory) return {{}, {}, flow.bases};
    Flow result{{}, flow.bases};
    join(result.loaded, flow.views);
    return result;
  }

  /// The jit function that a call names, in this file or an imported one.
  const Node* helper_of(const Node& function) {
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

  Flow inline_helper(const Node& node, const Node& helper) {
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

  TritonSource& source_;
  std::map<std::string, ParameterUse>& uses_;
  std::map<std::string, Flow> names_;
  const Module* module_ = nullptr;
  const Module* helper_module_ = nullptr;
  Flow result_;
  int depth_ = 0;
  int branches_ = 0;
  int work_ = 0;
};

}  // namespace

std::map<std::string, ParameterUse> parameter_uses(TritonSource& source, const Module& module,
                                                   const Node& function) {
  std::map<std::string, ParameterUse> uses;
  std::map<std::string, Flow> given;
  const Node& arguments = function.at("args");
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"})
    for (const Node& parameter : arguments.list(field))
      given[parameter.text] = {{parameter.text}, {}};
  UseSearch(source, uses).run(module, function, given);
  return uses;
}

}  // namespace heddle::kernel::triton::host
