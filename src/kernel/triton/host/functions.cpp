// Functions of Python, Triton and PyTorch that host code calls, but for those that make tensors.
#include <algorithm>
#include <cmath>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/tensor_calls.h"
#include "kernel/triton/lowering.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

std::optional<Term> term_of(const Value& value) {
  if (value.is_none()) return Term{None{}};
  if (const auto* flag = value.as<bool>()) return Term{*flag};
  if (const auto* number = value.as<Number>())
    return number->is_real ? Term{number->real} : integer_term(number->whole);
  if (const auto* text = value.as<std::string>()) return text_term(*text);
  if (const auto* type = value.as<DTypeName>())
    if (const auto known = config::dtype_from_text(type->name))
      return Term{TypeTerm{Type{*known, false, {}}}};
  return std::nullopt;
}

Value value_of(Heap& heap, const Term& term) {
  if (term.is_none()) return Value{Missing{}};
  if (const auto* flag = term.as<bool>()) return Value{*flag};
  if (const auto* integer = term.as<Integer>())
    return fits(*integer, DType::int64) ? Value{Number::of(static_cast<std::int64_t>(*integer))}
                                        : Value{};
  if (const auto* real = term.as<double>()) return Value{Number::of_real(*real)};
  if (const auto* text = term.text()) return Value{*text};
  if (const auto* tuple = term.tuple()) {
    Values items;
    for (const Term& item : tuple->items) items.push_back(value_of(heap, item));
    if (tuple->names.empty()) return heap.list(std::move(items));
    const auto object = heap.object();
    for (std::size_t i = 0; i < items.size() && i < tuple->names.size(); ++i)
      object->attributes[tuple->names[i]] = items[i];
    return Value{object};
  }
  return Value{};
}

bool is_ceiling(const std::string& name) {
  return name == "cdiv" || name == "ceil_div" || name == "ceildiv" || name == "div_up";
}

Value least_or_most(const std::string& name, const std::vector<Number>& numbers) {
  Number best = numbers.front();
  for (const Number& one : numbers)
    if (name == "min" ? one.value() < best.value() : one.value() > best.value()) best = one;
  return Value{numbers.size() == 1 ? best : call_text(name, numbers, best.value(), best.is_real)};
}

/// int, abs, float
std::optional<Value> converted(const std::string& name, const Number& number) {
  if (name == "int" && !number.is_real) return Value{number};
  const double value = name == "abs"   ? std::abs(number.value())
                       : name == "int" ? std::trunc(number.value())
                                       : number.value();
  const bool is_real = name == "float" || (name == "abs" && number.is_real);
  if (!is_real && !(std::abs(value) <= 4e18)) return std::nullopt;
  return Value{call_text(name, {number}, value, is_real)};
}

/// In ascending order; nothing where an item is not a number.
std::optional<Values> sorted(Values items) {
  if (!std::ranges::all_of(items, [](const Value& one) { return one.number().has_value(); }))
    return std::nullopt;
  std::ranges::stable_sort(items, {}, [](const Value& one) { return one.number()->value(); });
  return items;
}

/// any, all
std::optional<bool> joined(const std::string& name, const Values& items) {
  const bool is_all = name == "all";
  bool is_sure = true;
  for (const Value& one : items) {
    const auto truth = one.truth();
    if (truth && *truth != is_all) return !is_all;
    is_sure = is_sure && truth.has_value();
  }
  return is_sure ? std::optional(is_all) : std::nullopt;
}

}  // namespace

/// The arguments as numbers; unknowns among them are numbers from now on.
std::optional<std::vector<Number>> Interpreter::numbers_of(const std::string& name,
                                                           const Values& positional) {
  const bool takes_list = name == "min" || name == "max" || name == "sum" || name == "prod";
  const bool is_list = takes_list && positional.size() == 1 && positional[0].list() != nullptr;
  std::vector<Number> numbers;
  for (const Value& one : is_list ? items_of(*positional[0].list()) : positional) {
    Value value = one;
    if (value.is_unknown() && !value.as<Unknown>()->key.empty()) {
      learn_number(value);
      value = resolve(value);
    }
    const auto number = value.number();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

/// What only whole numbers can be given: sizes in it whose names say otherwise are whole.
void Interpreter::learn_whole(const Number& number) {
  if (!number.is_real) return;
  for (const auto& [name, value] : used_sizes_)
    if (value.is_real && number.text.find(name) != std::string::npos)
      knowledge_.set_size(name, std::max<std::int64_t>(1, static_cast<std::int64_t>(value.value())),
                          "by its use as a whole number");
}

std::optional<Value> Interpreter::call_numbers(const std::string& name, const Values& positional) {
  static const std::set<std::string> kKnown = {
      "cdiv", "ceil_div", "ceildiv", "div_up", "next_power_of_2", "min", "max", "prod",
      "sum",  "int",      "abs",     "float"};
  if (kKnown.count(name) == 0) return std::nullopt;
  const auto found = numbers_of(name, positional);
  if (!found) return std::nullopt;
  const std::vector<Number>& numbers = *found;
  const Number& first = numbers.front();
  if (is_ceiling(name)) {
    if (numbers.size() != 2 || numbers[1].value() == 0) return std::nullopt;
    return Value{call_text("cdiv", numbers, std::ceil(first.value() / numbers[1].value()), false)};
  }
  if (name == "next_power_of_2") {
    learn_whole(first);
    double power = 1;
    while (power < first.value() && power < 1e18) power *= 2;
    return Value{call_text(name, numbers, power, false)};
  }
  if (name == "min" || name == "max") return least_or_most(name, numbers);
  if (name == "prod") return Value{product(numbers)};
  if (name == "sum") {
    Number total = Number::of(0);
    for (const Number& one : numbers) total = operate("Add", total, one).value_or(total);
    return Value{total};
  }
  return numbers.size() == 1 ? converted(name, first) : std::nullopt;
}

/// Whatever else can be known of numbers and texts, and of the GPU that is asked about.
Value Interpreter::call_lowering(const std::string& path, const Values& positional) {
  std::vector<Term> terms;
  for (const Value& value : positional) {
    const auto term = term_of(value);
    if (!term) return Value{};
    terms.push_back(*term);
  }
  try {
    Lowering lowering(source_, nullptr);
    Frame frame;
    frame.module = scope_->module;
    frame.function = "<host>";
    lowering.set_frame(&frame);
    return value_of(heap_, lowering.call_external(path, std::move(terms), {}, kernel_));
  } catch (const Error&) {
    return Value{};
  }
}

Value Interpreter::range(const Values& positional) {
  constexpr std::size_t kMostTurns = 64;
  std::vector<std::int64_t> bounds;
  for (const Value& one : positional) bounds.push_back(one.number() ? one.number()->whole : 1);
  const std::int64_t to = bounds.size() > 1 ? bounds[1] : bounds[0];
  const std::int64_t step = bounds.size() > 2 && bounds[2] != 0 ? bounds[2] : 1;
  std::int64_t at = bounds.size() > 1 ? bounds[0] : 0;
  Values items;
  while (items.size() <= kMostTurns && (step > 0 ? at < to : at > to)) {
    items.push_back(Value{Number::of(at)});
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return heap_.list(std::move(items), false);
}

/// list, tuple, sorted, reversed, enumerate, zip: of lists, lists.
Value Interpreter::call_sequence(const std::string& name, const Values& positional,
                                 const Dict& keywords) {
  const List* first = positional.front().list();
  if (first == nullptr) return Value{};
  if (name == "tuple" && first->shape_of != nullptr) return positional.front();
  Values items = items_of(*first);
  if (name == "list" || name == "tuple") {
    const Value made = heap_.list(std::move(items), name == "tuple");
    if (made.list() != nullptr) made.list()->shape_of = first->shape_of;
    return made;
  }
  const Value* backwards = argument({}, keywords, 0, "reverse");
  const auto is_backwards = backwards == nullptr ? false : backwards->truth();
  if (name == "sorted") {
    const auto ordered = sorted(std::move(items));
    if (!ordered || !is_backwards || keywords.size() > (backwards != nullptr ? 1 : 0))
      return Value{};
    items = *ordered;
  }
  if (name == "reversed" || (name == "sorted" && is_backwards == true)) std::ranges::reverse(items);
  if (name == "reversed" || name == "sorted") return heap_.list(std::move(items), false);
  return in_rows(name, items, positional);
}

/// enumerate(list), zip(list, list)
Value Interpreter::in_rows(const std::string& name, const Values& items, const Values& positional) {
  std::vector<Values> columns = {items};
  if (name == "enumerate") columns.insert(columns.begin(), Values());
  for (std::size_t i = 1; name == "zip" && i < positional.size(); ++i) {
    if (positional[i].list() == nullptr) return Value{};
    columns.push_back(items_of(*positional[i].list()));
  }
  const auto start = name == "enumerate" && positional.size() > 1 ? positional[1].number()
                                                                  : std::optional(Number::of(0));
  if (!start) return Value{};
  std::size_t count = items.size();
  if (name == "enumerate")
    for (std::size_t i = 0; i < count; ++i)
      columns[0].push_back(Value{Number::of(start->whole + static_cast<std::int64_t>(i))});
  for (const Values& column : columns) count = std::min(count, column.size());
  Values rows;
  for (std::size_t i = 0; i < count; ++i) {
    Values row;
    for (const Values& column : columns) row.push_back(column[i]);
    rows.push_back(heap_.list(std::move(row)));
  }
  return heap_.list(std::move(rows), false);
}

Value Interpreter::call_python(const std::string& name, const Values& positional,
                               const Dict& keywords, const Node& node) {
  if (name == "dict" && (positional.empty() || positional[0].dict() != nullptr)) {
    const Value made = heap_.dict(positional.empty() ? Dict() : *positional[0].dict());
    for (const auto& [key, value] : keywords)
      if (made.dict() != nullptr) heap_.set(*made.dict(), key, value);
    return made;
  }
  if (positional.empty()) return Value{};
  const Value& first = positional.front();
  if (name == "len") return length_of(first, node);
  if (name == "isinstance" && positional.size() == 2) {
    const auto* type = positional[1].as<External>();
    if (type == nullptr || first.is_unknown()) return Value{};
    if (type->path.ends_with(".TensorDescriptor"))
      return Value{first.as<DescriptorOf>() != nullptr};
    return type->path == "torch.Tensor" ? Value{first.tensor() != nullptr} : Value{};
  }
  if (name == "getattr" && positional.size() >= 2 && positional[1].as<std::string>() != nullptr)
    return attribute(first, *positional[1].as<std::string>(), node);
  if (name == "bool") {
    const auto truth = first.truth();
    return truth ? Value{*truth} : Value{};
  }
  if (name == "range") return range(positional);
  if (const auto* text = first.as<std::string>(); name == "int" && text != nullptr) {
    const auto number = parse_integer(*text);
    return number && positional.size() == 1 ? Value{Number::of(*number)} : Value{};
  }
  if ((name == "any" || name == "all") && first.list() != nullptr) {
    const auto truth = joined(name, items_of(*first.list()));
    return truth ? Value{*truth} : Value{};
  }
  static const std::set<std::string> kSequences = {"list",     "tuple",     "sorted",
                                                   "reversed", "enumerate", "zip"};
  return kSequences.count(name) != 0 ? call_sequence(name, positional, keywords) : Value{};
}

Value Interpreter::length_of(const Value& value, const Node& node) {
  if (const List* list = value.list()) {
    if (list->shape_of != nullptr) return tensor_attribute(list->shape_of, "ndim", node);
    return Value{Number::of(static_cast<std::int64_t>(list->items.size()))};
  }
  return value.tensor() != nullptr ? Value{axis(value.tensor(), 0)} : Value{};
}

/// What PyTorch and Triton say of the GPU that is asked about.
std::optional<Value> Interpreter::device_fact(const std::string& path, const std::string& name) {
  const Number units = Number::of(source_.target.compute_units);
  if (name == "is_available" || name == "is_grad_enabled") return Value{true};
  if (name == "current_device") return Value{Number::of(0)};
  if (name == "device_count") return Value{Number::of(1)};
  if (name == "get_device_properties") {
    if (path.find("utils") != std::string::npos)
      return heap_.dict({{"multiprocessor_count", Value{units}},
                         {"max_shared_mem", Value{Number::of(232448)}},
                         {"max_num_regs", Value{Number::of(65536)}},
                         {"warpSize", Value{Number::of(source_.target.wave_lanes)}}});
    const auto object = heap_.object();
    object->key = "gpu";
    object->attributes["multi_processor_count"] = Value{units};
    object->attributes["multiprocessor_count"] = Value{units};
    return Value{object};
  }
  if (name.find("num_sms") != std::string::npos || name.find("sm_count") != std::string::npos ||
      name == "get_num_sm")
    return Value{units};
  return std::nullopt;
}

Value Interpreter::call_external(const std::string& path, const Values& positional,
                                 const Dict& keywords, const Node& node) {
  const std::string name = last_part(path);
  if (auto known = call_numbers(name, positional)) return *known;
  if (path.starts_with("builtins.")) return call_python(name, positional, keywords, node);
  if (path.starts_with("random.")) return Value{};  // a number, where PyTorch gives a tensor
  if (path == "os.environ.get" || path == "os.getenv")
    return positional.size() > 1 ? positional[1] : Value{Missing{}};
  if (path == "dataclasses.field") {
    const Value* held = argument({}, keywords, 0, "default");
    return held == nullptr ? Value{} : *held;
  }
  if (name == "wrap_triton" || name == "partial" || name == "cast")
    return positional.empty() ? Value{} : positional[name == "cast" ? positional.size() - 1 : 0];
  if (auto made = TensorCalls(*this, node).external(name, positional, keywords)) return *made;
  if (auto known = device_fact(path, name)) return *known;
  Values given = positional;
  if (path.starts_with("math."))
    for (Value& one : given) {
      learn_number(one);
      one = resolve(one);
    }
  return call_lowering(path, given);
}

}  // namespace heddle::kernel::triton::host
