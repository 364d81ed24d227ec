#include "kernel/triton/host/tensor_calls.h"

#include <algorithm>

#include "config/dtype.h"
#include "support/lists.h"

namespace heddle::kernel::triton::host {
namespace {

int whole(const Value* value, int otherwise) {
  if (value == nullptr || !value->number()) return otherwise;
  return static_cast<int>(std::clamp<std::int64_t>(value->number()->whole, -64, 64));
}

bool is_integer(const std::string& dtype) {
  return dtype.find("int") != std::string::npos;
}

}  // namespace

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

std::optional<Value> TensorCalls::created(const std::string& name, const Values& positional,
                                          const Dict& keywords) {
  static const std::set<std::string> kPlain = {"empty", "zeros", "ones", "rand", "randn", "full"};
  Values shape = positional;
  if (const Value* size = argument({}, keywords, 99, "size")) shape = {*size};
  if (kPlain.count(name) != 0) {
    if (name == "full" && shape.size() > 1) shape.resize(1);
    auto tensor = host_.new_tensor(extents(shape), dtype_argument(keywords, "fp32"), node_);
    if (name == "zeros") tensor->contents = "zeros";
    return Value{tensor};
  }
  if (name == "randint") {
    const Value* size =
        shape.size() == 1 && argument({}, keywords, 99, "size") != nullptr ? &shape[0] : nullptr;
    if (size == nullptr && positional.size() >= 2) size = &positional.back();
    auto tensor = host_.new_tensor(size == nullptr ? std::vector<Number>() : extents({*size}),
                                   dtype_argument(keywords, "int64"), node_);
    Values bounds(positional.begin(), positional.end());
    const Value* high = argument({}, keywords, 99, "high");
    if (high == nullptr && bounds.size() >= 3) high = &bounds[1];
    if (high == nullptr && !bounds.empty()) high = &bounds[0];
    if (high != nullptr && high->number() && high->number()->value() >= 1)
      tensor->contents = "uniform(0, " + high->number()->written() + ")";
    return Value{tensor};
  }
  if (name == "arange") {
    std::vector<Number> bounds = extents(positional);
    Number count = bounds.empty() ? Number::of(1) : bounds.front();
    if (bounds.size() >= 2) count = operate("Sub", bounds[1], bounds[0]).value_or(count);
    auto tensor = host_.new_tensor({count}, dtype_argument(keywords, "int64"), node_);
    if (bounds.size() < 2) tensor->contents = "range";
    return Value{tensor};
  }
  if (name == "tensor" || name == "as_tensor") {
    if (positional.empty()) return Value{};
    if (positional[0].tensor() != nullptr) return positional[0];
    const auto* list = positional[0].list();
    const auto count = static_cast<std::int64_t>(list == nullptr ? 1 : list->items.size());
    const bool is_real = list == nullptr || (!list->items.empty() && list->items[0].number() &&
                                             list->items[0].number()->is_real);
    return Value{host_.new_tensor({Number::of(std::max<std::int64_t>(1, count))},
                                  dtype_argument(keywords, is_real ? "fp32" : "int64"), node_)};
  }
  return std::nullopt;
}

std::optional<Value> TensorCalls::descriptor(const std::string& name, const Values& positional,
                                             const Dict& keywords) {
  const bool is_tensor = name == "TensorDescriptor" || name == "from_tensor";
  if (!is_tensor && name.find("create_2d_tma_descriptor") == std::string::npos) return std::nullopt;
  if (positional.empty()) return Value{};
  const TensorPointer tensor = host_.tensor_of(positional[0]);
  if (tensor == nullptr) return Value{};
  DescriptorOf result{tensor, {}};
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
  if (block != nullptr && block->list() != nullptr)
    for (const Value& extent : block->list()->items)
      result.block.push_back(extent.number().value_or(Number::of(64)));
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
      "exp", "sigmoid", "relu",       "softmax",       "clone", "tanh",        "where",
      "pad", "cumsum",  "contiguous", "empty_strided", "sort",  "broadcast_to"};
  static const std::set<std::string> kReduced = {"sum", "amax", "mean", "max", "norm", "logsumexp"};
  if (!positional.empty()) {
    Value first = positional.front();
    if (first.tensor() == nullptr) {
      if (name == "stack" || name == "cat") return Value{};
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
  const int index = whole(positional.empty() ? nullptr : &positional[0], 0);
  if (name == "stride") {
    if (positional.empty()) {
      if (tensor->shape.empty()) host_.axis(tensor, -1);
      Values items;
      for (std::size_t i = 0; i < tensor->shape.size(); ++i)
        items.push_back(*asked(tensor, name, {Value{Number::of(static_cast<std::int64_t>(i))}}));
      return list_value(std::move(items));
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
  if (name == "is_floating_point") return Value{!is_integer(tensor->dtype)};
  if (name == "get_device") return Value{Number::of(0)};
  if (name == "item" || name == "tolist" || name == "max" || name == "min") {
    const bool is_reduction = (name == "max" || name == "min") && !positional.empty();
    if (is_reduction) return std::nullopt;
    return Value{Unknown{(tensor->name.empty() ? "n" : tensor->name) + "_" + name}};
  }
  return std::nullopt;
}

Value TensorCalls::reshaped(const TensorPointer& tensor, const Values& wanted) {
  std::vector<Number> shape = extents(wanted);
  if (tensor->shape.empty()) host_.axis(tensor, 0);
  std::vector<Number> rest = tensor->shape;
  std::size_t open = shape.size();
  bool is_simple = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is_real && shape[i].whole == -1) {
      open = i;
      continue;
    }
    const auto same = std::ranges::find_if(
        rest, [&](const Number& one) { return one.written() == shape[i].written(); });
    if (same != rest.end())
      rest.erase(same);
    else if (shape[i].whole != 1)
      is_simple = false;
  }
  if (open < shape.size()) {
    Number left = product(rest);
    if (!is_simple) {
      std::vector<Number> others = shape;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(open));
      left = operate("FloorDiv", product(tensor->shape), product(others)).value_or(Number::of(1));
    }
    if (left.whole < 1) left = Number::of(1);
    shape[open] = left;
  }
  auto result = host_.new_tensor(
      std::move(shape), tensor->dtype.empty() ? "\x01" + std::to_string(tensor->id) : tensor->dtype,
      node_);
  result->name = tensor->name;
  result->contents = tensor->contents;
  return Value{result};
}

Value TensorCalls::permuted(const TensorPointer& tensor, const std::vector<int>& order) {
  const std::vector<Number> strides = strides_of(*tensor);
  auto result = host_.new_tensor(
      {}, tensor->dtype.empty() ? "\x01" + std::to_string(tensor->id) : tensor->dtype, node_);
  result->name = tensor->name;
  const int rank = static_cast<int>(tensor->shape.size());
  for (const int one : order) {
    const int place = one < 0 ? one + rank : one;
    if (place < 0 || place >= rank) return Value{};
    result->shape.push_back(tensor->shape[static_cast<std::size_t>(place)]);
    result->strides.push_back(strides[static_cast<std::size_t>(place)]);
  }
  return Value{result};
}

std::optional<Value> TensorCalls::viewed(const TensorPointer& tensor, const std::string& name,
                                         const Values& positional) {
  if (name == "view" || name == "reshape") {
    if (positional.size() == 1 && positional[0].as<DTypeName>() != nullptr)
      return like(tensor, positional[0].as<DTypeName>()->name);
    return reshaped(tensor, positional);
  }
  if (!tensor->rank_known && (name == "flatten" || name == "t") &&
      !(name == "flatten" && positional.empty()))
    host_.axis(tensor, -1);
  if (name == "flatten" && positional.empty()) return reshaped(tensor, {Value{Number::of(-1)}});
  if (name == "flatten") {
    const int rank = static_cast<int>(tensor->shape.size());
    int from = whole(&positional[0], 0);
    int to = positional.size() > 1 ? whole(&positional[1], -1) : -1;
    from = std::clamp(from < 0 ? from + rank : from, 0, rank);
    to = std::clamp(to < 0 ? to + rank : to, from, rank - 1);
    std::vector<Number> shape(tensor->shape.begin(), tensor->shape.begin() + from);
    std::vector<Number> joined;
    for (int i = from; i <= to; ++i) joined.push_back(tensor->shape[static_cast<std::size_t>(i)]);
    shape.push_back(product(joined));
    for (int i = to + 1; i < rank; ++i) shape.push_back(tensor->shape[static_cast<std::size_t>(i)]);
    return Value{host_.new_tensor(shape, tensor->dtype, node_)};
  }
  const int rank = static_cast<int>(tensor->shape.size());
  std::vector<int> order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  if (name == "t" && rank >= 2) {
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return permuted(tensor, order);
  }
  if ((name == "transpose" || name == "swapaxes") && positional.size() == 2) {
    const int first = whole(&positional[0], 0);
    const int second = whole(&positional[1], 0);
    host_.axis(tensor, std::max(first, second));
    const int now = static_cast<int>(tensor->shape.size());
    while (static_cast<int>(order.size()) < now) order.push_back(static_cast<int>(order.size()));
    const int a = first < 0 ? first + now : first;
    const int b = second < 0 ? second + now : second;
    if (a < 0 || b < 0 || a >= now || b >= now) return Value{};
    std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    return permuted(tensor, order);
  }
  if (name == "permute") {
    const std::vector<Number> axes = extents(positional);
    order.clear();
    for (const Number& one : axes)
      order.push_back(static_cast<int>(std::clamp<std::int64_t>(one.whole, -9, 9)));
    host_.axis(tensor, static_cast<int>(order.size()) - 1);
    return permuted(tensor, order);
  }
  if (name == "unsqueeze" || name == "squeeze") {
    auto result = host_.new_tensor(tensor->shape, tensor->dtype, node_);
    result->name = tensor->name;
    result->strides = tensor->strides.empty() ? std::vector<Number>() : tensor->strides;
    int place = whole(positional.empty() ? nullptr : &positional[0], 0);
    if (place < 0) place += rank + (name == "unsqueeze" ? 1 : 0);
    if (place < 0 || place > rank) return Value{result};
    if (name == "unsqueeze") {
      result->shape.insert(result->shape.begin() + place, Number::of(1));
      if (!result->strides.empty())
        result->strides.insert(result->strides.begin() + place, Number::of(1));
    } else if (place < rank && tensor->shape[static_cast<std::size_t>(place)].whole == 1) {
      result->shape.erase(result->shape.begin() + place);
      if (!result->strides.empty()) result->strides.erase(result->strides.begin() + place);
    }
    return Value{result};
  }
  if (name == "expand" || name == "repeat" || name == "broadcast_to") {
    std::vector<Number> shape = extents(positional);
    for (std::size_t i = 0; i < shape.size() && i < tensor->shape.size(); ++i)
      if (shape[i].whole == -1) shape[i] = tensor->shape[i];
    return Value{host_.new_tensor(std::move(shape), tensor->dtype, node_)};
  }
  return std::nullopt;
}

Value TensorCalls::reduced(const TensorPointer& tensor, const Values& positional,
                           const Dict& keywords) {
  const Value* axis = argument(positional, keywords, 0, "dim");
  std::vector<Number> shape = tensor->shape;
  if (axis == nullptr) return Value{host_.new_tensor({}, tensor->dtype, node_)};
  int place = whole(axis, -1);
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
  if (auto known = viewed(tensor, name, positional)) return *known;
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
  if (name == "unbind" || name == "chunk" || name == "split" || name == "tolist") return Value{};
  // clone, detach, cuda, requires_grad_, fill_, ...
  return Value{tensor};
}

}  // namespace heddle::kernel::triton::host
