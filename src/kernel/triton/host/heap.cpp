#include "kernel/triton/host/heap.h"

#include <utility>

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostHeld = 500'000;  ///< values

}  // namespace

Heap::~Heap() {
  for (const auto& one : lists_) one->items.clear();
  for (const auto& one : dicts_) one->clear();
  for (const auto& one : objects_) one->attributes.clear();
  for (const auto& one : scopes_) {
    one->names.clear();
    one->outer.reset();
  }
  for (const auto& one : boxes_) *one = Value{};
}

bool Heap::take(std::size_t items) {
  if (items > kMostItems || held_ + items + 1 > kMostHeld) return false;
  held_ += items + 1;
  return true;
}

Value Heap::list(Values items, bool is_tuple) {
  if (!take(items.size())) return Value{};
  lists_.push_back(std::make_shared<List>(List{std::move(items), is_tuple, nullptr}));
  return Value{lists_.back()};
}

Value Heap::shape(const TensorPointer& tensor) {
  Values extents;
  for (const Number& extent : tensor->shape) extents.push_back(Value{extent});
  const Value made = list(std::move(extents));
  if (made.list() != nullptr && !tensor->rank_known) lists_.back()->shape_of = tensor;
  return made;
}

Value Heap::dict(Dict items) {
  if (!take(items.size())) return Value{};
  dicts_.push_back(std::make_shared<Dict>(std::move(items)));
  return Value{dicts_.back()};
}

std::shared_ptr<Object> Heap::object() {
  objects_.push_back(std::make_shared<Object>());
  return objects_.back();
}

std::shared_ptr<Scope> Heap::scope() {
  scopes_.push_back(std::make_shared<Scope>());
  return scopes_.back();
}

std::shared_ptr<Value> Heap::box(const Value& value) {
  boxes_.push_back(std::make_shared<Value>(value));
  return boxes_.back();
}

bool Heap::append(List& list, const Value& value) {
  if (list.items.size() >= kMostItems || !take(1)) return false;
  list.items.push_back(value);
  return true;
}

void Heap::set(Dict& dict, const std::string& key, const Value& value) {
  for (auto& [name, held] : dict)
    if (name == key) {
      held = value;
      return;
    }
  if (dict.size() < kMostItems && take(1)) dict.emplace_back(key, value);
}

}  // namespace heddle::kernel::triton::host
