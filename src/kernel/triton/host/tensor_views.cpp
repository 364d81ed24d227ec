// Views of tensors: what they do to shapes and strides.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/triton/host/tensor_calls.h"

namespace heddle::kernel::triton::host {

/// x.reshape(-1, N): x has rows of N, where nothing else is known of it.
void TensorCalls::learn_rows(const Tensor& tensor, const Number& width) {
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  if (tensor.rank_known || tensor.key.empty() || tensor.shape.size() > 1 || width.text.empty() ||
      !std::ranges::all_of(width.text, is_of_name))
    return;
  host_.learn(Value{Unknown{tensor.key}}, [&](Fact& fact) {
    fact.rank = std::max(fact.rank, 2);
    fact.axis_names.try_emplace(-1, width.text);
  });
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
    if (!is_simple && open == 0 && shape.size() == 2) learn_rows(*tensor, shape[1]);
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

Value TensorCalls::flattened(const TensorPointer& tensor, const Values& positional) {
  if (positional.empty()) return reshaped(tensor, {Value{Number::of(-1)}});
  if (!tensor->rank_known) host_.axis(tensor, -1);
  const int rank = static_cast<int>(tensor->shape.size());
  if (rank == 0) return Value{tensor};
  int from = whole_argument(&positional[0], 0);
  int to = positional.size() > 1 ? whole_argument(&positional[1], -1) : -1;
  from = std::clamp(from < 0 ? from + rank : from, 0, rank - 1);
  to = std::clamp(to < 0 ? to + rank : to, from, rank - 1);
  const auto first = tensor->shape.begin() + from;
  const auto last = tensor->shape.begin() + to + 1;
  std::vector<Number> shape(tensor->shape.begin(), first);
  shape.push_back(product(std::vector<Number>(first, last)));
  shape.insert(shape.end(), last, tensor->shape.end());
  return Value{host_.new_tensor(shape, tensor->dtype, node_)};
}

/// t(), transpose(a, b), permute(...); nothing where it is none of them.
std::optional<Value> TensorCalls::transposed(const TensorPointer& tensor, const std::string& name,
                                             const Values& positional) {
  std::vector<int> order;
  if (name == "permute") {
    for (const Number& one : extents(positional))
      order.push_back(static_cast<int>(std::clamp<std::int64_t>(one.whole, -9, 9)));
    host_.axis(tensor, static_cast<int>(order.size()) - 1);
    return permuted(tensor, order);
  }
  const bool swaps = (name == "transpose" || name == "swapaxes") && positional.size() == 2;
  if (!swaps && name != "t") return std::nullopt;
  int first = swaps ? whole_argument(&positional[0], 0) : -2;
  int second = swaps ? whole_argument(&positional[1], 0) : -1;
  if (swaps)
    host_.axis(tensor, std::max(first, second));
  else if (!tensor->rank_known)
    host_.axis(tensor, -1);
  const int rank = static_cast<int>(tensor->shape.size());
  if (name == "t" && rank < 2) return std::nullopt;
  first += first < 0 ? rank : 0;
  second += second < 0 ? rank : 0;
  if (first < 0 || second < 0 || first >= rank || second >= rank) return Value{};
  order.resize(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(first)], order[static_cast<std::size_t>(second)]);
  return permuted(tensor, order);
}

/// unsqueeze(at), squeeze(at)
Value TensorCalls::with_axis(const TensorPointer& tensor, bool adds, const Values& positional) {
  const int rank = static_cast<int>(tensor->shape.size());
  auto result = host_.new_tensor(tensor->shape, tensor->dtype, node_);
  result->name = tensor->name;
  result->strides = tensor->strides;
  int place = whole_argument(positional.empty() ? nullptr : &positional[0], 0);
  if (place < 0) place += rank + (adds ? 1 : 0);
  if (place < 0 || place > rank) return Value{result};
  if (adds) {
    result->shape.insert(result->shape.begin() + place, Number::of(1));
    if (!result->strides.empty())
      result->strides.insert(result->strides.begin() + place, Number::of(1));
  } else if (place < rank && tensor->shape[static_cast<std::size_t>(place)].whole == 1) {
    result->shape.erase(result->shape.begin() + place);
    if (!result->strides.empty()) result->strides.erase(result->strides.begin() + place);
  }
  return Value{result};
}

std::optional<Value> TensorCalls::viewed(const TensorPointer& tensor, const std::string& name,
                                         const Values& positional) {
  if (name == "view" || name == "reshape") {
    if (positional.size() == 1 && positional[0].as<DTypeName>() != nullptr)
      return as_type(tensor, positional[0].as<DTypeName>()->name);
    return reshaped(tensor, positional);
  }
  if (name == "flatten") return flattened(tensor, positional);
  if (auto known = transposed(tensor, name, positional)) return known;
  if (name == "unsqueeze" || name == "squeeze")
    return with_axis(tensor, name == "unsqueeze", positional);
  if (name == "repeat" && tensor->rank_known) return repeated(tensor, extents(positional));
  if ((name == "expand" || name == "broadcast_to") && tensor->rank_known)
    return expanded(tensor, extents(positional));
  if (name == "expand_as" && positional.size() == 1 && positional[0].tensor() != nullptr)
    return like(positional[0].tensor(), tensor->dtype);
  if (name == "expand" || name == "repeat" || name == "broadcast_to") return Value{};
  return std::nullopt;
}

namespace {

bool is_none(const Node& part) {
  return part.is("Constant") && part.constant == ConstantKind::none;
}

bool is_ellipsis(const Node& part) {
  return part.is("Constant") && part.constant == ConstantKind::ellipsis;
}

}  // namespace

/// x[0], x[:, 1:n], x[..., None], x[index]
Value TensorCalls::indexed(const TensorPointer& tensor, const Node& slice) {
  std::vector<const Node*> parts;
  for (const Node& one : slice.list("elts")) parts.push_back(&one);
  if (!slice.is("Tuple")) parts = {&slice};
  const auto used = static_cast<std::size_t>(std::ranges::count_if(
      parts, [](const Node* one) { return !is_none(*one) && !is_ellipsis(*one); }));
  const std::size_t rank = tensor->shape.size();
  View view{host_.new_tensor({}, tensor->dtype, node_), strides_of(*tensor),
            tensor->strides.empty(), 0};
  view.made->name = tensor->name;
  for (const Node* part : parts) {
    if (is_ellipsis(*part)) {
      for (std::size_t i = used; i < rank && view.at < rank; ++i) view.keep(*tensor);
    } else if (is_none(*part)) {
      view.made->shape.push_back(Number::of(1));
      view.made->strides.push_back(Number::of(1));
    } else if (view.at < rank && !take_part(view, *tensor, *part)) {
      break;
    }
  }
  while (view.at < rank) view.keep(*tensor);
  if (view.is_row_major || view.made->strides.size() != view.made->shape.size())
    view.made->strides.clear();
  return Value{view.made};
}

/// One index or slice. False: it was a list of indices, which makes a copy.
bool TensorCalls::take_part(View& view, const Tensor& tensor, const Node& part) {
  if (part.is("Slice")) {
    const Number whole = tensor.shape[view.at];
    const auto bound = [&](const char* field) {
      return part.has(field) ? host_.evaluate(part.at(field)).number() : std::nullopt;
    };
    const auto from_end = [&](const Number& one) {
      return one.whole < 0 ? operate("Add", whole, one).value_or(whole) : one;
    };
    const auto lower = bound("lower");
    const auto upper = bound("upper");
    const auto step = bound("step");
    Number extent = whole;
    if (upper && from_end(*upper).whole < whole.whole) extent = from_end(*upper);
    if (lower && lower->whole != 0)
      extent = operate("Sub", extent, from_end(*lower)).value_or(extent);
    const bool skips = step && step->whole > 1;
    if (skips)
      extent = call_text("cdiv", {extent, *step}, std::ceil(extent.value() / step->value()), false);
    if (skips || (view.at > 0 && (lower || upper))) view.is_row_major = false;
    if (extent.whole < 1) extent = whole;
    view.keep(tensor);
    view.made->shape.back() = extent;
    if (skips)
      view.made->strides.back() =
          operate("Mult", view.made->strides.back(), *step).value_or(view.made->strides.back());
    return true;
  }
  const TensorPointer indices = host_.evaluate(part).tensor();
  if (indices != nullptr) {
    for (const Number& one : indices->shape) view.made->shape.push_back(one);
    view.is_row_major = true;
    ++view.at;
    return false;
  }
  if (view.at > 0) view.is_row_major = false;
  ++view.at;
  return true;
}

}  // namespace heddle::kernel::triton::host
