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

Value Interpreter::slice_list(const List& list, const Node& slice) {
  const Values items = items_of(list);
  const auto count = static_cast<std::int64_t>(items.size());
  const auto bound = [&](const char* field, std::int64_t otherwise) {
    if (!slice.has(field)) return otherwise;
    const auto number = evaluate(slice.at(field)).number();
    if (!number) return otherwise;
    return std::clamp<std::int64_t>(number->whole < 0 ? number->whole + count : number->whole, 0,
                                    count);
  };
  const std::int64_t from = bound("lower", 0);
  const std::int64_t to = bound("upper", count);
  Values kept;
  for (std::int64_t i = from; i < to; ++i) kept.push_back(items[static_cast<std::size_t>(i)]);
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
  const auto* text = key.as<std::string>();
  if (text == nullptr) return Value{};
  for (const auto& [name, held] : dict)
    if (*text == name) return resolve(held);
  return resolve(Value{Unknown{*text}});
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
  Values items = list.items;
  if (op == "Add" && b.list() != nullptr) {
    items.insert(items.end(), b.list()->items.begin(), b.list()->items.end());
  } else if (op == "Mult" && b.number() && !list.items.empty()) {
    for (std::int64_t i = 1; i < b.number()->whole && items.size() <= Heap::kMostItems; ++i)
      items.insert(items.end(), list.items.begin(), list.items.end());
    if (b.number()->whole < 1) items.clear();
  } else if (op != "Mult") {
    return Value{};
  }
  return heap_.list(std::move(items), list.is_tuple);
}

Value Interpreter::binary(const std::string& op, const Value& a, const Value& b, const Node& node) {
  const TensorPointer first = a.tensor();
  const TensorPointer second = b.tensor();
  if (first != nullptr || second != nullptr) {
    const TensorPointer& like =
        first == nullptr || (second != nullptr && second->shape.size() > first->shape.size())
            ? second
            : first;
    auto result = new_tensor(like->shape, like->dtype, node);
    result->rank_known = like->rank_known;
    return Value{result};
  }
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

Value Interpreter::comprehension(const Node& node) {
  if (node.list("generators").size() != 1) return Value{};
  const Node& generator = node.list("generators").front();
  const Value sequence = evaluate(generator.at("iter"));
  if (sequence.list() == nullptr) return Value{};
  const Values items = sequence.list()->items;
  Values made;
  Dict entries;
  for (const Value& item : items) {
    assign(generator.at("target"), item);
    bool kept = true;
    for (const Node& test : generator.list("ifs"))
      kept = kept && evaluate(test).truth().value_or(true);
    if (!kept) continue;
    if (node.is("DictComp")) {
      const Value key = evaluate(node.at("key"));
      if (const auto* text = key.as<std::string>())
        entries.emplace_back(*text, evaluate(node.at("value")));
    } else {
      made.push_back(evaluate(node.at("elt")));
    }
  }
  return node.is("DictComp") ? heap_.dict(std::move(entries)) : heap_.list(std::move(made), false);
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
    const Value key = evaluate(keys[i]);
    if (const auto* text = key.as<std::string>()) entries.emplace_back(*text, value);
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
