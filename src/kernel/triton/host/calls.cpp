#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/tensor_calls.h"
#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostItems = 256;

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

bool takes_nothing(const Function& function) {
  const Node& arguments = function.definition->at("args");
  return arguments.list("args").size() == arguments.list("defaults").size() &&
         !arguments.has("vararg");
}

Value value_of(const Term& term) {
  if (term.is_none()) return Value{Missing{}};
  if (const auto* flag = term.as<bool>()) return Value{*flag};
  if (const auto* integer = term.as<Integer>())
    return fits(*integer, DType::int64) ? Value{Number::of(static_cast<std::int64_t>(*integer))}
                                        : Value{};
  if (const auto* real = term.as<double>()) return Value{Number::of_real(*real)};
  if (const auto* text = term.text()) return Value{*text};
  if (const auto* tuple = term.tuple()) {
    Values items;
    for (const Term& item : tuple->items) items.push_back(value_of(item));
    if (tuple->names.empty()) return list_value(std::move(items));
    auto object = std::make_shared<Object>();
    for (std::size_t i = 0; i < items.size() && i < tuple->names.size(); ++i)
      object->attributes[tuple->names[i]] = items[i];
    return Value{object};
  }
  return Value{};
}

}  // namespace

const Value* argument(const Values& positional, const Dict& keywords, std::size_t index,
                      std::string_view name) {
  for (const auto& [key, value] : keywords)
    if (key == name) return &value;
  return index < positional.size() ? &positional[index] : nullptr;
}

Origin Interpreter::origin_of(const Node& node) const {
  return {scope_ != nullptr && scope_->module != nullptr ? scope_->module->path : std::string(),
          node.begin.line};
}

Value Interpreter::call(const Node& node) {
  const Value function = evaluate(node.at("func"));
  Values positional;
  for (const Node& one : node.list("args")) {
    if (!one.is("Starred")) {
      positional.push_back(evaluate(one));
      continue;
    }
    const Value spread = evaluate(one.at("value"));
    if (spread.list() == nullptr) continue;
    if (spread.list()->shape_of != nullptr) axis(spread.list()->shape_of, -1);
    Values items = spread.list()->items;
    if (spread.list()->shape_of != nullptr) {
      items.clear();
      for (const Number& extent : spread.list()->shape_of->shape) items.push_back(Value{extent});
    }
    positional.insert(positional.end(), items.begin(), items.end());
  }
  Dict keywords;
  for (const Node& one : node.list("keywords")) {
    const Value value = evaluate(one.at("value"));
    if (!one.text.empty()) {
      keywords.emplace_back(one.text, value);
    } else if (value.dict() != nullptr) {
      keywords.insert(keywords.end(), value.dict()->begin(), value.dict()->end());
    }
  }
  return call_value(function, std::move(positional), std::move(keywords), node);
}

Value Interpreter::call_value(const Value& function, Values positional, Dict keywords,
                              const Node& node) {
  if (const auto* launcher = function.as<Launcher>()) {
    record(*launcher, std::move(positional), std::move(keywords), node);
    return Value{};
  }
  if (const auto* known = function.as<Function>()) {
    const bool is_jit =
        known->module != nullptr && known->module->jit.count(known->definition->text) != 0;
    if (is_jit) return Value{};
    return run_function(*known, std::move(positional), std::move(keywords), node);
  }
  if (const auto* made = function.as<ClassName>())
    return make_object(*made, std::move(positional), std::move(keywords), node);
  if (const auto* method = function.as<Method>()) {
    if (const auto* made = method->self->as<ClassName>())
      return apply_autograd(*made, std::move(positional), std::move(keywords), node);
    return call_method(*method, positional, keywords, node);
  }
  // do_bench(lambda: kernel(...)): what is handed on is called.
  for (const Value& one : positional)
    if (const auto* known = one.as<Function>(); known != nullptr && takes_nothing(*known))
      run_function(*known, {}, {}, node);
  if (const auto* external = function.as<External>())
    return call_external(external->path, positional, keywords, node);
  return Value{};
}

Value Interpreter::make_object(const ClassName& made, Values positional, Dict keywords,
                               const Node& node) {
  auto object = std::make_shared<Object>();
  object->module = made.module;
  object->definition = made.definition;
  object->key = made.definition->text;
  const Value value{object};
  if (const Node* init = find_method(*made.module, *made.definition, "__init__"))
    run_function(Function{made.module, init, nullptr, std::make_shared<Value>(value)},
                 std::move(positional), std::move(keywords), node);
  for (const Node& one : made.definition->list("body"))
    if (one.is("AnnAssign") && object->attributes.count(one.at("target").text) == 0) {
      const std::string& name = one.at("target").text;
      const Value* given = argument({}, keywords, 0, name);
      if (given != nullptr) object->attributes[name] = *given;
    }
  return value;
}

Value Interpreter::apply_autograd(const ClassName& made, Values positional, Dict keywords,
                                  const Node& node) {
  const Node* forward = find_method(*made.module, *made.definition, "forward");
  if (forward == nullptr) return Value{};
  auto context = std::make_shared<Object>();
  context->module = made.module;
  context->key = "ctx";
  positional.insert(positional.begin(), Value{context});
  return run_function(Function{made.module, forward, nullptr, nullptr}, std::move(positional),
                      std::move(keywords), node);
}

void Interpreter::record(const Launcher& launcher, Values positional, Dict keywords,
                         const Node& node) {
  constexpr std::size_t kMostLaunches = 16;
  if (launches.size() >= kMostLaunches) return;
  LaunchRecord record;
  record.grid = *launcher.grid;
  record.positional = std::move(positional);
  record.keywords = std::move(keywords);
  record.origin = origin_of(node);
  launches.push_back(std::move(record));
}

Value Interpreter::call_method(const Method& method, const Values& positional, const Dict& keywords,
                               const Node& node) {
  const Value& self = *method.self;
  if (Object* object = self.object(); object != nullptr && method.name == "save_for_backward") {
    object->attributes["saved_tensors"] = list_value(positional);
    return Value{Missing{}};
  }
  if (const TensorPointer tensor = self.tensor())
    return TensorCalls(*this, node).method(tensor, method.name, positional, keywords);
  if (Dict* dict = self.dict()) {
    if (method.name == "get" || method.name == "pop") {
      for (const auto& [name, value] : *dict)
        if (!positional.empty() && positional[0].as<std::string>() != nullptr &&
            *positional[0].as<std::string>() == name)
          return value;
      return positional.size() > 1 ? positional[1] : Value{Missing{}};
    }
    if (method.name == "update") {
      for (const auto& [name, value] : keywords) dict->emplace_back(name, value);
      if (!positional.empty() && positional[0].dict() != nullptr && positional[0].dict() != dict)
        dict->insert(dict->end(), positional[0].dict()->begin(), positional[0].dict()->end());
    }
    if (method.name == "copy") return dict_value(*dict);
    if (method.name == "items" || method.name == "keys" || method.name == "values") {
      Values items;
      for (const auto& [name, value] : *dict)
        items.push_back(method.name == "keys"     ? Value{name}
                        : method.name == "values" ? value
                                                  : list_value({Value{name}, value}));
      return list_value(std::move(items), false);
    }
    return Value{};
  }
  if (const List* list = self.list()) {
    if (method.name == "numel") {
      std::vector<Number> factors;
      for (const Value& item : list->items)
        if (item.number()) factors.push_back(*item.number());
      return Value{product(factors)};
    }
    if (method.name == "append" && !positional.empty() && list->items.size() < kMostItems)
      // A copy of a list: no list holds itself.
      std::get<std::shared_ptr<List>>(method.self->data)
          ->items.push_back(
              positional[0].list() != nullptr
                  ? list_value(positional[0].list()->items, positional[0].list()->is_tuple)
                  : positional[0]);
    return Value{};
  }
  if (const auto* text = self.as<std::string>()) {
    if (method.name == "lower" || method.name == "upper" || method.name == "strip")
      return Value{*text};
    if (method.name == "startswith" && !positional.empty() &&
        positional[0].as<std::string>() != nullptr)
      return Value{text->starts_with(*positional[0].as<std::string>())};
    return Value{};
  }
  if (const auto* type = self.as<DTypeName>()) {
    if (method.name == "is_floating_point") return Value{!type->name.starts_with("int")};
    const auto known = config::dtype_from_text(type->name);
    if (method.name == "itemsize") return Value{Number::of(known ? config::byte_width(*known) : 2)};
  }
  return Value{};
}

std::optional<Value> Interpreter::call_numbers(const std::string& name, const Values& positional) {
  std::vector<Number> numbers;
  Values items = positional;
  if (items.size() == 1 && items[0].list() != nullptr &&
      (name == "min" || name == "max" || name == "sum" || name == "prod"))
    items = Values(items[0].list()->items);
  for (const Value& one : items) {
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
  const Number& first = numbers.front();
  if ((name == "cdiv" || name == "ceil_div" || name == "ceildiv" || name == "div_up") &&
      numbers.size() == 2) {
    if (numbers[1].value() == 0) return std::nullopt;
    return Value{call_text("cdiv", numbers, std::ceil(first.value() / numbers[1].value()), false)};
  }
  if (name == "next_power_of_2" && numbers.size() == 1) {
    double power = 1;
    while (power < first.value() && power < 1e18) power *= 2;
    return Value{call_text(name, numbers, power, false)};
  }
  if (name == "min" || name == "max") {
    Number best = first;
    for (const Number& one : numbers)
      if (name == "min" ? one.value() < best.value() : one.value() > best.value()) best = one;
    return Value{numbers.size() == 1 ? best : call_text(name, numbers, best.value(), best.is_real)};
  }
  if (name == "prod") return Value{product(numbers)};
  if (name == "sum") {
    Number total = Number::of(0);
    for (const Number& one : numbers) total = operate("Add", total, one).value_or(total);
    return Value{total};
  }
  if (name == "int" || name == "abs" || name == "float") {
    const double value = name == "abs"   ? std::abs(first.value())
                         : name == "int" ? std::trunc(first.value())
                                         : first.value();
    if (name == "int" && !first.is_real) return Value{first};
    if (std::abs(value) > 4e18) return std::nullopt;
    return Value{
        call_text(name, numbers, value, name == "float" || (name == "abs" && first.is_real))};
  }
  return std::nullopt;
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
    return value_of(lowering.call_external(path, std::move(terms), {}, kernel_));
  } catch (const Error&) {
    return Value{};
  }
}

Value Interpreter::call_python(const std::string& name, const Values& positional,
                               const Node& node) {
  static_cast<void>(node);
  if (positional.empty()) return name == "dict" ? dict_value() : Value{};
  const Value& first = positional.front();
  if (name == "len") {
    if (first.list() != nullptr && first.list()->shape_of == nullptr)
      return Value{Number::of(static_cast<std::int64_t>(first.list()->items.size()))};
    if (first.list() != nullptr) return tensor_attribute(first.list()->shape_of, "ndim", node);
    if (first.tensor() != nullptr) return Value{axis(first.tensor(), 0)};
    return Value{};
  }
  if (name == "isinstance" && positional.size() == 2) {
    const auto* type = positional[1].as<External>();
    if (type != nullptr && type->path == "torch.Tensor") {
      if (first.tensor() != nullptr) return Value{true};
      if (!first.is_unknown()) return Value{false};
    }
    return Value{};
  }
  if (name == "getattr" && positional.size() >= 2 && positional[1].as<std::string>() != nullptr)
    return attribute(first, *positional[1].as<std::string>(), node);
  if (name == "list" || name == "tuple" || name == "set" || name == "sorted") {
    if (first.list() != nullptr && first.list()->shape_of != nullptr) return first;
    return first.list() != nullptr ? list_value(first.list()->items, name == "tuple") : Value{};
  }
  if (name == "bool") {
    const auto truth = first.truth();
    return truth ? Value{*truth} : Value{};
  }
  if (name == "range") {
    std::vector<std::int64_t> bounds;
    for (const Value& one : positional) bounds.push_back(one.number() ? one.number()->whole : 1);
    const std::int64_t from = bounds.size() > 1 ? bounds[0] : 0;
    const std::int64_t to = bounds.size() > 1 ? bounds[1] : bounds[0];
    const std::int64_t step = bounds.size() > 2 && bounds[2] != 0 ? bounds[2] : 1;
    Values items;
    for (std::int64_t i = from; step > 0 ? i < to : i > to; i += step) {
      items.push_back(Value{Number::of(i)});
      if (items.size() >= 64) break;
    }
    return list_value(std::move(items), false);
  }
  if (name == "enumerate" && first.list() != nullptr) {
    Values items;
    for (const Value& item : first.list()->items)
      items.push_back(
          list_value({Value{Number::of(static_cast<std::int64_t>(items.size()))}, item}));
    return list_value(std::move(items), false);
  }
  if (name == "zip") {
    Values items;
    for (std::size_t i = 0; first.list() != nullptr && i < first.list()->items.size(); ++i) {
      Values row;
      for (const Value& one : positional)
        row.push_back(one.list() != nullptr && i < one.list()->items.size() ? one.list()->items[i]
                                                                            : Value{});
      items.push_back(list_value(std::move(row)));
    }
    return list_value(std::move(items), false);
  }
  return Value{};
}

Value Interpreter::call_external(const std::string& path, const Values& positional,
                                 const Dict& keywords, const Node& node) {
  const std::string name = path.substr(path.rfind('.') + 1);
  if (auto known = call_numbers(name, positional)) return *known;
  if (path.rfind("builtins.", 0) == 0) return call_python(name, positional, node);
  if (name == "wrap_triton" || name == "partial" || name == "cast")
    return positional.empty() ? Value{} : positional[name == "cast" ? positional.size() - 1 : 0];
  if (auto made = TensorCalls(*this, node).external(name, positional, keywords)) return *made;
  if (name == "is_available" || name == "is_grad_enabled") return Value{true};
  if (name == "current_device" || name == "device_count")
    return Value{Number::of(name == "device_count" ? 1 : 0)};
  if (name == "get_device_properties") {
    auto object = std::make_shared<Object>();
    object->key = "gpu";
    const Number units = Number::of(source_.target.vendor == config::Vendor::amd ? 304 : 132);
    object->attributes["multi_processor_count"] = Value{units};
    object->attributes["multiprocessor_count"] = Value{units};
    if (path.find("utils") != std::string::npos)
      return dict_value({{"multiprocessor_count", Value{units}},
                         {"max_shared_mem", Value{Number::of(232448)}},
                         {"max_num_regs", Value{Number::of(65536)}},
                         {"warpSize", Value{Number::of(source_.target.wave_lanes)}}});
    return Value{object};
  }
  if (name.find("num_sms") != std::string::npos || name.find("sm_count") != std::string::npos ||
      name == "get_num_sm")
    return Value{Number::of(source_.target.vendor == config::Vendor::amd ? 304 : 132)};
  return call_lowering(path, positional);
}

}  // namespace heddle::kernel::triton::host
