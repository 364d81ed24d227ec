// Expressions: names, operators, attributes, subscripts.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/triton/lowering.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::int64_t kWorkLimit = 10'000'000;
constexpr std::int64_t kUnitsOfExpression = 10;

std::optional<Opcode> arithmetic(const std::string& op) {
  if (op == "Add") return Opcode::add;
  if (op == "Sub") return Opcode::subtract;
  if (op == "Mult") return Opcode::multiply;
  if (op == "Div" || op == "FloorDiv") return Opcode::divide;
  if (op == "Mod") return Opcode::remainder;
  if (op == "BitAnd") return Opcode::bit_and;
  if (op == "BitOr") return Opcode::bit_or;
  if (op == "BitXor") return Opcode::bit_xor;
  if (op == "LShift") return Opcode::shift_left;
  if (op == "RShift") return Opcode::shift_right;
  return std::nullopt;
}

/// Arithmetic of one bit: 1 + 1 is 0.
Opcode one_bit(Opcode op) {
  if (op == Opcode::add || op == Opcode::subtract) return Opcode::bit_xor;
  return op == Opcode::multiply ? Opcode::bit_and : op;
}

std::optional<Opcode> comparison(const std::string& op) {
  if (op == "Eq") return Opcode::equal;
  if (op == "NotEq") return Opcode::not_equal;
  if (op == "Lt") return Opcode::less;
  if (op == "LtE") return Opcode::less_equal;
  if (op == "Gt") return Opcode::greater;
  if (op == "GtE") return Opcode::greater_equal;
  return std::nullopt;
}

Integer integer_from_hex(const std::string& text) {
  Integer result = 0;
  for (const char digit : text.substr(text.find('x') + 1)) {
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    if (result > (Integer{1} << 100)) throw Error("a constant is larger than 2^100", "use less");
    result = result * 16 + value;
  }
  return result;
}

/// "rsqrt" of libdevice_find("rsqrt") and of backend.rsqrt: host code that looks for a function of
/// mathematics.
std::string math_function_found(const Node& value) {
  if (value.is("Attribute") && is_math_function(value.text)) return value.text;
  if (!value.is("Call") || value.list("args").size() != 1) return {};
  const Node& name = value.list("args").front();
  const bool is_text = name.is("Constant") && name.constant == ConstantKind::text;
  return is_text && is_math_function(name.text) ? name.text : std::string();
}

}  // namespace

Term Lowering::constant(const Node& node) {
  switch (node.constant) {
    case ConstantKind::none:
      return Term{None{}};
    case ConstantKind::boolean:
      return Term{!node.text.empty()};
    case ConstantKind::integer:
      return integer_term(integer_from_hex(node.text));
    case ConstantKind::real:
      return Term{node.real};
    case ConstantKind::text:
      return text_term(node.text);
    case ConstantKind::ellipsis:
      return Term{Ellipsis{}};
    case ConstantKind::other:
      break;
  }
  fail(node, "complex numbers and bytes are not supported", "use integers or floats");
}

void Lowering::spend(std::int64_t units, const Node& node) {
  spent_ += units;
  if (spent_ > kWorkLimit)
    throw Error("reading the kernel takes too long: too much is unrolled or inlined",
                "use tl.range instead of tl.static_range, and fewer nested calls")
        .because({Cause::Kind::size})
        .at(frame_ != nullptr ? frame_->module->path : std::string(), node.begin);
}

void Lowering::check_depth(const Node& node) {
  if (depth_ > kDepthLimit)
    fail(node, "calls, statements or expressions are nested too deeply", "is it recursive?");
}

Term Lowering::expression(const Node& node) {
  const Level level(depth_);
  check_depth(node);
  spend(kUnitsOfExpression, node);
  const std::int32_t place_before = builder_ != nullptr ? builder_->place() : 0;
  try {
    if (builder_ != nullptr && !node.is("Name") && !node.is("Constant"))
      builder_->set_place(place(node));
    Term result;
    if (node.is("Name")) {
      result = name(node);
    } else if (node.is("Constant")) {
      result = constant(node);
    } else if (node.is("BinOp")) {
      const Term a = expression(node.at("left"));
      const Term b = expression(node.at("right"));
      if (builder_ != nullptr) builder_->set_place(place(node));
      result = binary(node.text, a, b);
    } else if (node.is("UnaryOp")) {
      result = unary(node);
    } else if (node.is("BoolOp")) {
      result = boolean(node);
    } else if (node.is("Compare")) {
      result = comparison_chain(node);
    } else if (node.is("Call")) {
      result = call(node);
    } else if (node.is("Attribute")) {
      result = attribute_expression(node);
    } else if (node.is("Subscript")) {
      result = subscript(node);
    } else if (node.is("IfExp")) {
      result = conditional(node);
    } else {
      result = other_expression(node);
    }
    if (builder_ != nullptr) builder_->set_place(place_before);
    return result;
  } catch (const Error& error) {
    if (error.source().empty() && frame_ != nullptr)
      throw error.at(frame_->module->path, node.begin);
    throw;
  }
}

/// backend.rsqrt, where host code finds the module: which one it is makes no difference.
Term Lowering::attribute_expression(const Node& node) {
  const Node& owner = node.at("value");
  const bool is_global = owner.is("Name") && frame_->names.count(owner.text) == 0;
  const std::string function = is_global ? math_function_found(node) : std::string();
  if (function.empty()) return attribute(expression(owner), node.text, node);
  try {
    return attribute(expression(owner), node.text, node);
  } catch (const Error&) {
    return Term{ExternalTerm{"triton.language.math." + function}};
  }
}

Term Lowering::other_expression(const Node& node) {
  if (node.is("Tuple") || node.is("List") || node.is("Set")) return sequence(node);
  if (node.is("Dict")) return dictionary(node);
  if (node.is("ListComp") || node.is("GeneratorExp")) return comprehension(node);
  if (node.is("JoinedStr")) {
    std::string text;
    for (const Node& part : node.list("values")) {
      const Term term = expression(part.is("FormattedValue") ? part.at("value") : part);
      text += term.text() != nullptr ? *term.text() : describe(term);
    }
    return text_term(text);
  }
  if (node.is("Lambda")) return Term{FunctionTerm{frame_->module, &node}};
  if (node.is("Slice")) {
    SliceTerm slice;
    for (const char* part : {"lower", "upper", "step"})
      slice.bounds.push_back(node.has(part) ? expression(node.at(part)) : Term{None{}});
    return Term{std::make_shared<const SliceTerm>(std::move(slice))};
  }
  if (node.is("NamedExpr")) {
    const Term result = expression(node.at("value"));
    assign(node.at("target"), result);
    return result;
  }
  if (node.is(kTooDeep))
    fail(node, "this is nested too deeply to be read", "give parts of it names of their own");
  fail(node, fmt::format("{} is not supported", node.kind),
       "docs/triton.md lists what heddle reads of Triton");
}

Term Lowering::comparison_chain(const Node& node) {
  const std::vector<std::string_view> operators = split(node.text, ' ');
  Term left = expression(node.at("left"));
  std::optional<Term> all;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Term right = expression(node.list("comparators").at(i));
    const Term one = compare(std::string(operators[i]), left, right);
    all = all ? binary("BitAnd", *all, one) : one;
    left = right;
  }
  return *all;
}

Term Lowering::evaluate_constant(const Module& module, const Node& node) {
  Frame frame;
  frame.module = &module;
  frame.function = "<module>";
  Frame* before = frame_;
  Builder* builder = builder_;
  frame_ = &frame;
  builder_ = nullptr;
  struct Restore {
    Lowering& lowering;
    Frame* frame;
    Builder* builder;
    ~Restore() {
      lowering.frame_ = frame;
      lowering.builder_ = builder;
    }
  } restore{*this, before, builder};
  return expression(node);
}

Term Lowering::name(const Node& node) {
  const auto local = frame_->names.find(node.text);
  if (local != frame_->names.end()) return local->second;
  const auto unknown = frame_->unknown.find(node.text);
  if (unknown != frame_->unknown.end())
    fail(node,
         fmt::format("the default of the parameter '{}' is not known: {}", node.text,
                     unknown->second),
         fmt::format("set {} in the job", node.text));
  return module_name(*frame_->module, node.text, node);
}

Term Lowering::module_name(const Module& module, const std::string& name, const Node& node) {
  const auto known = constants_.find({&module, name});
  if (known != constants_.end()) return known->second;
  const auto function = module.functions.find(name);
  if (function != module.functions.end()) return Term{FunctionTerm{&module, function->second}};
  const Level level(depth_);  // files may import a name from each other for ever
  if (depth_ > kDepthLimit)
    fail(node, fmt::format("the name '{}' is imported in a circle", name), "define it in one file");
  const auto global = module.constants.find(name);
  if (global != module.constants.end()) {
    if (!being_evaluated_.insert({&module, name}).second)
      fail(node, fmt::format("the global '{}' is defined by itself", name),
           fmt::format("set {} under [constexprs] in the job", name));
    try {
      const Term value = evaluate_constant(module, *global->second);
      being_evaluated_.erase({&module, name});
      return constants_[{&module, name}] = value;
    } catch (const Error& error) {
      being_evaluated_.erase({&module, name});
      if (const std::string found = math_function_found(*global->second); !found.empty())
        return constants_[{&module, name}] = Term{ExternalTerm{"triton.language.math." + found}};
      if (builder_ == nullptr) throw;
      fail(node,
           fmt::format("the value of the global '{}' is not known: {}", name, error.message()),
           fmt::format("set {} under [constexprs] in the job", name));
    }
  }
  const auto import = module.imports.find(name);
  if (import != module.imports.end()) return imported_name(module, import->second, node);
  if (name == "__file__") return text_term(module.path);
  for (const std::string& star : module.stars)
    if (const Module* file = source_.imported(module, star); file != nullptr && file->has(name))
      return module_name(*file, name, node);
  static const std::vector<std::string> kPython = {
      "min",   "max",   "abs",   "len", "range", "int",     "float",    "bool", "isinstance",
      "print", "tuple", "list",  "sum", "str",   "getattr", "hasattr",  "zip",  "enumerate",
      "any",   "all",   "round", "set", "dict",  "filter",  "reversed", "type", "slice"};
  for (const std::string& python : kPython)
    if (python == name) return Term{ExternalTerm{"builtins." + name}};
  fail(node, fmt::format("the name '{}' is not defined", name),
       "define it in the kernel file, or set it under [constexprs] in the job");
}

Term Lowering::imported_name(const Module& module, const std::string& path, const Node& node) {
  const std::size_t dot = path.rfind('.');
  if (dot != std::string::npos && path.find_first_not_of('.') != std::string::npos) {
    const std::string name = path.substr(dot + 1);
    // The dots of a relative import belong to the package: ".name" is name of ".".
    const bool is_relative = path.find_first_not_of('.') == dot + 1;
    const Module* file = source_.imported(module, path.substr(0, is_relative ? dot + 1 : dot));
    if (file == &module) file = nullptr;  // a package that imports its own module by its full name
    if (file != nullptr && file->has(name)) return module_name(*file, name, node);
    if (source_.imported(module, path) != nullptr) return Term{ExternalTerm{path}};
    if (file != nullptr && !is_relative) return module_name(*file, name, node);
  }
  // Projects hand Triton on through modules of their own: from project.compat import tl, triton.
  const std::string last = path.substr(dot == std::string::npos ? 0 : dot + 1);
  if (last == "tl") return Term{ExternalTerm{"triton.language"}};
  if (last == "triton") return Term{ExternalTerm{"triton"}};
  return Term{ExternalTerm{path}};
}

Term Lowering::unary(const Node& node) {
  const Term operand = expression(node.at("operand"));
  const std::string& op = node.text;
  if (op == "Not") {
    if (const auto truth = known_truth(operand)) return Term{!*truth};
    return runtime(builder().unary(Opcode::bit_not, builder().truth(value(operand))));
  }
  if (operand.is_number()) {
    if (op == "UAdd") return operand;
    const auto result =
        config::python_unary(op == "USub" ? "-" : "~", *known_number(operand), config::k100Bits);
    if (result && std::holds_alternative<double>(*result)) return Term{std::get<double>(*result)};
    if (result) return integer_term(std::get<Integer>(*result));
  }
  if (!operand.is_runtime())
    fail(node, fmt::format("{} of {} is not possible", op, describe(operand)), "use a number");
  const ValueId id = value(operand);
  if (op == "UAdd") return operand;
  // In arithmetic of one bit 0 - x is x.
  if (op == "USub" && builder().type(id).element == DType::boolean && !builder().type(id).pointer)
    return operand;
  return runtime(builder().unary(op == "USub" ? Opcode::negate : Opcode::bit_not, id));
}

std::optional<bool> Lowering::known_truth(const Term& term) {
  if (term.is_none()) return false;
  if (term.as<Integer>() != nullptr) note_decision(Opcode::not_equal, term, integer_term(0));
  if (const auto real = term.real()) return *real != 0;
  if (const auto* text = term.text()) return !text->empty();
  if (const auto* tuple = term.tuple()) return !tuple->items.empty();
  if (const auto* dict = term.dict()) return !dict->items.empty();
  if (const auto* external = term.as<ExternalTerm>(); external != nullptr && !external->is_known())
    throw Error(fmt::format("'{}' is not in this file, nor in one beside it", external->path),
                "set the name it is given under [constexprs] in the job");
  if (const auto* run_time = term.as<RuntimeValue>()) {
    if (builder_ == nullptr) return std::nullopt;
    if (const auto known = builder_->known(run_time->id)) {
      if (builder_->type(run_time->id).element != DType::boolean)
        note_decision(Opcode::not_equal, *known, integer_term(0));
      return *known->real() != 0;
    }
    return std::nullopt;
  }
  return true;
}

/// `a and b and c`: the part that settled it, or this many where none did.
constexpr int kAllParts = 1 << 20;

Term Lowering::boolean(const Node& node) {
  const bool is_and = node.text == "And";
  std::vector<Term> open;  // those that are not known before the launch
  Term last;
  Integer parts = 0;
  for (const Node& part : node.list("values")) {
    last = expression(part);
    ++parts;
    // Only what is known before the launch ends it early; all other parts are computed.
    const auto truth = last.is_runtime() ? std::nullopt : known_truth(last);
    if (truth) {
      if (*truth == is_and) continue;
      note_decision(Opcode::less, integer_term(parts), integer_term(kAllParts));
      return last;
    }
    open.push_back(last);
  }
  if (open.empty()) note_decision(Opcode::less, integer_term(kAllParts), integer_term(kAllParts));
  if (open.empty()) return last;
  if (open.size() == 1) return open[0];
  Term result = runtime(builder().truth(value(open[0])));
  for (std::size_t i = 1; i < open.size(); ++i)
    result = binary(is_and ? "BitAnd" : "BitOr", result, runtime(builder().truth(value(open[i]))));
  return result;
}

Term Lowering::conditional(const Node& node) {
  const Term condition = expression(node.at("test"));
  if (const auto truth = known_truth(condition))
    return expression(node.at(*truth ? "body" : "orelse"));
  const ValueId chosen = scalar_condition(condition);
  const BlockId outside = builder().block();
  const BlockId yes = builder().new_block();
  const BlockId no = builder().new_block();
  ++frame_->regions;
  builder().set_block(yes);
  const Term a = expression(node.at("body"));
  const BlockId yes_end = builder().block();
  builder().set_block(no);
  const Term b = expression(node.at("orelse"));
  const BlockId no_end = builder().block();
  --frame_->regions;
  const Term result = merged(a, yes_end, b, no_end, node);
  builder().set_block(outside);
  Instruction& branch = builder().emit_plain(Opcode::if_else, {chosen});
  branch.body = yes;
  branch.other = no;
  return result;
}

Term Lowering::pointer_binary(const std::string& op, const Term& a, const Term& b) {
  const ValueId value_a = value(a);
  const ValueId value_b = value(b);
  const bool pointer_a = builder().type(value_a).pointer;
  const bool pointer_b = builder().type(value_b).pointer;
  if (pointer_a && pointer_b) {
    if (op != "Sub") throw Error("pointers cannot be added", "add an offset to a pointer");
    const ValueId difference =
        builder().binary(Opcode::subtract, builder().cast(value_a, DType::int64),
                         builder().cast(value_b, DType::int64), DType::int64);
    const int width = config::byte_width(builder().type(value_a).element);
    return runtime(builder().binary(Opcode::divide, difference,
                                    builder().constant(DType::int64, Integer{width}),
                                    DType::int64));
  }
  const ValueId pointer = pointer_a ? value_a : value_b;
  ValueId offset = pointer_a ? value_b : value_a;
  if (!config::is_integer(builder().type(offset).element))
    throw not_integer("the offset of a pointer must be an integer",
                      "cast it, e.g. with .to(tl.int32)", {offset});
  const bool one_bit = builder().type(offset).element == DType::boolean;
  if (op == "Sub" && pointer_a)
    offset = one_bit ? offset : builder().unary(Opcode::negate, offset);
  else if (op != "Add")
    throw Error("only + and - work on pointers", "compute the offset first");
  return runtime(builder().add_pointer(pointer, offset));
}

void Lowering::note_decision(Opcode op, const Term& a, const Term& b) {
  if (builder_ != nullptr && a.integer() && b.integer())
    builder_->note_decision(op, *a.integer(), *b.integer());
}

Term Lowering::binary(const std::string& op, const Term& a, const Term& b) {
  if (const auto known = python_binary(op, a, b)) {
    if (const auto opcode = arithmetic(op)) note_decision(*opcode, a, b);
    return *known;
  }
  if (!(a.is_runtime() || a.is_number()) || !(b.is_runtime() || b.is_number()))
    throw Error(fmt::format("{} of {} and {} is not possible", op, describe(a), describe(b)),
                "use numbers, scalars or blocks")
        .because(cause_of({a, b}));
  if (builder().type(value(a)).pointer || builder().type(value(b)).pointer)
    return pointer_binary(op, a, b);
  if (op == "Pow") {
    auto [base, exponent] = promoted_pair(a, b, false);
    builder().match_ranks(base, exponent);
    return runtime(builder().emit(
        Opcode::math, {base, exponent},
        Type{builder().type(base).element, false, builder().joint_shape(base, exponent)},
        {static_cast<std::int64_t>(MathFunction::power)}));
  }
  const auto opcode = arithmetic(op);
  if (!opcode)
    throw Error(fmt::format("the operator {} is not supported", op), "write it otherwise");
  const bool division = op == "Div" || op == "FloorDiv" || op == "Mod";
  auto [left, right] = promoted_pair(a, b, division);
  DType type = builder().type(left).element;
  if (op == "Div" && config::is_integer(type)) type = DType::float32;
  if (op == "FloorDiv" && config::is_float(type))
    throw not_integer("// works on integers only", "use / and floor", {left, right});
  const bool bitwise = op.rfind("Bit", 0) == 0 || op == "LShift" || op == "RShift";
  if (bitwise && config::is_float(type))
    throw not_integer("bitwise operators work on integers only", "cast it to an integer",
                      {left, right});
  return runtime(
      builder().binary(type == DType::boolean ? one_bit(*opcode) : *opcode, left, right, type));
}

Term Lowering::compare(const std::string& op, const Term& a, const Term& b) {
  const auto opcode = comparison(op);
  if (const auto known = python_compare(op, a, b)) {
    if (opcode) note_decision(*opcode, a, b);
    return Term{*known};
  }
  if (!opcode || !(a.is_runtime() || b.is_runtime()))
    throw Error(fmt::format("{} and {} cannot be compared with {}", describe(a), describe(b), op),
                "compare numbers, scalars or blocks")
        .because(cause_of({a, b}));
  ValueId left = value(a);
  ValueId right = value(b);
  if (builder().type(left).pointer || builder().type(right).pointer) {
    left = builder().cast(left, DType::int64);
    right = builder().cast(right, DType::int64);
  } else {
    std::tie(left, right) = promoted_pair(a, b, false);
  }
  return runtime(builder().compare(*opcode, left, right));
}

}  // namespace heddle::kernel::triton
