// Calls of host code: functions, classes, methods, launches.
#include <algorithm>
#include <bit>
#include <utility>

#include "config/dtype.h"
#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/kernel_parameters.h"
#include "kernel/triton/host/tensor_calls.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

bool takes_nothing(const Function& function) {
  const Node& arguments = function.definition->at("args");
  return arguments.list("args").size() == arguments.list("defaults").size() &&
         !arguments.has("vararg");
}

Value call_text_method(const std::string& text, const std::string& name, const Values& positional) {
  const auto* other = positional.empty() ? nullptr : positional[0].as<std::string>();
  if (name == "startswith" && other != nullptr) return Value{text.starts_with(*other)};
  if (name == "endswith" && other != nullptr) return Value{text.ends_with(*other)};
  if (!positional.empty()) return Value{};
  if (name == "lower") return Value{lower_case(text)};
  if (name == "strip") return Value{std::string(trim(text))};
  if (name != "upper") return Value{};
  std::string upper = text;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return Value{upper};
}

/// (n - 1).bit_length()
Value call_number_method(const Number& number, const std::string& name) {
  if (name == "item") return Value{number};
  if (name != "bit_length" || number.is_real || number.whole < 0) return Value{};
  return Value{Number::of(
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(number.whole))))};
}

Value call_dtype_method(const std::string& dtype, const std::string& name) {
  if (name == "is_floating_point") return Value{!dtype.starts_with("int")};
  const auto known = config::dtype_from_text(dtype);
  if (name == "itemsize") return Value{Number::of(known ? config::byte_width(*known) : 2)};
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

namespace {

/// How many of the parameters from that place on the first of several `*x.stride()` is for: the
/// strides of a tensor are called alike, or each tensor has as many. 0: not known.
int strides_of_first(const Launcher& launcher, std::size_t place, std::size_t stars) {
  const std::vector<SignatureEntry> entries = signature(*launcher.kernel.definition);
  std::vector<std::size_t> families;  // how many strides each has
  std::string last;
  std::size_t count = 0;
  for (; place < entries.size() && is_stride_name(entries[place].name); ++place, ++count) {
    const std::string family = family_of_stride(lower_case(entries[place].name));
    if (families.empty() || family != last) families.push_back(0);
    last = family;
    ++families.back();
  }
  if (families.size() == stars) return static_cast<int>(families.front());
  return static_cast<int>(count % stars == 0 ? count / stars : 0);
}

}  // namespace

Value Interpreter::call(const Node& node) {
  const Value function = evaluate(node.at("func"));
  const auto* const launcher = function.as<Launcher>();
  const auto& arguments = node.list("args");
  Values positional;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Node& one = arguments[i];
    if (!one.is("Starred")) {
      positional.push_back(evaluate(one));
      continue;
    }
    const auto next = std::find_if(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                                   arguments.end(), [](const Node& n) { return !n.is("Starred"); });
    const std::ptrdiff_t stars = next - arguments.begin() - static_cast<std::ptrdiff_t>(i);
    asked_strides_ = launcher == nullptr ? 0
                                         : strides_of_first(*launcher, positional.size(),
                                                            static_cast<std::size_t>(stars));
    const Value spread = evaluate(one.at("value"));
    const auto missing = static_cast<std::size_t>(std::exchange(asked_strides_, 0));
    if (spread.list() == nullptr) positional.resize(positional.size() + missing);
    if (spread.list() == nullptr) continue;
    const Values items = items_of(*spread.list());
    spend(items.size());
    positional.insert(positional.end(), items.begin(), items.end());
  }
  Dict keywords;
  for (const Node& one : node.list("keywords")) {
    const Value value = evaluate(one.at("value"));
    if (!one.text.empty()) {
      keywords.emplace_back(one.text, value);
    } else if (value.dict() != nullptr) {
      spend(value.dict()->size());
      keywords.insert(keywords.end(), value.dict()->begin(), value.dict()->end());
    }
  }
  if (is_spent()) return Value{};
  return call_value(function, std::move(positional), std::move(keywords), node);
}

/// Another kernel is launched: the zeros that it is handed are for it to write over.
void Interpreter::forget_zeros(const Node& node, const Values& positional, const Dict& keywords) {
  if (!node.is("Call") || !node.at("func").is("Subscript")) return;
  const auto forget = [](const Value& value) {
    if (const TensorPointer tensor = value.tensor())
      if (tensor->contents == "zeros") tensor->contents.clear();
  };
  for (const Value& value : positional) forget(value);
  for (const auto& [name, value] : keywords) forget(value);
}

Value Interpreter::call_value(const Value& function, Values positional, Dict keywords,
                              const Node& node) {
  if (const auto* launcher = function.as<Launcher>()) {
    record(*launcher, std::move(positional), std::move(keywords), node);
    return Value{};
  }
  forget_zeros(node, positional, keywords);
  if (const auto* known = function.as<Function>()) {
    const bool is_jit =
        known->module != nullptr && known->module->jit.count(known->definition->text) != 0;
    if (is_jit) return Value{};
    return run_function(*known, std::move(positional), std::move(keywords));
  }
  if (const auto* made = function.as<ClassName>())
    return make_object(*made, std::move(positional), std::move(keywords));
  if (const auto* method = function.as<Method>()) {
    if (const auto* made = method->self->as<ClassName>())
      return apply_autograd(*made, std::move(positional), std::move(keywords));
    return call_method(*method, positional, keywords, node);
  }
  // do_bench(lambda: kernel(...)): what is handed on is called.
  for (const Value& one : positional)
    if (const auto* known = one.as<Function>(); known != nullptr && takes_nothing(*known))
      run_function(*known, {}, {});
  if (const auto* external = function.as<External>())
    return call_external(external->path, positional, keywords, node);
  return Value{};
}

Value Interpreter::make_object(const ClassName& made, Values positional, Dict keywords) {
  const auto object = heap_.object();
  object->module = made.module;
  object->definition = made.definition;
  object->key = made.definition->text;
  const Value value{object};
  std::size_t place = 0;
  for (const Node& one : made.definition->list("body"))
    if (one.is("AnnAssign") && one.at("target").is("Name"))
      if (const Value* given = argument(positional, keywords, place++, one.at("target").text))
        object->attributes[one.at("target").text] = *given;
  if (const Node* init = find_method(*made.module, *made.definition, "__init__"))
    run_function(Function{made.module, init, nullptr, heap_.box(value)}, std::move(positional),
                 std::move(keywords));
  return value;
}

Value Interpreter::apply_autograd(const ClassName& made, Values positional, Dict keywords) {
  const Node* forward = find_method(*made.module, *made.definition, "forward");
  if (forward == nullptr) return Value{};
  const auto context = heap_.object();
  context->module = made.module;
  context->key = "ctx";
  positional.insert(positional.begin(), Value{context});
  return run_function(Function{made.module, forward, nullptr, nullptr}, std::move(positional),
                      std::move(keywords));
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

Value Interpreter::call_dict(Dict& dict, const std::string& name, const Values& positional,
                             const Dict& keywords) {
  if (name == "get" || name == "pop") {
    const auto wanted = positional.empty() ? std::nullopt : key_text(positional[0]);
    if (!wanted) return Value{};
    const auto found =
        std::ranges::find_if(dict, [&](const auto& one) { return one.first == *wanted; });
    if (found == dict.end()) return positional.size() > 1 ? positional[1] : Value{Missing{}};
    const Value value = found->second;
    if (name == "pop") dict.erase(found);
    return value;
  }
  if (name == "setdefault" && positional.size() == 2) {
    const Value held = call_dict(dict, "get", {positional[0], Value{}}, {});
    const auto key = key_text(positional[0]);
    if (!held.is_unknown() || !key) return held;
    heap_.set(dict, *key, positional[1]);
    return positional[1];
  }
  if (name == "update") {
    const Dict more = !positional.empty() && positional[0].dict() != nullptr
                          ? Dict(*positional[0].dict())
                          : Dict();
    for (const auto& [key, value] : more) heap_.set(dict, key, value);
    for (const auto& [key, value] : keywords) heap_.set(dict, key, value);
    spend(more.size() * (1 + dict.size() / 16));
    return Value{Missing{}};
  }
  if (name == "copy") return heap_.dict(dict);
  if (name != "items" && name != "keys" && name != "values") return Value{};
  Values items;
  for (const auto& [key, value] : dict)
    items.push_back(name == "keys"     ? key_value(key)
                    : name == "values" ? value
                                       : heap_.list({key_value(key), value}));
  return heap_.list(std::move(items), false);
}

Value Interpreter::call_list(List& list, const std::string& name, const Values& positional) {
  if (name == "numel") {
    std::vector<Number> factors;
    for (const Value& item : items_of(list))
      if (item.number()) factors.push_back(*item.number());
    return Value{product(factors)};
  }
  if (list.is_tuple && list.shape_of == nullptr) return Value{};
  make_plain(list);
  Values& items = list.items;
  const Value* first = positional.empty() ? nullptr : positional.data();
  if (name == "append" && first != nullptr) heap_.append(list, *first);
  if (name == "extend" && first != nullptr && first->list() != nullptr)
    for (const Value& item : items_of(*first->list())) heap_.append(list, item);
  if (name == "reverse") std::ranges::reverse(items);
  if (name == "copy") return heap_.list(items, false);
  if (name != "insert" && name != "pop") return Value{};
  const auto place = first == nullptr ? Number::of(-1) : first->number();
  const auto count = static_cast<std::int64_t>(items.size());
  if (!place) return Value{};
  const std::int64_t at = place->whole + (place->whole < 0 ? count : 0);
  if (name == "insert" && positional.size() == 2 && heap_.append(list, positional[1])) {
    const auto middle = items.begin() + std::clamp<std::int64_t>(at, 0, count);
    std::rotate(middle, items.end() - 1, items.end());
  }
  if (name != "pop" || at < 0 || at >= count) return Value{};
  const Value taken = items[static_cast<std::size_t>(at)];
  items.erase(items.begin() + at);
  return taken;
}

Value Interpreter::call_method(const Method& method, const Values& positional, const Dict& keywords,
                               const Node& node) {
  const Value self = *method.self;
  if (Object* object = self.object(); object != nullptr && method.name == "save_for_backward") {
    object->attributes["saved_tensors"] = heap_.list(positional);
    return Value{Missing{}};
  }
  if (const TensorPointer tensor = self.tensor())
    return TensorCalls(*this, node).method(tensor, method.name, positional, keywords);
  if (Dict* dict = self.dict()) return call_dict(*dict, method.name, positional, keywords);
  if (const auto* list = self.as<std::shared_ptr<List>>())
    return call_list(**list, method.name, positional);
  if (const auto* text = self.as<std::string>())
    return call_text_method(*text, method.name, positional);
  if (const auto* number = self.as<Number>()) return call_number_method(*number, method.name);
  if (const auto* type = self.as<DTypeName>()) return call_dtype_method(type->name, method.name);
  return Value{};
}

}  // namespace heddle::kernel::triton::host
