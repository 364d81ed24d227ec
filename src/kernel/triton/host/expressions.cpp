// Expressions of host code.
#include <algorithm>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/tensor_calls.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostText = 256;

}  // namespace

Value Interpreter::evaluate_in(const Module& module, const Node& node) {
  const std::shared_ptr<Scope> outside = scope_;
  scope_ = heap_.scope();
  scope_->module = &module;
  const Value result = evaluate(node);
  scope_ = outside;
  return result;
}

Value Interpreter::evaluate(const Node& node) {
  spend(1);
  if (is_spent() || depth_ > kDepthLimit) return Value{};
  ++depth_;
  Value result;
  if (node.is("Name")) {
    result = name(node);
  } else if (node.is("Constant")) {
    result = constant(node);
  } else if (node.is("Attribute")) {
    result = attribute(evaluate(node.at("value")), node.text, node);
  } else if (node.is("Subscript")) {
    result = subscript(node);
  } else if (node.is("Call")) {
    result = call(node);
  } else if (node.is("BinOp")) {
    const Value left = evaluate(node.at("left"));
    result = binary(node.text, left, evaluate(node.at("right")), node);
  } else if (node.is("BoolOp")) {
    result = boolean(node);
  } else {
    result = other_expression(node);
  }
  --depth_;
  return result;
}

Value Interpreter::constant(const Node& node) {
  switch (node.constant) {
    case ConstantKind::none:
      return Value{Missing{}};
    case ConstantKind::boolean:
      return Value{!node.text.empty()};
    case ConstantKind::integer:
      // In hexadecimal; what does not fit 64 bits is not known.
      if (node.text.size() > 15) return Value{};
      return Value{
          Number::of(static_cast<std::int64_t>(std::strtoll(node.text.c_str(), nullptr, 16)))};
    case ConstantKind::real:
      return Value{Number::of_real(node.real)};
    case ConstantKind::text:
      return node.text.size() > kMostText ? Value{} : Value{node.text};
    default:
      return Value{};
  }
}

Values Interpreter::items_of(const List& list) {
  if (list.shape_of == nullptr) return list.items;
  axis(list.shape_of, -1);
  Values items;
  for (const Number& extent : list.shape_of->shape) items.push_back(Value{extent});
  return items;
}

/// A list that was a shape becomes one by itself, since it is changed.
void Interpreter::make_plain(List& list) {
  list.items = items_of(list);
  list.shape_of = nullptr;
}

Value Interpreter::slice_list(const List& list, const Node& slice) {
  const Values items = items_of(list);
  const auto step = slice.has("step") ? evaluate(slice.at("step")).number() : Number::of(1);
  if (!step || step->is_real || step->whole == 0) return Value{};
  const auto count = static_cast<std::int64_t>(items.size());
  const bool is_forward = step->whole > 0;
  const std::int64_t first = is_forward ? 0 : -1;
  const std::int64_t last = is_forward ? count : count - 1;
  bool is_known = true;
  const auto bound = [&](const char* field, std::int64_t otherwise) {
    if (!slice.has(field)) return otherwise;
    const Value given = evaluate(slice.at(field));
    if (given.is_none()) return otherwise;
    const auto number = given.number();
    is_known = is_known && number.has_value();
    if (!number) return otherwise;
    return std::clamp(number->whole + (number->whole < 0 ? count : 0), first, last);
  };
  const std::int64_t from = bound("lower", is_forward ? first : last);
  const std::int64_t to = bound("upper", is_forward ? last : first);
  if (!is_known) return Value{};
  const std::int64_t stride = std::clamp<std::int64_t>(step->whole, -count - 1, count + 1);
  Values kept;
  for (std::int64_t i = from; is_forward ? i < to : i > to; i += stride)
    kept.push_back(items[static_cast<std::size_t>(i)]);
  return heap_.list(std::move(kept), list.is_tuple);
}

Value Interpreter::list_item(const List& list, const Node& slice) {
  if (slice.is("Slice")) return slice_list(list, slice);
  const auto index = evaluate(slice).number();
  if (!index) return Value{};
  if (list.shape_of != nullptr)
    return Value{
        axis(list.shape_of, static_cast<int>(std::clamp<std::int64_t>(index->whole, -9, 9)))};
  const auto count = static_cast<std::int64_t>(list.items.size());
  const std::int64_t at = index->whole < 0 ? index->whole + count : index->whole;
  return at >= 0 && at < count ? list.items[static_cast<std::size_t>(at)] : Value{};
}

Value Interpreter::dict_item(const Dict& dict, const Value& key) {
  const auto text = key_text(key);
  if (!text) return Value{};
  for (const auto& [name, held] : dict)
    if (*text == name) return resolve(held);
  const auto* name = key.as<std::string>();
  return name == nullptr ? Value{} : resolve(Value{Unknown{*name}});
}

Value Interpreter::subscript(const Node& node) {
  const Value value = evaluate(node.at("value"));
  const Node& slice = node.at("slice");
  const auto* function = value.as<Function>();
  if (function != nullptr && function->definition == &kernel_)
    return Value{Launcher{*function, heap_.box(evaluate(slice))}};
  // Imported from where it cannot be followed to: the name says that it is the kernel.
  if (const auto* external = value.as<External>();
      external != nullptr && last_part(external->path) == kernel_.text)
    return Value{Launcher{Function{&source_.main(), &kernel_, nullptr, nullptr},
                          heap_.box(evaluate(slice))}};
  if (const List* list = value.list()) return list_item(*list, slice);
  if (const Dict* dict = value.dict()) return dict_item(*dict, evaluate(slice));
  if (const TensorPointer tensor = value.tensor())
    return TensorCalls(*this, node).indexed(tensor, slice);
  const Value key = evaluate(slice);
  if (const auto* unknown = value.as<Unknown>(); unknown != nullptr && !unknown->key.empty())
    if (const auto* text = key.as<std::string>())
      return resolve(Value{Unknown{member_path(unknown->key, *text)}});
  return Value{};
}

Value Interpreter::binary_lists(const std::string& op, const Value& a, const Value& b) {
  const List& list = *a.list();
  const Values own = items_of(list);
  Values items = own;
  if (op == "Add" && b.list() != nullptr) {
    const Values more = items_of(*b.list());
    items.insert(items.end(), more.begin(), more.end());
  } else if (op == "Mult" && b.number()) {
    for (std::int64_t i = 1;
         i < b.number()->whole && !own.empty() && items.size() <= Heap::kMostItems; ++i)
      items.insert(items.end(), own.begin(), own.end());
    if (b.number()->whole < 1) items.clear();
  } else {
    return Value{};
  }
  return heap_.list(std::move(items), list.is_tuple);
}

Value Interpreter::binary(const std::string& op, const Value& a, const Value& b, const Node& node) {
  const TensorPointer first = a.tensor();
  const TensorPointer second = b.tensor();
  if (first != nullptr || second != nullptr)
    return TensorCalls(*this, node).combined(op, first, second);
  if (const auto* x = a.as<std::string>(), *y = b.as<std::string>(); x != nullptr && y != nullptr)
    return op == "Add" && x->size() + y->size() < kMostText ? Value{*x + *y} : Value{};
  if (a.list() != nullptr) return binary_lists(op, a, b);
  const auto as_number = [&](const Value& value) -> std::optional<Number> {
    if (value.is_unknown() && !value.as<Unknown>()->key.empty()) {
      learn_number(value);
      return resolve(value).number();
    }
    return value.number();
  };
  const auto x = as_number(a);
  const auto y = as_number(b);
  if (!x || !y) return Value{};
  const auto result = operate(op, *x, *y);
  if (op == "FloorDiv" && result && result->whole == 0) assume_quotient(*x, *y);
  return result ? Value{*result} : Value{};
}

Value Interpreter::unary(const Node& node) {
  const Value value = evaluate(node.at("operand"));
  if (node.text == "Not") {
    const auto truth = value.truth();
    return truth ? Value{!*truth} : Value{};
  }
  const auto number = value.number();
  if (number && node.text == "USub")
    return binary("Sub", Value{Number::of(0)}, Value{*number}, node);
  if (number && node.text == "Invert" && !number->is_real)
    return binary("Sub", Value{Number::of(-1)}, Value{*number}, node);
  return value.tensor() != nullptr || node.text == "UAdd" ? value : Value{};
}

Value Interpreter::boolean(const Node& node) {
  const bool is_and = node.text == "And";
  Value last;
  bool is_sure = true;
  for (const Node& one : node.list("values")) {
    last = evaluate(one);
    const auto truth = last.truth();
    if (truth && *truth != is_and) return last;
    is_sure = is_sure && truth.has_value();
  }
  return is_sure ? last : Value{};
}

Value Interpreter::comparison(const Node& node) {
  Value left = evaluate(node.at("left"));
  const std::vector<std::string_view> ops = split(node.text, ' ');
  const auto& rights = node.list("comparators");
  for (std::size_t i = 0; i < rights.size() && i < ops.size(); ++i) {
    const Value right = evaluate(rights[i]);
    const auto truth = compare(std::string(ops[i]), left, right);
    if (!truth) return Value{};
    if (!*truth) return Value{false};
    left = right;
  }
  return Value{true};
}

/// Its names are its own: those outside keep their values.
Value Interpreter::comprehension(const Node& node) {
  const std::shared_ptr<Scope> outside = scope_;
  scope_ = heap_.scope();
  scope_->module = outside->module;
  scope_->owner = outside->owner;
  scope_->outer = outside;
  Comprehended made;
  comprehend(node, 0, made);
  scope_ = outside;
  if (!made.is_known) return Value{};
  return node.is("DictComp") ? heap_.dict(std::move(made.entries))
                             : heap_.list(std::move(made.items), false);
}

/// The loops of a comprehension from one on.
void Interpreter::comprehend(const Node& node, std::size_t level, Comprehended& made) {
  const auto& generators = node.list("generators");
  if (is_spent() || std::max(made.items.size(), made.entries.size()) > Heap::kMostItems)
    made.is_known = false;
  if (!made.is_known) return;
  if (level == generators.size()) {
    if (!node.is("DictComp")) {
      made.items.push_back(evaluate(node.at("elt")));
    } else if (const auto key = key_text(evaluate(node.at("key")))) {
      made.entries.emplace_back(*key, evaluate(node.at("value")));
    }
    return;
  }
  const Node& generator = generators[level];
  const Value sequence = evaluate(generator.at("iter"));
  made.is_known = sequence.list() != nullptr;
  if (!made.is_known) return;
  for (const Value& item : items_of(*sequence.list())) {
    assign(generator.at("target"), item);
    const bool kept = std::ranges::all_of(generator.list("ifs"), [&](const Node& test) {
      return evaluate(test).truth().value_or(true);
    });
    if (kept) comprehend(node, level + 1, made);
  }
}

Value Interpreter::sequence(const Node& node) {
  Values items;
  for (const Node& one : node.list("elts")) {
    if (items.size() > Heap::kMostItems) return Value{};
    if (one.is("Starred")) {
      const Value spread = evaluate(one.at("value"));
      if (spread.list() == nullptr) continue;
      const Values more = items_of(*spread.list());
      items.insert(items.end(), more.begin(), more.end());
      continue;
    }
    items.push_back(evaluate(one));
  }
  return heap_.list(std::move(items), node.is("Tuple"));
}

Value Interpreter::mapping(const Node& node) {
  Dict entries;
  const auto& keys = node.list("keys");
  const auto& values = node.list("values");
  for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
    if (entries.size() > Heap::kMostItems) return Value{};
    const Value value = evaluate(values[i]);
    if (keys[i].is("Absent")) {
      if (value.dict() != nullptr)
        entries.insert(entries.end(), value.dict()->begin(), value.dict()->end());
      continue;
    }
    if (const auto key = key_text(evaluate(keys[i]))) entries.emplace_back(*key, value);
  }
  return heap_.dict(std::move(entries));
}

Value Interpreter::other_expression(const Node& node) {
  if (node.is("Tuple") || node.is("List") || node.is("Set")) return sequence(node);
  if (node.is("Dict")) return mapping(node);
  if (node.is("Compare")) return comparison(node);
  if (node.is("IfExp")) {
    const auto truth = evaluate(node.at("test")).truth();
    if (!truth) choose(node, true);
    return evaluate(node.at(truth.value_or(true) ? "body" : "orelse"));
  }
  if (node.is("UnaryOp")) return unary(node);
  if (node.is("Lambda")) return Value{Function{scope_->module, &node, scope_, nullptr}};
  if (node.is("ListComp") || node.is("GeneratorExp") || node.is("DictComp") || node.is("SetComp"))
    return comprehension(node);
  if (node.is("NamedExpr")) {
    const Value value = evaluate(node.at("value"));
    assign(node.at("target"), value);
    return value;
  }
  return Value{};
}

}  // namespace heddle::kernel::triton::host
