#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/simulation.h"
#include "results/trace.h"

namespace heddle::report {

// Values that several reports write the same way. What is not there is null, never an empty text or 0:
//
//   value_or_null(std::optional<double>{})  ->  null
//   text_or_null("")                        ->  null

nlohmann::json text_or_null(const std::string& text);
nlohmann::json place_json(const SourcePlace& place);
nlohmann::json causes_json(const std::optional<MissCauses>& causes);
/// {"low": 30, "high": 41}.
nlohmann::json interval_json(const std::optional<Interval>& interval);

template <class Value>
nlohmann::json value_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// What `function` makes of each item.
template <class List, class Function>
nlohmann::json list_json(const List& items, Function function) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& item : items) list.push_back(function(item));
  return list;
}

}  // namespace heddle::report
