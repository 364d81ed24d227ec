// Tensors that are taken apart, put together, repeated and combined.
#include <algorithm>

#include "config/dtype.h"
#include "kernel/triton/host/tensor_calls.h"

namespace heddle::kernel::triton::host {
namespace {

std::string dtype_like(const Tensor& tensor) {
  return tensor.dtype.empty() ? "\x01" + std::to_string(tensor.id) : tensor.dtype;
}

bool is_one(const Number& extent) {
  return !extent.is_real && extent.whole == 1 && extent.text.empty();
}

/// The axis of that number; nothing where the tensor has none.
std::optional<std::size_t> axis_of(const Tensor& tensor, int place) {
  const int rank = static_cast<int>(tensor.shape.size());
  if (place < 0) place += rank;
  if (place < 0 || place >= rank) return std::nullopt;
  return static_cast<std::size_t>(place);
}

}  // namespace

/// Arguments by name in the places that PyTorch gives them; fewer where one before them is left out.
Values TensorCalls::in_order(const std::string& name, const Values& positional,
                             const Dict& keywords) const {
  static const std::map<std::string, std::vector<std::string>> kNames = {
      {"flatten", {"start_dim", "end_dim"}},
      {"transpose", {"dim0", "dim1"}},
      {"unsqueeze", {"dim"}},
      {"squeeze", {"dim"}},
      {"permute", {"dims"}},
      {"unbind", {"dim"}},
      {"chunk", {"chunks", "dim"}},
      {"split", {"split_size", "dim"}},
      {"select", {"dim", "index"}},
      {"narrow", {"dim", "start", "length"}},
      {"reshape", {"shape"}},
      {"view", {"size"}},
      {"expand", {"size"}},
      {"repeat", {"repeats"}}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) return positional;
  Values result = positional;
  for (std::size_t i = positional.size(); i < found->second.size(); ++i) {
    const Value* given = argument({}, keywords, 0, found->second[i]);
    // Axes begin with the first.
    if (given == nullptr && found->second[i] != "start_dim" && found->second[i] != "dim") break;
    result.push_back(given == nullptr ? Value{Number::of(0)} : *given);
    if (given == nullptr && keywords.empty()) result.pop_back();
  }
  return result;
}

/// A part of a tensor along an axis, in the place that it has there.
Value TensorCalls::piece(const TensorPointer& tensor, std::size_t axis, const Number& extent) {
  auto result = host_.new_tensor(tensor->shape, dtype_like(*tensor), node_);
  result->name = tensor->name;
  result->strides = strides_of(*tensor);
  result->shape[axis] = extent;
  if (axis == 0 && tensor->strides.empty()) result->strides.clear();
  return Value{result};
}

Value TensorCalls::without_axis(const TensorPointer& tensor, std::size_t axis) {
  auto result = host_.new_tensor(tensor->shape, dtype_like(*tensor), node_);
  result->name = tensor->name;
  result->strides = strides_of(*tensor);
  const auto at = static_cast<std::ptrdiff_t>(axis);
  result->shape.erase(result->shape.begin() + at);
  result->strides.erase(result->strides.begin() + at);
  if (axis == 0 && tensor->strides.empty()) result->strides.clear();
  return Value{result};
}

std::optional<Value> TensorCalls::taken_apart(const TensorPointer& tensor, const std::string& name,
                                              const Values& positional) {
  constexpr std::int64_t kMostPieces = 64;
  const bool is_known = name == "unbind" || name == "chunk" || name == "split" ||
                        name == "select" || name == "narrow";
  if (!is_known) return std::nullopt;
  const bool is_first = name != "chunk" && name != "split";
  const Value* dim =
      positional.size() > (is_first ? 0 : 1) ? &positional[is_first ? 0 : 1] : nullptr;
  const auto axis = axis_of(*tensor, whole_argument(dim, 0));
  if (!tensor->rank_known || !axis) return Value{};
  const Number whole = tensor->shape[*axis];
  if (name == "select") return without_axis(tensor, *axis);
  if (name == "narrow")
    return positional.size() == 3 && positional[2].number()
               ? piece(tensor, *axis, *positional[2].number())
               : Value{};
  Values pieces;
  if (name == "unbind") {
    if (whole.whole > kMostPieces) return Value{};
    for (std::int64_t i = 0; i < whole.whole; ++i) pieces.push_back(without_axis(tensor, *axis));
    return host_.heap().list(std::move(pieces));
  }
  if (positional.empty()) return Value{};
  if (const List* sizes = positional[0].list()) {
    for (const Value& one : host_.items_of(*sizes))
      pieces.push_back(one.number() ? piece(tensor, *axis, *one.number()) : Value{});
    return host_.heap().list(std::move(pieces));
  }
  const auto number = positional[0].number();
  if (!number || number->whole < 1) return Value{};
  Number extent = *number;
  if (name == "chunk") extent = operate("FloorDiv", whole, *number).value_or(whole);
  // The last is what is left.
  if (extent.whole < 1 || whole.whole % extent.whole != 0) return Value{};
  const std::int64_t count = whole.whole / extent.whole;
  if (count > kMostPieces) return Value{};
  for (std::int64_t i = 0; i < count; ++i) pieces.push_back(piece(tensor, *axis, extent));
  return host_.heap().list(std::move(pieces));
}

/// cat([a, b], dim), stack([a, b], dim)
Value TensorCalls::joined(const std::string& name, const Values& positional, const Dict& keywords) {
  const List* list = positional[0].list();
  if (list == nullptr || list->items.empty()) return Value{};
  const TensorPointer first = list->items[0].tensor();
  const bool is_stack = name == "stack";
  if (first == nullptr || !first->rank_known) return Value{};
  const int place = whole_argument(argument(positional, keywords, 1, "dim"), 0);
  Tensor wider = *first;
  if (is_stack) wider.shape.insert(wider.shape.begin(), Number::of(1));
  const auto axis = axis_of(wider, place);
  if (!axis) return Value{};
  std::vector<Number> shape = first->shape;
  if (is_stack) {
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis),
                 Number::of(static_cast<std::int64_t>(list->items.size())));
    return Value{host_.new_tensor(std::move(shape), dtype_like(*first), node_)};
  }
  for (std::size_t i = 1; i < list->items.size(); ++i) {
    const TensorPointer other = list->items[i].tensor();
    if (other == nullptr || other->shape.size() != shape.size()) return Value{};
    shape[*axis] = operate("Add", shape[*axis], other->shape[*axis]).value_or(shape[*axis]);
  }
  return Value{host_.new_tensor(std::move(shape), dtype_like(*first), node_)};
}

Value TensorCalls::repeated(const TensorPointer& tensor, const std::vector<Number>& times) {
  if (times.size() < tensor->shape.size()) return Value{};
  std::vector<Number> shape = times;
  const std::size_t added = times.size() - tensor->shape.size();
  for (std::size_t i = added; i < shape.size(); ++i)
    shape[i] = operate("Mult", tensor->shape[i - added], times[i]).value_or(shape[i]);
  return Value{host_.new_tensor(std::move(shape), dtype_like(*tensor), node_)};
}

/// What is repeated by an expansion has a stride of 0.
Value TensorCalls::expanded(const TensorPointer& tensor, std::vector<Number> shape) {
  if (shape.size() < tensor->shape.size()) return Value{};
  const std::size_t added = shape.size() - tensor->shape.size();
  const std::vector<Number> own = strides_of(*tensor);
  std::vector<Number> strides(added, Number::of(0));
  bool is_repeated = added > 0;
  for (std::size_t i = added; i < shape.size(); ++i) {
    const Number& extent = tensor->shape[i - added];
    if (!shape[i].is_real && shape[i].whole == -1) shape[i] = extent;
    const bool here = is_one(extent) && !is_one(shape[i]);
    is_repeated = is_repeated || here;
    strides.push_back(here ? Number::of(0) : own[i - added]);
  }
  auto result = host_.new_tensor(std::move(shape), dtype_like(*tensor), node_);
  result->name = tensor->name;
  if (is_repeated || !tensor->strides.empty()) result->strides = std::move(strides);
  return Value{result};
}

/// The same bytes as elements of another width.
Value TensorCalls::as_type(const TensorPointer& tensor, const std::string& dtype) {
  const auto before = config::dtype_from_text(tensor->dtype);
  const auto after = config::dtype_from_text(dtype);
  Value result = like(tensor, dtype);
  const bool is_known = before && after && tensor->rank_known && !tensor->shape.empty();
  if (!is_known || config::byte_width(*before) == config::byte_width(*after)) return result;
  Number& last = result.tensor()->shape.back();
  last = operate("Mult", last, Number::of(config::byte_width(*before))).value_or(last);
  last = operate("FloorDiv", last, Number::of(config::byte_width(*after))).value_or(last);
  return result;
}

Value TensorCalls::combined(const std::string& op, const TensorPointer& first,
                            const TensorPointer& second) {
  const bool first_is_like =
      second == nullptr || (first != nullptr && first->shape.size() >= second->shape.size());
  const TensorPointer& like = first_is_like ? first : second;
  auto result = host_.new_tensor(like->shape, like->dtype, node_);
  result->rank_known = like->rank_known;
  if (first == nullptr || second == nullptr) return Value{result};
  const bool are_known = first->rank_known && second->rank_known;
  if (op == "MatMult") {
    if (!are_known || first->shape.size() < 2 || second->shape.size() < 2) return Value{};
    result->shape.back() = second->shape.back();
    result->shape[result->shape.size() - 2] = first->shape[first->shape.size() - 2];
    return Value{result};
  }
  if (!are_known) return Value{result};
  const TensorPointer& other = first_is_like ? second : first;
  const std::size_t added = result->shape.size() - other->shape.size();
  for (std::size_t i = added; i < result->shape.size(); ++i)
    if (is_one(result->shape[i])) result->shape[i] = other->shape[i - added];
  return Value{result};
}

}  // namespace heddle::kernel::triton::host
