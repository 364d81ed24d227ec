// Names and attributes of host code: what they stand for.
#include <algorithm>

#include "kernel/triton/host/interpreter.h"

namespace heddle::kernel::triton::host {
namespace {

bool is_python(const std::string& name) {
  static const std::set<std::string> kPython = {
      "min", "max",   "abs",      "len",  "range",   "int",     "float", "bool",      "isinstance",
      "sum", "tuple", "list",     "str",  "getattr", "hasattr", "zip",   "enumerate", "any",
      "all", "round", "reversed", "dict", "set",     "sorted",  "print", "type"};
  return kPython.count(name) != 0;
}

/// Attributes that only tensors have: an unknown that is asked for one is a tensor.
bool is_of_tensors(const std::string& name) {
  static const std::set<std::string> kOfTensors = {"shape",          "stride",   "size",
                                                   "dtype",          "numel",    "dim",
                                                   "ndim",           "T",        "mT",
                                                   "element_size",   "view",     "contiguous",
                                                   "reshape",        "permute",  "expand",
                                                   "transpose",      "squeeze",  "unsqueeze",
                                                   "new_empty",      "data_ptr", "flatten",
                                                   "storage_offset", "nelement", "is_contiguous",
                                                   "new_zeros",      "is_cuda",  "requires_grad",
                                                   "untyped_storage"};
  return kOfTensors.count(name) != 0;
}

/// The package that an import takes a name from: the dots of a relative import belong to it.
std::string package_of(const std::string& path, std::size_t dot) {
  if (dot == 0) return ".";
  return path.substr(0, path[dot - 1] == '.' ? dot + 1 : dot);
}

}  // namespace

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
  if (const Value found = unpacked_global(module, name); !found.is_unknown()) return found;
  for (const std::string& star : module.stars) {
    try {
      const Module* file = source_.imported(module, star);
      if (file != nullptr && file->has(name)) return module_name(*file, name);
    } catch (const Error&) {
      continue;
    }
  }
  if (is_python(name)) return Value{External{"builtins." + name}};
  return resolve(Value{Unknown{name}});
}

/// BATCH, HEADS = 4, 32
Value Interpreter::unpacked_global(const Module& module, const std::string& name) {
  const auto& unpacked = definitions(module).unpacked;
  const auto found = unpacked.find(name);
  if (found == unpacked.end()) return Value{};
  const auto& targets = found->second->at("targets").list("elts");
  const auto at = std::ranges::find_if(
      targets, [&](const Node& one) { return one.is("Name") && one.text == name; });
  const Value values = evaluate_in(module, found->second->at("value"));
  if (values.list() == nullptr || values.list()->items.size() != targets.size()) return Value{};
  return values.list()->items[static_cast<std::size_t>(at - targets.begin())];
}

Value Interpreter::imported(const Module& module, const std::string& path) {
  const std::string first = path.substr(0, path.find('.'));
  if (first == "torch" || first == "triton" || first == "math" || first == "functools")
    return Value{External{path}};
  try {
    const std::size_t dot = path.rfind('.');
    if (dot != std::string::npos && path.find_first_not_of('.') != std::string::npos) {
      const Module* file = source_.imported(module, package_of(path, dot));
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

const Node* Interpreter::find_class(const Module& module, const std::string& name) {
  const auto& classes = definitions(module).classes;
  const auto found = classes.find(name);
  return found == classes.end() ? nullptr : found->second;
}

/// The method of a class, or of a base class in the same file.
const Node* Interpreter::find_method(const Module& module, const Node& owner,
                                     const std::string& name) {
  const auto [known, added] = methods_.try_emplace({&owner, name}, nullptr);
  if (!added) return known->second;
  const Node* current = &owner;
  for (int level = 0; level < 8 && current != nullptr; ++level) {
    for (const Node& one : current->list("body"))
      if (one.is("FunctionDef") && one.text == name) known->second = &one;
    if (known->second != nullptr) break;
    const Node* base = nullptr;
    for (const Node& one : current->list("bases"))
      if (one.is("Name") && base == nullptr) base = find_class(module, one.text);
    current = base;
  }
  return known->second;
}

Value Interpreter::external_attribute(const std::string& path, const std::string& name) const {
  const std::string full = member_path(path, name);
  if (full.starts_with("torch.") || full.starts_with("triton.")) {
    const std::string dtype = dtype_name(name);
    const std::string before = last_part(path);
    if (!dtype.empty() && (before == "torch" || before == "language"))
      return Value{DTypeName{dtype}};
  }
  if (full == "torch.version.hip")
    return source_.target.vendor == config::Vendor::amd ? Value{std::string("6.2")}
                                                        : Value{Missing{}};
  return full.empty() ? Value{} : Value{External{full}};
}

Value Interpreter::object_attribute(const Value& value, const std::string& name) {
  const Object& object = *value.object();
  const auto found = object.attributes.find(name);
  if (found != object.attributes.end()) return resolve(found->second);
  if (name == "save_for_backward") return Value{Method{heap_.box(value), name}};
  if (object.definition != nullptr)
    if (const Node* method = find_method(*object.module, *object.definition, name))
      return Value{Function{object.module, method, nullptr, heap_.box(value)}};
  if (object.definition != nullptr)
    if (const Value held = class_attribute(*object.module, *object.definition, name);
        !held.is_unknown())
      return held;
  return resolve(Value{Unknown{member_path(object.key, name)}});
}

/// What the body of a class, or of a base class in the same file, gives a name.
Value Interpreter::class_attribute(const Module& module, const Node& owner,
                                   const std::string& name) {
  const Node* current = &owner;
  for (int level = 0; level < 8 && current != nullptr; ++level) {
    const Node* found = nullptr;
    for (const Node& one : current->list("body")) {
      const bool is_plain = one.is("Assign") && one.list("targets").size() == 1;
      if (!is_plain && !(one.is("AnnAssign") && one.has("value"))) continue;
      const Node& target = one.at(is_plain ? "targets" : "target");
      if (target.is("Name") && target.text == name) found = &one.at("value");
    }
    if (found != nullptr) return evaluate_in(module, *found);
    const Node* base = nullptr;
    for (const Node& one : current->list("bases"))
      if (one.is("Name") && base == nullptr) base = find_class(module, one.text);
    current = base;
  }
  return Value{};
}

Value Interpreter::attribute(const Value& value, const std::string& name, const Node& node) {
  if (const auto* external = value.as<External>()) return external_attribute(external->path, name);
  if (const auto* file = value.as<ModuleName>()) return module_name(*file->module, name);
  if (value.object() != nullptr) return object_attribute(value, name);
  if (const auto* made = value.as<ClassName>()) {
    if (name == "apply") return Value{Method{heap_.box(value), name}};
    if (const Node* method = find_method(*made->module, *made->definition, name))
      return Value{Function{made->module, method, nullptr, nullptr}};
    return class_attribute(*made->module, *made->definition, name);
  }
  // A member of an enumeration stands for its value.
  if (name == "value" && (value.as<Number>() != nullptr || value.as<std::string>() != nullptr))
    return value;
  if (value.is_unknown() && is_of_tensors(name)) learn_tensor(value);
  if (value.is_unknown() && name == "device") return Value{};
  const Value known = resolve(value);
  if (const TensorPointer tensor = known.tensor()) return tensor_attribute(tensor, name, node);
  if (const auto* unknown = value.as<Unknown>())
    return resolve(Value{Unknown{member_path(unknown->key, name)}});
  if (value.as<Method>() != nullptr || value.as<Launcher>() != nullptr) return Value{};
  return Value{Method{heap_.box(value), name}};
}

Value Interpreter::tensor_attribute(const TensorPointer& tensor, const std::string& name,
                                    const Node& node) {
  if (name == "shape") return heap_.shape(tensor);
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
  if (name == "is_cuda") return Value{true};
  if (name == "requires_grad") return Value{false};
  if (name == "grad") return Value{};
  if (name == "data") return Value{tensor};
  const Method method{heap_.box(Value{tensor}), name};
  if (name == "T" || name == "mT") return call_method({method.self, "t"}, {}, {}, node);
  return Value{method};
}

}  // namespace heddle::kernel::triton::host
