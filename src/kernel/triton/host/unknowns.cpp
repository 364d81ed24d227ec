// What is learnt of unknowns, and the tensors and sizes that they turn out to be.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/likely.h"
#include "support/lists.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostFacts = 4096;
constexpr int kMostAxes = 9;

/// A name that a job's expression can have.
std::string size_name(const std::string& key) {
  std::string name = last_part(key);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "n_" + name
                                                                                : name;
}

bool names_heads(const Fact& fact) {
  static const std::set<std::string> kHeads = {"H", "HV", "HQ", "T"};
  return std::ranges::any_of(fact.axis_names,
                             [](const auto& one) { return kHeads.count(one.second) != 0; });
}

}  // namespace

void Interpreter::learn(const Value& value, const std::function<void(Fact&)>& change) {
  const auto* unknown = value.as<Unknown>();
  if (unknown == nullptr || unknown->key.empty()) return;
  if (knowledge_.facts.size() >= kMostFacts && knowledge_.find(unknown->key) == nullptr) return;
  Fact& fact = knowledge_.facts[unknown->key];
  const Fact before = fact;
  change(fact);
  if (before == fact) return;
  ++knowledge_.changes;
  knowledge_.has_heads = knowledge_.has_heads || names_heads(fact);
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

/// What an axis is called that no code gives a name.
std::string Interpreter::axis_name(const std::string& key, int place) {
  return fmt::format("{}_{}", size_name(key), place);
}

/// Axes that are compared with more than a name have a size of their own.
void Interpreter::name_plain_axes(const Tensor& tensor, const std::vector<Node>& extents) {
  learn(Value{Unknown{tensor.key}}, [&](Fact& fact) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const int place = static_cast<int>(i);
      if (!extents[i].is("Name")) fact.axis_names.try_emplace(place, axis_name(tensor.key, place));
    }
  });
}

/// As many axes as those, by their names.
void Interpreter::learn_extents(const Tensor& tensor, const Values& extents) {
  learn(Value{Unknown{tensor.key}}, [&](Fact& fact) {
    fact.rank = static_cast<int>(extents.size());
    fact.exact_rank = true;
    for (std::size_t i = 0; i < extents.size(); ++i)
      if (const auto number = extents[i].number(); number && used_sizes_.count(number->text) != 0)
        fact.axis_names.try_emplace(static_cast<int>(i), number->text);
  });
}

void Interpreter::name_size(const Number& size, const std::string& name) {
  const auto known = knowledge_.sizes.find(size.text);
  const bool is_open = known == knowledge_.sizes.end()
                           ? used_sizes_.count(size.text) != 0 && is_vague_name(size.text)
                           : known->second.is_weak;
  if (!is_open || is_vague_name(name)) return;
  const Number likely = likely_number(name);
  if (!likely.is_real && likely.whole > 1)
    knowledge_.set_size(size.text, likely.whole, "by the kernel's name for it");
}

Number Interpreter::size(const std::string& name) {
  std::string found = name;
  for (int hops = 0; hops < 8 && knowledge_.same.count(found) != 0; ++hops)
    found = knowledge_.same.at(found);
  const auto known = knowledge_.sizes.find(found);
  const bool is_head = knowledge_.has_heads && (found == "K" || found == "V" || found == "D");
  Number value = known != knowledge_.sizes.end() ? Number::of(known->second.value)
                 : is_head                       ? Number::of(64)
                                                 : likely_number(found);
  value.text = found;
  used_sizes_[found] = value;
  return value;
}

/// The axis in the same place of another tensor of the same rank, 3 or more, or whose rows are read
/// alike; empty: none has a name.
std::string Interpreter::sibling_axis(const std::string& key, int place) const {
  const Fact* own = knowledge_.find(key);
  if (own == nullptr) return {};
  const int rank = own->likely_rank();
  if (rank < 2 || (rank == 2 && !own->has_lane)) return {};
  for (const auto& [other, fact] : knowledge_.facts) {
    if (other == key || !fact.is_tensor || fact.likely_rank() != rank) continue;
    if (rank == 2 && !fact.has_lane) continue;
    auto named = fact.axis_names.find(place);
    if (named == fact.axis_names.end()) named = fact.axis_names.find(place - rank);
    if (named != fact.axis_names.end()) return named->second;
  }
  return place == rank - 1 && rank > 2 ? head_axis() : std::string();
}

/// The last axis of a tensor of any rank that is called as that of a head is; empty: none is.
std::string Interpreter::head_axis() const {
  for (const auto& [other, fact] : knowledge_.facts) {
    if (!fact.is_tensor || fact.likely_rank() < 3) continue;
    auto last = fact.axis_names.find(fact.likely_rank() - 1);
    if (last == fact.axis_names.end()) last = fact.axis_names.find(-1);
    if (last != fact.axis_names.end() && is_head_size_name(last->second)) return last->second;
  }
  return {};
}

Value Interpreter::resolve(const Value& value) {
  const auto* unknown = value.as<Unknown>();
  if (unknown == nullptr || unknown->key.empty()) return value;
  const Fact* fact = knowledge_.find(unknown->key);
  if (fact == nullptr) return value;
  if (fact->is_tensor) return Value{tensor_of(value)};
  if (fact->is_none) return Value{Missing{}};
  if (fact->text) return Value{*fact->text};
  if (fact->flag) return Value{*fact->flag};
  if (!fact->dtype.empty()) return Value{DTypeName{fact->dtype}};
  if (fact->is_number) return Value{size(size_name(unknown->key))};
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

/// The tensor that an unknown stands for, or null.
TensorPointer Interpreter::tensor_of(const Value& value) {
  if (const TensorPointer tensor = value.tensor()) return tensor;
  const auto* unknown = value.as<Unknown>();
  if (unknown == nullptr || unknown->key.empty()) return nullptr;
  learn_tensor(value);
  const Fact* known = knowledge_.find(unknown->key);
  if (known == nullptr) return nullptr;
  auto& made = tensors_[unknown->key];
  if (made != nullptr) return made;
  const Fact fact = *known;
  made = std::make_shared<Tensor>();
  made->id = next_id_++;
  made->key = unknown->key;
  made->name = last_part(unknown->key);
  made->dtype = fact.dtype;
  made->rank_known = fact.exact_rank;
  const TensorPointer tensor = made;
  for (int i = 0; i < std::min(fact.likely_rank(), kMostAxes); ++i) add_axis(tensor);
  return tensor;
}

/// x.shape[0], x.shape[1], x.shape[-1]: three axes, unless its strides say how many there are.
void Interpreter::learn_axis(const TensorPointer& tensor, int index) {
  learn(Value{Unknown{tensor->key}}, [&](Fact& fact) {
    if (asks_stride_ && index >= 0 && from_end_ == 0)
      fact.first_strides = std::max(fact.first_strides, index + 1);
    if (asks_stride_)
      fact.strides = std::max(fact.strides, index < 0 ? -index : index + 1);
    else if (index < 0)
      fact.from_end = std::max(fact.from_end, -index);
    else if (from_end_ == 0)
      fact.from_start = std::max(fact.from_start, index + 1);
  });
}

/// One more axis, called as code calls it, or after the tensor.
void Interpreter::add_axis(const TensorPointer& tensor) {
  const int place = static_cast<int>(tensor->shape.size());
  const Fact* known = knowledge_.find(tensor->key);
  const Fact fact = known == nullptr ? Fact{} : *known;
  auto named = fact.axis_names.find(place);
  if (named == fact.axis_names.end())
    named = fact.axis_names.find(place - std::max(1, fact.likely_rank()));
  std::string name =
      named != fact.axis_names.end() ? named->second : sibling_axis(tensor->key, place);
  if (name.empty() || name == axis_name(tensor->key, place)) {
    name = axis_name(tensor->key, place);
    axis_sizes_[name] = {tensor->key, from_end_ > 0 ? place - from_end_ : place};
    // Large enough to fill a GPU, small enough that the whole tensor is.
    constexpr std::array<std::int64_t, 5> kByRank = {4096, 4096, 1024, 128, 32};
    const int rank = fact.likely_rank();
    Size guess{kByRank.at(static_cast<std::size_t>(std::clamp(rank, 0, 4))),
               "by the rank of its tensor", true};
    if (rank == 2 && knowledge_.is_matrix && !is_integer_dtype(fact.dtype)) guess.value = 4096;
    if (rank <= 1 && is_bounds_name(name)) guess = {5, "where 4 sequences begin and end", true};
    const auto held = knowledge_.sizes.find(name);
    const bool is_open = held == knowledge_.sizes.end() || held->second.is_weak;
    if (is_open && knowledge_.same.count(name) == 0) knowledge_.sizes[name] = guess;
  }
  tensor->shape.push_back(size(name));
}

Number Interpreter::axis(const TensorPointer& tensor, int index) {
  const int rank = static_cast<int>(tensor->shape.size());
  if (!tensor->key.empty() && (!tensor->rank_known || asks_stride_)) learn_axis(tensor, index);
  if (index < 0 && tensor->rank_known) index += rank;
  if (index < 0) {
    const int wanted = std::max({rank, -index, 2});
    if (!tensor->rank_known && wanted < kMostAxes) {
      from_end_ = wanted;
      if (rank < wanted) axis(tensor, wanted - 1);
      from_end_ = 0;
      index += static_cast<int>(tensor->shape.size());
    }
  }
  if (index < 0 || index >= kMostAxes) return Number::of(1);
  if (index < rank) return tensor->shape[static_cast<std::size_t>(index)];
  const Fact* fact = knowledge_.find(tensor->key);
  if (tensor->rank_known && (tensor->key.empty() || fact == nullptr || fact->rank <= index))
    return Number::of(1);
  learn_tensor(Value{Unknown{tensor->key}}, index + 1);
  while (static_cast<int>(tensor->shape.size()) <= index) add_axis(tensor);
  return tensor->shape[static_cast<std::size_t>(index)];
}

}  // namespace heddle::kernel::triton::host
