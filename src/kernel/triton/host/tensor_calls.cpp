#include "kernel/triton/host/tensor_calls.h"

#include <algorithm>
#include <cmath>

#include "config/dtype.h"
#include "support/lists.h"

namespace heddle::kernel::triton::host {
int TensorCalls::whole_argument(const Value* value, int otherwise) {
  if (value == nullptr || !value->number()) return otherwise;
  return static_cast<int>(std::clamp<std::int64_t>(value->number()->whole, -64, 64));
}

std::string TensorCalls::dtype_argument(const Dict& keywords, const std::string& otherwise) {
  const Value* given = argument({}, keywords, 99, "dtype");
  if (given == nullptr) return otherwise;
  if (const auto* type = given->as<DTypeName>()) return type->name;
  if (const auto* external = given->as<External>()) return dtype_name(external->path);
  return otherwise;
}

/// Of empty(2, 3), empty((2, 3)) and empty(x.shape).
std::vector<Number> TensorCalls::extents(const Values& positional) {
  Values items = positional;
  if (!items.empty() && items[0].list() != nullptr) {
    const List& list = *items[0].list();
    if (list.shape_of != nullptr) {
      host_.axis(list.shape_of, -1);
      return list.shape_of->shape;
    }
    items = Values(list.items);
  }
  constexpr std::size_t kMostAxes = 16;
  if (items.size() > kMostAxes) items.resize(kMostAxes);
  std::vector<Number> result;
  for (const Value& one : items) {
    Value value = one;
    if (value.is_unknown()) {
      host_.learn_number(value);
      value = host_.resolve(value);
    }
    result.push_back(value.number().value_or(Number::of(1)));
  }
  return result;
}

Value TensorCalls::like(const TensorPointer& tensor, const std::string& dtype) {
  auto result = host_.new_tensor(tensor->shape, dtype, node_);
  result->rank_known = tensor->rank_known;
  if (!tensor->rank_known) result->key = tensor->key;
  return Value{result};
}

/// randint(high, size), randint(low, high, size)
Value TensorCalls::random_integers(const Values& positional, const Dict& keywords) {
  const Value* size = argument({}, keywords, 99, "size");
  if (size == nullptr && positional.size() >= 2) size = &positional.back();
  auto tensor = host_.new_tensor(size == nullptr ? std::vector<Number>() : extents({*size}),
                                 dtype_argument(keywords, "int64"), node_);
  const Value* high = argument({}, keywords, 99, "high");
  const Value* low = argument({}, keywords, 99, "low");
  const bool has_low = positional.size() >= 3 ||
                       (size != nullptr && positional.size() == 2 && size != &positional.back());
  if (has_low) low = &positional[0];
  if (high == nullptr && !positional.empty()) high = &positional[has_low ? 1 : 0];
  const auto from = low == nullptr ? std::optional(Number::of(0)) : low->number();
  const auto to = high == nullptr ? std::nullopt : high->number();
  if (from && to && from->value() < to->value())
    tensor->contents = "uniform(" + from->written() + ", " + to->written() + ")";
  return Value{tensor};
}

std::optional<Value> TensorCalls::created(const std::string& name, const Values& positional,
                                          const Dict& keywords) {
  static const std::set<std::string> kPlain = {"empty", "zeros", "ones", "rand", "randn", "full"};
  if (kPlain.count(name) != 0) {
    Values shape = positional;
    if (const Value* size = argument({}, keywords, 99, "size")) shape = {*size};
    if (name == "full" && shape.size() > 1) shape.resize(1);
    auto tensor = host_.new_tensor(extents(shape), dtype_argument(keywords, "fp32"), node_);
    const Value* fill = name == "full" ? argument(positional, keywords, 1, "fill_value") : nullptr;
    if (name == "zeros") tensor->contents = "zeros";
    if (name == "ones") tensor->contents = "constant(1)";
    if (fill != nullptr && fill->number())
      tensor->contents = "constant(" + fill->number()->written() + ")";
    return Value{tensor};
  }
  if (name == "randint") return random_integers(positional, keywords);
  if (name == "arange") {
    std::vector<Number> bounds = extents(positional);
    Number count = bounds.empty() ? Number::of(1) : bounds.front();
    const bool from_zero = bounds.size() < 2 || bounds[0].value() == 0;
    if (bounds.size() >= 2 && !from_zero)
      count = operate("Sub", bounds[1], bounds[0]).value_or(count);
    else if (bounds.size() >= 2)
      count = bounds[1];
    const bool has_step = bounds.size() >= 3 && bounds[2].value() != 1;
    if (has_step && bounds[2].value() != 0)
      count = call_text("cdiv", {count, bounds[2]}, std::ceil(count.value() / bounds[2].value()),
                        false);
    auto tensor = host_.new_tensor({count}, dtype_argument(keywords, "int64"), node_);
    if (from_zero && !has_step) tensor->contents = "range";
    return Value{tensor};
  }
  if (name == "tensor" || name == "as_tensor") {
    if (positional.empty()) return Value{};
    return positional[0].tensor() != nullptr ? positional[0] : listed(positional[0], keywords);
  }
  return std::nullopt;
}

void set_block(const DescriptorOf& descriptor, const Value& block) {
  if (block.list() == nullptr) return;
  descriptor.block->clear();
  for (const Value& extent : block.list()->items)
    descriptor.block->push_back(extent.number().value_or(Number::of(64)));
}

/// tensor(3), tensor([0, 4, 9]), tensor([[1, 2], [3, 4]])
Value TensorCalls::listed(const Value& given, const Dict& keywords) {
  constexpr std::size_t kMostValues = 1000;  // that a job can list
  std::vector<Number> shape;
  Values items = {given};
  while (!items.empty() && items[0].list() != nullptr && items.size() < kMostValues) {
    const std::size_t width = items[0].list()->items.size();
    Values inner;
    for (const Value& one : items) {
      if (one.list() == nullptr || one.list()->items.size() != width) return Value{};
      inner.insert(inner.end(), one.list()->items.begin(), one.list()->items.end());
    }
    shape.push_back(Number::of(static_cast<std::int64_t>(width)));
    items = std::move(inner);
  }
  bool is_known = !items.empty() && items.size() <= kMostValues;
  bool is_real = false;
  bool is_flag = is_known;
  std::string values;
  for (const Value& one : items) {
    const auto number = one.number();
    is_known = is_known && number.has_value();
    is_real = is_real || (number && number->is_real);
    is_flag = is_flag && one.as<bool>() != nullptr;
    if (number) values += (values.empty() ? "" : ", ") + number->written();
  }
  const bool is_open = given.list() == nullptr && !is_known;
  auto tensor = host_.new_tensor(std::move(shape),
                                 dtype_argument(keywords, is_flag              ? "int1"
                                                          : is_real || is_open ? "fp32"
                                                                               : "int64"),
                                 node_);
  if (is_known) tensor->contents = "values(" + values + ")";
  return Value{tensor};
}

std::optional<Value> TensorCalls::descriptor(const std::string& name, const Values& positional,
                                             const Dict& keywords) {
  const bool is_tensor = name == "TensorDescriptor" || name == "from_tensor";
  if (!is_tensor && name.find("create_2d_tma_descriptor") == std::string::npos) return std::nullopt;
  if (positional.empty()) return Value{};
  const TensorPointer tensor = host_.tensor_of(positional[0]);
  if (tensor == nullptr) return Value{};
  DescriptorOf result{tensor};
  const Value* block = argument(positional, keywords, name == "from_tensor" ? 1 : 3, "block_shape");
  if (name == "TensorDescriptor" && positional.size() >= 3) {
    // TensorDescriptor(base, shape, strides, block): another view of the same bytes.
    auto view = host_.new_tensor(extents({*argument(positional, keywords, 1, "shape")}),
                                 tensor->dtype, node_);
    if (view->dtype.empty()) view->dtype = "\x01" + std::to_string(tensor->id);
    view->strides = extents({*argument(positional, keywords, 2, "strides")});
    if (view->strides.size() != view->shape.size()) view->strides.clear();
    view->name = tensor->name;
    result.tensor = view;
  }
  if (block != nullptr) set_block(result, *block);
  return Value{result};
}

std::optional<Value> TensorCalls::external(const std::string& name, const Values& positional,
                                           const Dict& keywords) {
  if (auto made = created(name, positional, keywords)) return made;
  if (auto made = descriptor(name, positional, keywords)) return made;
  if (name.ends_with("_like") && !positional.empty()) {
    const TensorPointer tensor = host_.tensor_of(positional[0]);
    if (tensor == nullptr) return Value{};
    const std::string own =
        tensor->dtype.empty() ? "\x01" + std::to_string(tensor->id) : tensor->dtype;
    return like(tensor, dtype_argument(keywords, own));
  }
  static const std::set<std::string> kSame = {
      "exp",  "sigmoid", "relu",       "softmax",       "clone",
      "tanh", "cumsum",  "contiguous", "empty_strided", "broadcast_to"};
  static const std::set<std::string> kReduced = {"sum", "amax", "mean", "max", "norm", "logsumexp"};
  if (!positional.empty()) {
    Value first = positional.front();
    if (first.tensor() == nullptr) {
      if (name == "stack" || name == "cat" || name == "concat")
        return joined(name, positional, keywords);
      return kSame.count(name) + kReduced.count(name) != 0 ? std::optional(Value{}) : std::nullopt;
    }
    if (kSame.count(name) != 0) return like(first.tensor(), first.tensor()->dtype);
    if (kReduced.count(name) != 0)
      return method(first.tensor(), name, Values(positional.begin() + 1, positional.end()),
                    keywords);
  }
  return std::nullopt;
}

std::optional<Value> TensorCalls::asked(const TensorPointer& tensor, const std::string& name,
                                        const Values& positional) {
  const int index = whole_argument(positional.empty() ? nullptr : &positional[0], 0);
  if (name == "stride") {
    if (positional.empty()) {
      if (!tensor->rank_known && host_.asked_strides_ > 0) {
        host_.asks_stride_ = true;
        host_.axis(tensor, host_.asked_strides_ - 1);
        host_.asks_stride_ = false;
      }
      if (tensor->shape.empty()) host_.axis(tensor, -1);
      Values items;
      for (std::size_t i = 0; i < tensor->shape.size(); ++i)
        items.push_back(*asked(tensor, name, {Value{Number::of(static_cast<std::int64_t>(i))}}));
      return host_.heap().list(std::move(items));
    }
    host_.asks_stride_ = true;
    host_.axis(tensor, index);
    host_.asks_stride_ = false;
    const int rank = static_cast<int>(tensor->shape.size());
    const int place = index < 0 ? index + rank : index;
    if (place < 0 || place >= rank) return Value{Number::of(1)};
    Number stride = strides_of(*tensor)[static_cast<std::size_t>(place)];
    stride.text = "\x01" + std::to_string(tensor->id) + ".stride(" + std::to_string(place) + ")";
    return Value{stride};
  }
  if (name == "size") {
    if (positional.empty()) return host_.attribute(Value{tensor}, "shape", node_);
    return Value{host_.axis(tensor, index)};
  }
  if (name == "dim") return host_.attribute(Value{tensor}, "ndim", node_);
  if (name == "numel" || name == "nelement") {
    if (tensor->shape.empty()) host_.axis(tensor, 0);
    return Value{product(tensor->shape)};
  }
  if (name == "element_size") {
    const auto type = config::dtype_from_text(tensor->dtype);
    return Value{Number::of(type ? config::byte_width(*type) : 2)};
  }
  if (name == "is_contiguous") return Value{tensor->strides.empty()};
  if (name == "data_ptr" || name == "storage_offset") return Value{Number::of(0)};
  if (name == "is_floating_point") return Value{!is_integer_dtype(tensor->dtype)};
  if (name == "get_device") return Value{Number::of(0)};
  if (name == "item" || name == "tolist" || name == "max" || name == "min") {
    const bool is_reduction = (name == "max" || name == "min") && !positional.empty();
    if (is_reduction) return std::nullopt;
    return Value{Unknown{(tensor->name.empty() ? "n" : tensor->name) + "_" + name}};
  }
  return std::nullopt;
}

Value TensorCalls::reduced(const TensorPointer& tensor, const Values& positional,
                           const Dict& keywords) {
  const Value* axis = argument(positional, keywords, 0, "dim");
  std::vector<Number> shape = tensor->shape;
  if (axis == nullptr) return Value{host_.new_tensor({}, tensor->dtype, node_)};
  int place = whole_argument(axis, -1);
  if (place < 0) place += static_cast<int>(shape.size());
  if (place >= 0 && place < static_cast<int>(shape.size())) {
    const Value* keep = argument({}, keywords, 99, "keepdim");
    if (keep != nullptr && keep->truth().value_or(false))
      shape[static_cast<std::size_t>(place)] = Number::of(1);
    else
      shape.erase(shape.begin() + place);
  }
  return Value{host_.new_tensor(std::move(shape), tensor->dtype, node_)};
}

Value TensorCalls::method(const TensorPointer& tensor, const std::string& name,
                          const Values& positional, const Dict& keywords) {
  if (auto known = asked(tensor, name, positional)) return *known;
  if (auto known = viewed(tensor, name, in_order(name, positional, keywords))) return *known;
  if (auto known = taken_apart(tensor, name, in_order(name, positional, keywords))) return *known;
  if (name.starts_with("new_")) {
    auto made = created(name.substr(4), positional, keywords);
    if (made && made->tensor() != nullptr)
      made->tensor()->dtype = dtype_argument(
          keywords, tensor->dtype.empty() ? "\x01" + std::to_string(tensor->id) : tensor->dtype);
    return made.value_or(Value{});
  }
  static const std::map<std::string, std::string> kCasts = {
      {"float", "fp32"}, {"half", "fp16"}, {"bfloat16", "bf16"}, {"long", "int64"},
      {"int", "int32"},  {"bool", "int1"}, {"double", "fp64"}};
  if (const auto found = kCasts.find(name); found != kCasts.end())
    return like(tensor, found->second);
  if (name == "to" || name == "type") {
    for (const Value& one : positional)
      if (one.as<DTypeName>() != nullptr) return like(tensor, one.as<DTypeName>()->name);
    const std::string dtype = dtype_argument(keywords, tensor->dtype);
    return dtype == tensor->dtype ? Value{tensor} : like(tensor, dtype);
  }
  static const std::set<std::string> kReduced = {"sum", "amax", "mean",   "max",
                                                 "min", "norm", "argmax", "amin"};
  if (kReduced.count(name) != 0) return reduced(tensor, positional, keywords);
  if (name == "contiguous") {
    if (tensor->strides.empty()) return Value{tensor};
    Value copied = like(tensor, tensor->dtype);
    copied.tensor()->contents = tensor->contents;
    return copied;
  }
  if (name == "tolist" || name == "sort" || name == "topk" || name == "nonzero") return Value{};
  static const std::set<std::string> kComputed = {"cumsum", "cumprod", "exp",  "log",  "abs",
                                                  "neg",    "sqrt",    "tanh", "clamp"};
  if (kComputed.count(name) != 0) {
    const bool is_sum = name.starts_with("cum") && is_integer_dtype(tensor->dtype);
    return like(tensor, is_sum ? "int64" : tensor->dtype);
  }
  const bool is_set = name == "zero_" || name == "fill_" || name == "requires_grad_";
  if (name.ends_with("_") && !is_set) tensor->contents.clear();  // copy_, scatter_, index_add_
  if (name == "zero_") tensor->contents = "zeros";
  // clone, detach, cuda, requires_grad_, fill_, ...
  return Value{tensor};
}

}  // namespace heddle::kernel::triton::host
