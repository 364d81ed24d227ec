#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/triton/host/interpreter.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// A name that a job's expression can have.
std::string size_name(const std::string& key) {
  std::string name = last_part(key);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "n_" + name
                                                                                : name;
}

constexpr std::size_t kMostItems = 256;

}  // namespace

void Interpreter::learn(const Value& value, const std::function<void(Fact&)>& change) {
  const auto* unknown = value.as<Unknown>();
  if (unknown == nullptr || unknown->key.empty()) return;
  Fact& fact = knowledge_.facts[unknown->key];
  const Fact before = fact;
  change(fact);
  const bool same = before.is_tensor == fact.is_tensor && before.is_number == fact.is_number &&
                    before.is_none == fact.is_none && before.rank == fact.rank &&
                    before.exact_rank == fact.exact_rank && before.axis_names == fact.axis_names &&
                    before.from_start == fact.from_start && before.from_end == fact.from_end &&
                    before.strides == fact.strides && before.dtype == fact.dtype &&
                    before.text == fact.text && before.flag == fact.flag;
  if (!same) ++knowledge_.changes;
}

void Interpreter::learn_tensor(const Value& value, int rank) {
  learn(value, [&](Fact& fact) {
    fact.is_tensor = true;
    if (!fact.exact_rank) fact.rank = std::max(fact.rank, rank);
  });
}

void Interpreter::learn_number(const Value& value) {
  learn(value, [](Fact& fact) { fact.is_number = true; });
}

Number Interpreter::size(const std::string& name) {
  std::string found = name;
  for (int hops = 0; hops < 8 && knowledge_.same.count(found) != 0; ++hops)
    found = knowledge_.same.at(found);
  const auto known = knowledge_.sizes.find(found);
  const bool is_head =
      (found == "K" || found == "V" || found == "D") && has_axis({"H", "HV", "HQ", "T"});
  if (is_head && known == knowledge_.sizes.end()) {
    used_sizes_[found] = Number::of(64, found);
    return used_sizes_[found];
  }
  Number value =
      known != knowledge_.sizes.end() ? Number::of(known->second.value) : likely_number(found);
  value.text = found;
  used_sizes_[found] = value;
  return value;
}

bool Interpreter::has_axis(std::initializer_list<std::string_view> names) const {
  for (const auto& [key, fact] : knowledge_.facts)
    for (const auto& [place, name] : fact.axis_names)
      if (std::ranges::find(names, name) != names.end()) return true;
  return false;
}

/// The axis of another tensor of the same rank, 3 or more, in the same place; empty: none has a name.
std::string Interpreter::sibling_axis(const std::string& key, int place) const {
  const int rank = knowledge_.facts.at(key).rank;
  if (rank < 3) return {};
  for (const auto& [other, fact] : knowledge_.facts) {
    if (other == key || !fact.is_tensor || fact.rank != rank) continue;
    auto named = fact.axis_names.find(place);
    if (named == fact.axis_names.end()) named = fact.axis_names.find(place - rank);
    if (named != fact.axis_names.end()) return named->second;
  }
  return {};
}

Value Interpreter::resolve(const Value& value) {
  const auto* unknown = value.as<Unknown>();
  if (unknown == nullptr || unknown->key.empty()) return value;
  const Fact& fact = knowledge_.facts[unknown->key];
  if (fact.is_tensor) return Value{tensor_of(value)};
  if (fact.is_none) return Value{Missing{}};
  if (fact.text) return Value{*fact.text};
  if (fact.flag) return Value{*fact.flag};
  if (!fact.dtype.empty()) return Value{DTypeName{fact.dtype}};
  if (fact.is_number) return Value{size(size_name(unknown->key))};
  return value;
}

TensorPointer Interpreter::new_tensor(std::vector<Number> shape, std::string dtype,
                                      const Node& node) {
  auto tensor = std::make_shared<Tensor>();
  tensor->id = next_id_++;
  tensor->shape = std::move(shape);
  tensor->rank_known = true;
  tensor->dtype = std::move(dtype);
  tensor->origin = origin_of(node);
  return tensor;
}

/// The tensor that an unknown is; null for what is no tensor.
TensorPointer Interpreter::tensor_of(const Value& value) {
  if (const TensorPointer tensor = value.tensor()) return tensor;
  const auto* unknown = value.as<Unknown>();
  if (unknown == nullptr) return nullptr;
  learn_tensor(value);
  if (unknown->key.empty()) return nullptr;
  auto& made = tensors_[unknown->key];
  if (made != nullptr) return made;
  const Fact fact = knowledge_.facts[unknown->key];
  made = std::make_shared<Tensor>();
  made->id = next_id_++;
  made->key = unknown->key;
  made->name = last_part(unknown->key);
  made->dtype = fact.dtype;
  made->rank_known = fact.exact_rank;
  const TensorPointer tensor = made;
  for (int i = 0; i < fact.rank; ++i) axis(tensor, i);
  return tensor;
}

Number Interpreter::axis(const TensorPointer& tensor, int index) {
  const int rank = static_cast<int>(tensor->shape.size());
  if (!tensor->key.empty() && !tensor->rank_known) {
    // x.shape[0], x.shape[1], x.shape[-1]: three axes, unless its strides say how many there are.
    learn(Value{Unknown{tensor->key}}, [&](Fact& fact) {
      if (asks_stride_)
        fact.strides = std::max(fact.strides, index < 0 ? -index : index + 1);
      else if (index < 0)
        fact.from_end = std::max(fact.from_end, -index);
      else if (from_end_ == 0)
        fact.from_start = std::max(fact.from_start, index + 1);
      const bool is_open =
          !fact.exact_rank && fact.strides < fact.from_start + fact.from_end && fact.strides == 0;
      if (is_open && fact.from_end > 0)
        fact.rank = std::max(fact.rank, std::min(6, fact.from_start + fact.from_end));
    });
  }
  if (index < 0 && tensor->rank_known) index += rank;
  if (index < 0) {
    const int wanted = std::max({rank, -index, 2});
    if (!tensor->rank_known && wanted <= 8) {
      from_end_ = wanted;
      if (rank < wanted) axis(tensor, wanted - 1);
      from_end_ = 0;
      index += static_cast<int>(tensor->shape.size());
    }
  }
  if (index < 0 || index > 8) return Number::of(1);
  if (index < rank) return tensor->shape[static_cast<std::size_t>(index)];
  if (tensor->rank_known) {
    if (tensor->key.empty() || static_cast<int>(knowledge_.facts[tensor->key].rank) <= index)
      return Number::of(1);
  }
  learn_tensor(Value{Unknown{tensor->key}}, index + 1);
  const std::string own = size_name(tensor->key);
  while (static_cast<int>(tensor->shape.size()) <= index) {
    const int place = static_cast<int>(tensor->shape.size());
    const auto& names = knowledge_.facts[tensor->key].axis_names;
    auto named = names.find(place);
    if (named == names.end())
      named = names.find(place - std::max(1, knowledge_.facts[tensor->key].rank));
    const std::string sibling =
        named == names.end() ? sibling_axis(tensor->key, place) : std::string();
    const std::string name = named != names.end() ? named->second
                             : !sibling.empty()   ? sibling
                                                  : fmt::format("{}_{}", own, place);
    if (named == names.end() && sibling.empty()) {
      axis_sizes_[name] = {tensor->key, from_end_ > 0 ? place - from_end_ : place};
      // Large enough to fill a GPU, small enough that the whole tensor is.
      constexpr std::array<std::int64_t, 5> kByRank = {4096, 4096, 1024, 128, 32};
      const int rank_so_far = knowledge_.facts[tensor->key].rank;
      const Size guess{kByRank.at(static_cast<std::size_t>(std::clamp(rank_so_far, 0, 4))),
                       "by the rank of its tensor"};
      if (knowledge_.same.count(name) == 0) knowledge_.sizes[name] = guess;
    }
    tensor->shape.push_back(size(name));
  }
  return tensor->shape[static_cast<std::size_t>(index)];
}

Value Interpreter::evaluate_in(const Module& module, const Node& node) {
  const std::shared_ptr<Scope> outside = scope_;
  scope_ = std::make_shared<Scope>();
  scope_->module = &module;
  const Value result = evaluate(node);
  scope_ = outside;
  return result;
}

Value Interpreter::evaluate(const Node& node) {
  if (++work_ > kWorkLimit || depth_ > kDepthLimit) return Value{};
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
      if (node.text.size() > 17) return Value{};
      return Value{
          Number::of(static_cast<std::int64_t>(std::strtoll(node.text.c_str(), nullptr, 16)))};
    case ConstantKind::real:
      return Value{Number::of_real(node.real)};
    case ConstantKind::text:
      return Value{node.text};
    default:
      return Value{};
  }
}

Value Interpreter::name(const Node& node) {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
    const auto found = scope->names.find(node.text);
    if (found != scope->names.end()) return resolve(found->second);
  }
  return module_name(*scope_->module, node.text);
}

Value Interpreter::module_name(const Module& module, const std::string& name) {
  // Files may import a name from each other, and globals be defined by themselves.
  if (!being_evaluated_.emplace(&module, name).second) return Value{};
  const Value found = global_name(module, name);
  being_evaluated_.erase({&module, name});
  return found;
}

Value Interpreter::global_name(const Module& module, const std::string& name) {
  if (const auto found = module.functions.find(name); found != module.functions.end())
    return Value{Function{&module, found->second, nullptr, nullptr}};
  if (const Node* found = find_class(module, name)) return Value{ClassName{&module, found}};
  if (const auto found = module.constants.find(name); found != module.constants.end()) {
    const Value value = evaluate_in(module, *found->second);
    return value.is_unknown() ? resolve(Value{Unknown{name}}) : value;
  }
  if (const auto found = module.imports.find(name); found != module.imports.end())
    return imported(module, found->second);
  // BATCH, HEADS = 4, 32
  for (const Node& node : module.root.list("body")) {
    if (!node.is("Assign") || node.list("targets").size() != 1) continue;
    const auto& targets = node.at("targets").list("elts");
    const auto at = std::ranges::find_if(
        targets, [&](const Node& one) { return one.is("Name") && one.text == name; });
    if (at == targets.end()) continue;
    const Value values = evaluate_in(module, node.at("value"));
    const auto index = static_cast<std::size_t>(at - targets.begin());
    if (values.list() != nullptr && values.list()->items.size() == targets.size())
      return values.list()->items[index];
  }
  for (const std::string& star : module.stars) {
    try {
      const Module* file = source_.imported(module, star);
      if (file != nullptr && file->has(name)) return module_name(*file, name);
    } catch (const Error&) {
      continue;
    }
  }
  static const std::set<std::string> kPython = {
      "min", "max",   "abs",      "len",  "range",   "int",     "float", "bool",      "isinstance",
      "sum", "tuple", "list",     "str",  "getattr", "hasattr", "zip",   "enumerate", "any",
      "all", "round", "reversed", "dict", "set",     "sorted",  "print", "type"};
  if (kPython.count(name) != 0) return Value{External{"builtins." + name}};
  return resolve(Value{Unknown{name}});
}

Value Interpreter::imported(const Module& module, const std::string& path) {
  const std::string first = path.substr(0, path.find('.'));
  if (first == "torch" || first == "triton" || first == "math" || first == "functools")
    return Value{External{path}};
  try {
    const std::size_t dot = path.rfind('.');
    if (dot != std::string::npos && path.find_first_not_of('.') != std::string::npos) {
      const Module* file = source_.imported(
          module, dot == 0 ? "." : path.substr(0, path[dot - 1] == '.' ? dot + 1 : dot));
      const std::string last = path.substr(dot + 1);
      if (file != nullptr && (file->has(last) || find_class(*file, last) != nullptr))
        return module_name(*file, last);
    }
    if (const Module* file = source_.imported(module, path)) return Value{ModuleName{file}};
  } catch (const Error&) {
    // It cannot be read: its names stay unknown.
  }
  return Value{External{path}};
}

Value Interpreter::attribute(const Value& value, const std::string& name, const Node& node) {
  if (const auto* external = value.as<External>()) {
    const std::string path = external->path + "." + name;
    if (path.rfind("torch.", 0) == 0 || path.rfind("triton.", 0) == 0) {
      const std::string dtype = dtype_name(name);
      const std::string before = last_part(external->path);
      if (!dtype.empty() && (before == "torch" || before == "language"))
        return Value{DTypeName{dtype}};
    }
    if (path == "torch.version.hip")
      return source_.target.vendor == config::Vendor::amd ? Value{std::string("6.2")}
                                                          : Value{Missing{}};
    return Value{External{path}};
  }
  if (const auto* file = value.as<ModuleName>()) return module_name(*file->module, name);
  if (Object* object = value.object()) {
    const auto found = object->attributes.find(name);
    if (found != object->attributes.end()) return resolve(found->second);
    if (name == "save_for_backward") return Value{Method{std::make_shared<Value>(value), name}};
    if (object->definition != nullptr)
      if (const Node* method = find_method(*object->module, *object->definition, name))
        return Value{Function{object->module, method, nullptr, std::make_shared<Value>(value)}};
    return resolve(Value{Unknown{object->key + "." + name}});
  }
  if (const auto* made = value.as<ClassName>()) {
    if (name == "apply") return Value{Method{std::make_shared<Value>(value), name}};
    if (const Node* method = find_method(*made->module, *made->definition, name))
      return Value{Function{made->module, method, nullptr, nullptr}};
    return Value{};
  }
  if (value.as<DTypeName>() != nullptr || value.as<std::string>() != nullptr ||
      value.dict() != nullptr || value.list() != nullptr)
    return Value{Method{std::make_shared<Value>(value), name}};
  static const std::set<std::string> kOfTensors = {"shape",
                                                   "stride",
                                                   "size",
                                                   "dtype",
                                                   "numel",
                                                   "dim",
                                                   "ndim",
                                                   "element_size",
                                                   "contiguous",
                                                   "is_contiguous",
                                                   "view",
                                                   "reshape",
                                                   "permute",
                                                   "transpose",
                                                   "unsqueeze",
                                                   "squeeze",
                                                   "new_empty",
                                                   "new_zeros",
                                                   "data_ptr",
                                                   "flatten",
                                                   "nelement",
                                                   "T",
                                                   "mT",
                                                   "expand",
                                                   "storage_offset",
                                                   "is_cuda",
                                                   "requires_grad",
                                                   "untyped_storage"};
  if (value.is_unknown() && kOfTensors.count(name) != 0) learn_tensor(value);
  if (value.is_unknown() && name == "device") return Value{};
  const Value known = resolve(value);
  if (const TensorPointer tensor = known.tensor()) return tensor_attribute(tensor, name, node);
  if (const auto* unknown = value.as<Unknown>())
    return resolve(
        Value{Unknown{unknown->key.empty() ? std::string() : unknown->key + "." + name}});
  return Value{Method{std::make_shared<Value>(value), name}};
}

Value Interpreter::tensor_attribute(const TensorPointer& tensor, const std::string& name,
                                    const Node& node) {
  if (name == "shape") {
    List list;
    for (const Number& extent : tensor->shape) list.items.push_back(Value{extent});
    if (!tensor->rank_known) list.shape_of = tensor;
    return Value{std::make_shared<List>(std::move(list))};
  }
  if (name == "dtype") {
    if (!tensor->dtype.empty()) return Value{DTypeName{tensor->dtype}};
    return Value{DTypeName{"\x01" + std::to_string(tensor->id)}};
  }
  if (name == "ndim") {
    Number rank =
        Number::of(static_cast<std::int64_t>(std::max<std::size_t>(1, tensor->shape.size())));
    if (!tensor->rank_known && !tensor->key.empty()) rank.text = "\x02" + tensor->key;
    return Value{rank};
  }
  if (name == "device") return Value{External{"torch.device"}};
  if (name == "is_cuda" || name == "is_contiguous") {
    if (name == "is_cuda") return Value{true};
  }
  if (name == "requires_grad") return Value{false};
  if (name == "grad") return Value{};
  if (name == "data") return Value{tensor};
  const Method method{std::make_shared<Value>(Value{tensor}), name};
  if (name == "T" || name == "mT") return call_method({method.self, "t"}, {}, {}, node);
  return Value{method};
}

Value Interpreter::slice_list(const List& list, const Node& slice) {
  if (list.shape_of != nullptr) axis(list.shape_of, -1);
  Values items = list.items;
  if (list.shape_of != nullptr) {
    items.clear();
    for (const Number& extent : list.shape_of->shape) items.push_back(Value{extent});
  }
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
  return list_value(std::move(kept), list.is_tuple);
}

Value Interpreter::subscript(const Node& node) {
  const Value value = evaluate(node.at("value"));
  const Node& slice = node.at("slice");
  if (const auto* function = value.as<Function>()) {
    if (function->definition == &kernel_)
      return Value{Launcher{*function, std::make_shared<Value>(evaluate(slice))}};
  }
  // Imported from where it cannot be followed to: the name says that it is the kernel.
  if (const auto* external = value.as<External>();
      external != nullptr && last_part(external->path) == kernel_.text)
    return Value{Launcher{Function{&source_.main(), &kernel_, nullptr, nullptr},
                          std::make_shared<Value>(evaluate(slice))}};
  if (const List* list = value.list()) {
    if (slice.is("Slice")) return slice_list(*list, slice);
    const auto index = evaluate(slice).number();
    if (!index) return Value{};
    if (list->shape_of != nullptr)
      return Value{
          axis(list->shape_of, static_cast<int>(std::clamp<std::int64_t>(index->whole, -9, 9)))};
    const auto count = static_cast<std::int64_t>(list->items.size());
    const std::int64_t at = index->whole < 0 ? index->whole + count : index->whole;
    return at >= 0 && at < count ? list->items[static_cast<std::size_t>(at)] : Value{};
  }
  if (const Dict* dict = value.dict()) {
    const Value key = evaluate(slice);
    for (const auto& [name, held] : *dict)
      if (const auto* text = key.as<std::string>(); text != nullptr && *text == name)
        return resolve(held);
    if (const auto* text = key.as<std::string>()) return resolve(Value{Unknown{*text}});
    return Value{};
  }
  if (const TensorPointer tensor = value.tensor()) return index_tensor(tensor, slice, node);
  const Value key = evaluate(slice);
  if (const auto* unknown = value.as<Unknown>(); unknown != nullptr && !unknown->key.empty())
    if (const auto* text = key.as<std::string>())
      return resolve(Value{Unknown{unknown->key + "." + *text}});
  return Value{};
}

Value Interpreter::index_tensor(const TensorPointer& tensor, const Node& slice, const Node& node) {
  std::vector<const Node*> parts;
  if (slice.is("Tuple"))
    for (const Node& one : slice.list("elts")) parts.push_back(&one);
  else
    parts.push_back(&slice);
  const std::vector<Number> strides = strides_of(*tensor);
  auto result = new_tensor({}, tensor->dtype, node);
  result->name = tensor->name;
  bool is_row_major = tensor->strides.empty();
  std::size_t at = 0;
  for (const Node* part : parts) {
    const bool is_ellipsis = part->is("Constant") && part->constant == ConstantKind::ellipsis;
    if (is_ellipsis) {
      std::size_t behind = 0;
      for (const Node* one : parts)
        behind += one->is("Constant") && one->constant == ConstantKind::none ? 0U : 1U;
      while (at < tensor->shape.size() && tensor->shape.size() - at > behind - 1 - at) {
        result->shape.push_back(tensor->shape[at]);
        result->strides.push_back(strides[at++]);
      }
      continue;
    }
    if (part->is("Constant") && part->constant == ConstantKind::none) {
      result->shape.push_back(Number::of(1));
      result->strides.push_back(Number::of(1));
      continue;
    }
    if (at >= tensor->shape.size()) break;
    if (part->is("Slice")) {
      Number extent = tensor->shape[at];
      const auto lower = part->has("lower") ? evaluate(part->at("lower")).number() : std::nullopt;
      const auto upper = part->has("upper") ? evaluate(part->at("upper")).number() : std::nullopt;
      if (upper && upper->whole > 0) extent = *upper;
      if (upper && upper->whole < 0) extent = operate("Add", extent, *upper).value_or(extent);
      if (lower) extent = operate("Sub", extent, *lower).value_or(extent);
      if (at > 0 && (lower || upper)) is_row_major = false;
      if (extent.whole < 1) extent = tensor->shape[at];
      result->shape.push_back(extent);
      result->strides.push_back(strides[at]);
    } else {
      const Value index = evaluate(*part);
      if (const TensorPointer list = index.tensor()) {
        for (const Number& one : list->shape) result->shape.push_back(one);
        is_row_major = true;
        result->strides.clear();
        for (++at; at < tensor->shape.size(); ++at) result->shape.push_back(tensor->shape[at]);
        result->strides.clear();
        return Value{result};
      }
      if (at > 0) is_row_major = false;
    }
    ++at;
  }
  for (; at < tensor->shape.size(); ++at) {
    result->shape.push_back(tensor->shape[at]);
    result->strides.push_back(strides[at]);
  }
  if (is_row_major || result->strides.size() != result->shape.size()) result->strides.clear();
  return Value{result};
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
    return op == "Add" && x->size() + y->size() < kMostItems ? Value{*x + *y} : Value{};
  if (a.list() != nullptr && b.list() != nullptr && op == "Add") {
    Values items = a.list()->items;
    items.insert(items.end(), b.list()->items.begin(), b.list()->items.end());
    return items.size() <= kMostItems ? list_value(std::move(items), a.list()->is_tuple) : Value{};
  }
  if (a.list() != nullptr && b.number() && op == "Mult") {
    Values items;
    for (std::int64_t i = 0; i < b.number()->whole && items.size() < 64; ++i)
      items.insert(items.end(), a.list()->items.begin(), a.list()->items.end());
    return list_value(std::move(items), a.list()->is_tuple);
  }
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

Value Interpreter::comprehension(const Node& node) {
  if (node.list("generators").size() != 1) return Value{};
  const Node& generator = node.list("generators").front();
  const Value sequence = evaluate(generator.at("iter"));
  if (sequence.list() == nullptr) return Value{};
  Values items = sequence.list()->items;
  if (items.size() > 256) items.resize(256);
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
  return node.is("DictComp") ? dict_value(std::move(entries)) : list_value(std::move(made), false);
}

Value Interpreter::other_expression(const Node& node) {
  if (node.is("Tuple") || node.is("List") || node.is("Set")) {
    Values items;
    for (const Node& one : node.list("elts")) {
      if (one.is("Starred")) {
        const Value spread = evaluate(one.at("value"));
        if (spread.list() != nullptr)
          items.insert(items.end(), spread.list()->items.begin(), spread.list()->items.end());
        continue;
      }
      items.push_back(evaluate(one));
    }
    return list_value(std::move(items), node.is("Tuple"));
  }
  if (node.is("Dict")) {
    Dict entries;
    const auto& keys = node.list("keys");
    const auto& values = node.list("values");
    for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
      const Value value = evaluate(values[i]);
      if (keys[i].is("Absent")) {
        if (value.dict() != nullptr)
          entries.insert(entries.end(), value.dict()->begin(), value.dict()->end());
        continue;
      }
      const Value key = evaluate(keys[i]);
      if (const auto* text = key.as<std::string>()) entries.emplace_back(*text, value);
    }
    return dict_value(std::move(entries));
  }
  if (node.is("Compare")) {
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
  if (node.is("IfExp")) {
    const auto truth = evaluate(node.at("test")).truth();
    return evaluate(node.at(truth.value_or(true) ? "body" : "orelse"));
  }
  if (node.is("UnaryOp")) {
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
  if (node.is("Lambda")) return Value{Function{scope_->module, &node, scope_, nullptr}};
  if (node.is("ListComp") || node.is("GeneratorExp") || node.is("DictComp") || node.is("SetComp"))
    return comprehension(node);
  if (node.is("NamedExpr")) {
    const Value value = evaluate(node.at("value"));
    assign(node.at("target"), value);
    return value;
  }
  if (node.is("JoinedStr")) return Value{std::string("text")};
  return Value{};
}

}  // namespace heddle::kernel::triton::host
