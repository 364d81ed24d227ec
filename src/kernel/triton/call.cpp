// Calls: functions of the file, of triton.language, methods; and attributes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "kernel/triton/lowering.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

std::vector<std::string> builtin_names();  // below, beside find_builtin

bool starts_with(const std::string& text, std::string_view start) {
  return text.rfind(start, 0) == 0;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// Modules whose functions heddle knows by their last name.
bool is_language(const std::string& path) {
  for (const char* module :
       {"triton.language", "triton.cdiv", "triton.next_power_of_2", "triton.Config",
        "triton.runtime", "triton.autotune", "torch._inductor.runtime.triton_helpers", "builtins.",
        "math.", "torch._inductor.runtime.triton_compat", "torch.finfo", "torch.iinfo",
        "torch.cuda.get_device_capability", "triton._internal_testing"})
    if (starts_with(path, module)) return true;
  return path.find("libdevice") != std::string::npos || path.find("tl_math") != std::string::npos;
}

/// triton.language.float16 and its like.
std::optional<Term> language_constant(const std::string& path, config::Vendor vendor) {
  const std::string name = last_part(path);
  if (!starts_with(path, "triton.language.")) {
    if (path == "math.pi") return Term{3.141592653589793};
    if (path == "math.inf") return Term{static_cast<double>(INFINITY)};
    if (path == "math.e") return Term{2.718281828459045};
    const bool amd = vendor == config::Vendor::amd;
    if (path == "torch.version.hip") return amd ? text_term("7.0") : Term{None{}};
    if (path == "torch.version.cuda") return amd ? Term{None{}} : text_term("13.0");
    if (!starts_with(path, "torch.") || std::count(path.begin(), path.end(), '.') != 1)
      return std::nullopt;
  }
  static const std::vector<std::string> kNotTypes = {"float", "int", "bool"};
  if (std::find(kNotTypes.begin(), kNotTypes.end(), name) == kNotTypes.end())
    if (const auto type = config::dtype_from_text(name))
      return Term{TypeTerm{Type{*type, false, {}}}};
  return std::nullopt;
}

/// What Triton hands to every function of its language, and helpers of it pass on.
bool is_of_compiler(const std::string& keyword) {
  return keyword == "_semantic" || keyword == "_builder" || keyword == "_generator";
}

/// The operator that a method of Python's is, "" if none: __rshift__ is RShift.
std::string operator_of_method(const std::string& name) {
  static const std::map<std::string, std::string> kOperators = {
      {"__add__", "Add"},       {"__sub__", "Sub"},       {"__mul__", "Mult"},
      {"__truediv__", "Div"},   {"__mod__", "Mod"},       {"__floordiv__", "FloorDiv"},
      {"__lshift__", "LShift"}, {"__rshift__", "RShift"}, {"__and__", "BitAnd"},
      {"__or__", "BitOr"},      {"__xor__", "BitXor"}};
  const auto found = kOperators.find(name);
  return found == kOperators.end() ? "" : found->second;
}

}  // namespace

BoundCall::BoundCall(const Node& node, std::string name, const char* parameters,
                     std::vector<Term> positional, NamedTerms keywords)
    : node_(node), name_(std::move(name)) {
  std::size_t next = 0;
  std::set<std::string, std::less<>> names;
  std::string rest_name;
  bool takes_anything = false;
  for (const std::string_view parameter : split(parameters, ' ')) {
    if (parameter == "**") {
      takes_anything = true;
    } else if (!parameter.empty() && parameter.front() == '*') {
      rest_name = parameter.substr(1);
      std::vector<Term> rest(
          positional.begin() + static_cast<std::ptrdiff_t>(std::min(next, positional.size())),
          positional.end());
      next = positional.size();
      if (!rest.empty()) terms_[rest_name] = tuple_term(std::move(rest));
    } else if (!parameter.empty()) {
      names.emplace(parameter);
      if (next < positional.size()) terms_[std::string(parameter)] = positional[next++];
    }
  }
  if (next < positional.size())
    throw Error(
        fmt::format("{} takes {} arguments, not {}", name_, names.size(), positional.size()),
        "check the call");
  for (auto& [keyword, term] : keywords) {
    if (is_of_compiler(keyword) && names.count(keyword) == 0) continue;
    if (keyword == rest_name) {
      terms_[keyword] = tuple_term({std::move(term)});
    } else if (takes_anything || names.count(keyword) != 0) {
      terms_[keyword] = std::move(term);
    } else {
      throw Error(fmt::format("{} has no parameter '{}'", name_, keyword),
                  names.empty() ? "leave it out"
                                : fmt::format("its parameters are: {}", fmt::join(names, " ")));
    }
  }
}

Term BoundCall::get(const char* parameter) const {
  const auto found = terms_.find(parameter);
  return found == terms_.end() ? Term{None{}} : found->second;
}

Term BoundCall::need(const char* parameter) const {
  const auto found = terms_.find(parameter);
  if (found == terms_.end())
    throw Error(fmt::format("{} is called without '{}'", name_, parameter), "give it");
  return found->second;
}

Term Lowering::call(const Node& node) {
  const Term function = expression(node.at("func"));
  std::vector<Term> positional;
  for (const Node& argument : node.list("args")) {
    if (!argument.is("Starred")) {
      positional.push_back(expression(argument));
      continue;
    }
    const Term inner = expression(argument.at("value"));
    if (inner.tuple() == nullptr) fail(argument, "only a tuple can be unpacked", "remove the '*'");
    positional.insert(positional.end(), inner.tuple()->items.begin(), inner.tuple()->items.end());
    if (positional.size() > kTupleLimit) fail(argument, "too many arguments", "give fewer");
  }
  NamedTerms keywords;
  for (const Node& keyword : node.list("keywords")) {
    const Term term = expression(keyword.at("value"));
    if (keyword.text.empty()) {
      if (term.dict() == nullptr)
        fail(node, "'**' needs a dict that is known", "name the arguments");
      for (const auto& entry : term.dict()->items) keywords.push_back(entry);
      if (keywords.size() > kTupleLimit) fail(node, "too many arguments", "give fewer");
    } else {
      keywords.emplace_back(keyword.text, term);
    }
  }
  if (builder_ != nullptr) builder_->set_place(place(node));
  return call_term(function, std::move(positional), std::move(keywords), node);
}

Term Lowering::call_term(const Term& function, std::vector<Term> positional, NamedTerms keywords,
                         const Node& node) {
  if (const auto* own = function.as<FunctionTerm>())
    return inline_function(*own, std::move(positional), std::move(keywords), node);
  if (const auto* external = function.as<ExternalTerm>())
    return call_external(external->path, std::move(positional), std::move(keywords), node);
  if (const auto* method = function.as<MethodTerm>())
    return call_method(*method, std::move(positional), std::move(keywords), node);
  if (const auto* type = function.as<TypeTerm>(); type != nullptr && positional.size() == 1) {
    return runtime(builder().cast(value(positional[0]), type->type));
  }
  fail(node, fmt::format("{} cannot be called", describe(function)), "call a function");
}

Term Lowering::call_external(const std::string& path, std::vector<Term> positional,
                             NamedTerms keywords, const Node& node) {
  const std::string name = last_part(path);
  // Where files of other code lie makes no difference.
  if (starts_with(path, "os.path.") && !positional.empty()) return positional.front();
  // Libraries wrap exp and its like in functions of their own; which one it is makes no difference.
  if (!is_language(path) && !is_math_function(name))
    fail(node, fmt::format("'{}' is not in this file, nor in one beside it", path),
         "put the function into the kernel's file, or the file it is imported from beside it");
  if (name == "jit" || name == "constexpr_function")
    return positional.empty() ? Term{None{}} : positional[0];
  if (path == "builtins.dict") return dict_term(std::move(keywords));
  const bool is_python =
      starts_with(path, "builtins.") ||
      (starts_with(path, "math.") && positional.size() == 1 && positional[0].is_number());
  const Builtin* builtin = find_builtin(is_python ? path : name);
  if (builtin == nullptr && path.find("libdevice") != std::string::npos)
    builtin = find_builtin("libdevice");
  if (builtin == nullptr)
    fail(node, fmt::format("{} is not supported", path),
         did_you_mean(name, builtin_names()) + "docs/triton.md lists what heddle reads of Triton");
  const BoundCall bound(node, name, builtin->parameters, std::move(positional),
                        std::move(keywords));
  return builtin->run(*this, bound);
}

Term Lowering::call_method(const MethodTerm& method, std::vector<Term> positional,
                           NamedTerms keywords, const Node& node) {
  const Term& self = *method.self;
  const std::string& name = method.name;
  if (const auto* type = self.as<TypeTerm>()) {
    const DType element = type->type.element;
    const bool pointer = type->type.pointer;
    if (name == "is_ptr") return Term{pointer};
    if (name == "get_block_shapes") {
      std::vector<Term> extents;
      for (const std::int64_t extent : type->type.shape) extents.push_back(integer_term(extent));
      return tuple_term(std::move(extents));
    }
    if (name == "is_block") return Term{!type->type.shape.empty()};
    if (pointer) return Term{false};
    if (name == "is_floating") return Term{config::is_float(element)};
    if (name == "is_int") return Term{config::is_integer(element)};
    if (name == "is_bool" || name == "is_int1") return Term{element == DType::boolean};
    if (name == "is_int_signed") return Term{config::is_signed(element)};
    if (name == "is_int_unsigned")
      return Term{config::is_integer(element) && !config::is_signed(element)};
    if (name == "is_fp8")
      return Term{element == DType::float8_e4m3 || element == DType::float8_e5m2};
    if (name == "is_standard_floating")
      return Term{config::is_float(element) && config::byte_width(element) >= 2};
    if (starts_with(name, "is_")) {
      const auto asked = config::dtype_from_text(name.substr(3));
      return Term{asked.has_value() && *asked == element};
    }
    if (name == "get_scalar_ty" || name == "scalar")
      return Term{TypeTerm{Type{element, pointer, {}}}};
    if (name == "to") return self;
    fail(node, fmt::format("'{}' of a dtype is not supported", name), "compare dtypes with ==");
  }
  if (self.descriptor() != nullptr)
    return descriptor_method(*this, *self.descriptor(), name, std::move(positional),
                             std::move(keywords), node);
  if (const auto* dict = self.dict(); dict != nullptr && name == "get" && !positional.empty()) {
    for (std::size_t i = dict->items.size(); i-- > 0;)  // the last of a name counts
      if (positional[0].text() != nullptr && dict->items[i].first == *positional[0].text())
        return dict->items[i].second;
    return positional.size() > 1 ? positional[1] : Term{None{}};
  }
  if (name == "data_ptr") return integer_term(0);
  if (self.tuple() != nullptr && !self.tuple()->names.empty())
    return tensor_method(*self.tuple(), name, positional, node);
  if (self.as<std::shared_ptr<const TupleTerm>>() != nullptr && name == "append")
    fail(node, "lists cannot be changed", "write the whole list");
  if (const std::string op = operator_of_method(name); !op.empty() && positional.size() == 1)
    return binary(op, self, positional[0]);
  if (const auto number = self.integer(); number && name == "bit_length") {
    const auto bits = static_cast<std::uint64_t>(*number);
    return integer_term(std::bit_width(*number < 0 ? 0 - bits : bits));
  }
  positional.insert(positional.begin(), self);
  if (name == "to" && self.is_number() && positional.size() + keywords.size() > 1) {
    const Type type = type_of(positional.size() > 1 ? positional[1] : keywords.front().second);
    return runtime(value_as(self, type.element));
  }
  return call_external("triton.language." + (name == "to" ? "cast" : name), std::move(positional),
                       std::move(keywords), node);
}

/// What host code asks of a tensor argument.
Term Lowering::tensor_method(const TupleTerm& tensor, const std::string& name,
                             const std::vector<Term>& positional, const Node& node) {
  const auto field = [&](const char* wanted) -> const TupleTerm* {
    for (std::size_t i = 0; i < tensor.names.size(); ++i)
      if (tensor.names[i] == wanted) return tensor.items[i].tuple();
    return nullptr;
  };
  const TupleTerm* numbers = field(name == "stride" ? "strides" : "shape");
  if (numbers != nullptr && (name == "stride" || name == "size")) {
    const auto rank = static_cast<Integer>(numbers->items.size());
    if (positional.empty()) return tuple_term(numbers->items);
    Integer axis = integer(positional[0], "the axis");
    if (axis < 0) axis += rank;
    if (axis >= 0 && axis < rank) return numbers->items[static_cast<std::size_t>(axis)];
    fail(node, "an axis the tensor does not have", "check it");
  }
  if (numbers != nullptr && (name == "dim" || name == "ndimension"))
    return integer_term(static_cast<Integer>(numbers->items.size()));
  if (numbers != nullptr && name == "numel") {
    Term product = integer_term(1);
    for (const Term& extent : numbers->items) product = binary("Mult", product, extent);
    return product;
  }
  fail(node, fmt::format("'{}' of a tensor is not known here", name),
       "set the name that needs it under [constexprs] in the job");
}

namespace {

Term shape_term(const std::vector<std::int64_t>& shape) {
  std::vector<Term> items;
  for (const std::int64_t extent : shape) items.push_back(integer_term(extent));
  return tuple_term(std::move(items));
}

std::optional<Term> attribute_of_type(const Type& type, const std::string& name) {
  if (name == "element_ty")
    return Term{TypeTerm{Type{type.element, !type.shape.empty() && type.pointer, {}}}};
  if (name == "scalar") return Term{TypeTerm{Type{type.element, type.pointer, {}}}};
  if (name == "shape") return shape_term(type.shape);
  if (name == "primitive_bitwidth" || name == "int_bitwidth" || name == "fp_bitwidth")
    return integer_term(type.pointer ? 64 : config::bit_width(type.element));
  if (name == "itemsize") return integer_term(config::byte_width(type.element));
  if (name == "name") return text_term(type.text());
  if (name == "value") return Term{TypeTerm{type}};
  return std::nullopt;
}

}  // namespace

std::optional<Term> Lowering::attribute_of_value(ValueId id, const std::string& name) {
  const Type& type = builder().type(id);
  if (name == "dtype") return Term{TypeTerm{Type{type.element, type.pointer, {}}}};
  if (name == "type") return Term{TypeTerm{type}};
  if (name == "shape") return shape_term(type.shape);
  if (name == "numel") return integer_term(type.elements());
  if (name == "ndim") return integer_term(static_cast<Integer>(type.shape.size()));
  if (name == "T") return runtime(builder().permute(id, {1, 0}));
  if (name == "value") return builder().known(id).value_or(runtime(id));
  return std::nullopt;
}

std::optional<Term> Lowering::attribute_of_place(const BlockPointer& place, bool is_descriptor,
                                                 const std::string& name) {
  const auto values_term = [&](const std::vector<ValueId>& values) {
    std::vector<Term> items;
    for (const ValueId id : values) items.push_back(runtime(id));
    return tuple_term(std::move(items));
  };
  if (name == "block_shape") return shape_term(place.block);
  if (name == "shape") return values_term(place.sizes);
  if (name == "strides") return values_term(place.strides);
  if (name == "dtype" || name == "type")
    return Term{TypeTerm{Type{builder().type(place.base).element, !is_descriptor, {}}}};
  return std::nullopt;
}

Term Lowering::attribute(const Term& term, const std::string& name, const Node& node) {
  const auto method = [&] { return Term{MethodTerm{std::make_shared<const Term>(term), name}}; };
  if (const auto* external = term.as<ExternalTerm>()) {
    constexpr std::size_t kLongestPath = 256;
    const std::string path = external->path + "." + name;
    if (path.size() > kLongestPath) fail(node, "a name of too many parts", "import it directly");
    if (const auto constant = language_constant(path, source_.target.vendor)) return *constant;
    return imported_name(*frame_->module, path, node);
  }
  if (const auto* run_time = term.as<RuntimeValue>()) {
    const auto found = attribute_of_value(run_time->id, name);
    return found ? *found : method();
  }
  if (const auto* type = term.as<TypeTerm>()) {
    const auto found = attribute_of_type(type->type, name);
    return found ? *found : method();
  }
  const auto* descriptor = term.descriptor();
  const BlockPointer* place = descriptor != nullptr ? &descriptor->place : term.block_pointer();
  if (place != nullptr) {
    const auto found = attribute_of_place(*place, descriptor != nullptr, name);
    return found ? *found : method();
  }
  if (const auto* dict = term.dict()) {  // a triton.Config
    if (name == "kwargs") return term;
    for (const auto& [key, item] : dict->items)
      if (key == name) return item;
  }
  if (const auto* tuple = term.tuple()) {
    for (std::size_t i = 0; i < tuple->names.size(); ++i)
      if (tuple->names[i] == name) return tuple->items[i];
  }
  if (name == "value") return term;
  // tl.tensor(_semantic.builder.create_barrier(), tl.void): __syncthreads of a library.
  if (const auto* builder = term.as<MethodTerm>();
      builder != nullptr && builder->name == "builder" && name == "create_barrier")
    return Term{ExternalTerm{"triton.language.debug_barrier"}};
  if (term.as<MethodTerm>() != nullptr)
    fail(node, fmt::format("{} has no attribute '{}'", describe(term), name), "call it first");
  if (term.is_number() && name == "dtype") return Term{TypeTerm{builder().type(value(term))}};
  return method();
}

namespace {

const std::map<std::string, Builtin>& builtins() {
  static const std::map<std::string, Builtin> kTable = [] {
    std::map<std::string, Builtin> table;
    for (const auto& list : {basic_builtins(), shape_builtins(), math_builtins(), reduce_builtins(),
                             memory_builtins(), inductor_builtins(), host_builtins()})
      for (const Builtin& builtin : list) table.emplace(builtin.name, builtin);
    return table;
  }();
  return kTable;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const auto& [name, builtin] : builtins()) names.push_back(name);
  return names;
}

}  // namespace

const Builtin* find_builtin(const std::string& name) {
  const auto found = builtins().find(name);
  return found == builtins().end() ? nullptr : &found->second;
}

}  // namespace heddle::kernel::triton
