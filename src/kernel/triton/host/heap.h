// Owns the lists, dicts, objects and scopes that host code makes while it is followed.
//
// Rules
//   1. All of them end with the heap, one by one: a list that holds itself is not leaked, and a chain
//      of a million lists is not destroyed recursively.
//   2. What is held is bounded. A list that is too long, or one too many, is a Value that is not known.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernel/triton/host/value.h"

namespace heddle::kernel::triton::host {

class Heap {
 public:
  Heap() = default;
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  static constexpr std::size_t kMostItems = 1024;  ///< of one list or dict

  Value list(Values items, bool is_tuple = true);
  /// The shape of a tensor whose rank may not be known.
  Value shape(const TensorPointer& tensor);
  Value dict(Dict items = {});
  std::shared_ptr<Object> object();
  std::shared_ptr<Scope> scope();
  std::shared_ptr<Value> box(const Value& value);

  /// Adds to what is held: false where that is too much.
  bool append(List& list, const Value& value);
  void set(Dict& dict, const std::string& key, const Value& value);

 private:
  bool take(std::size_t items);

  std::size_t held_ = 0;
  std::vector<std::shared_ptr<List>> lists_;
  std::vector<std::shared_ptr<Dict>> dicts_;
  std::vector<std::shared_ptr<Object>> objects_;
  std::vector<std::shared_ptr<Scope>> scopes_;
  std::vector<std::shared_ptr<Value>> boxes_;
};

}  // namespace heddle::kernel::triton::host
