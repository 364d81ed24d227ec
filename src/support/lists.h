// Lists: is a value in one, one after another.
#pragma once

#include <algorithm>
#include <ranges>
#include <vector>

namespace heddle {

template <class Value, class List>
bool is_one_of(const Value& value, const List& list) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

template <class Value, class List>
void append(std::vector<Value>& list, const List& more) {
  list.insert(list.end(), std::ranges::begin(more), std::ranges::end(more));
}

}  // namespace heddle
