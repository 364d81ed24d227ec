#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/fields.h"
#include "results/optimization.h"

namespace heddle::report {

// Values that several reports write the same way. What is not there is null, never an empty text or 0:
//
//   value_json(std::optional<double>{})  ->  null
//   text_or_null("")                        ->  null

nlohmann::json text_or_null(const std::string& text);

/// The words of enumerations, the numbers of ids.
inline nlohmann::json value_json(Verdict value) {
  return verdict_text(value);
}
inline nlohmann::json value_json(ProvedSizes value) {
  return sizes_text(value);
}
inline nlohmann::json value_json(Answer value) {
  return answer_text(value);
}
inline nlohmann::json value_json(SearchEnd value) {
  return search_end_text(value);
}
inline nlohmann::json value_json(Difference value) {
  return difference_text(value);
}
inline nlohmann::json value_json(MeasuredAnswer value) {
  return measured_answer_text(value);
}
inline nlohmann::json value_json(Counterexample::Kind value) {
  return kind_text(value);
}
inline nlohmann::json value_json(LaunchId value) {
  return value.value;
}
inline nlohmann::json value_json(TileId value) {
  return value.value;
}
/// The totals that a history keeps.
nlohmann::json value_json(const SimResult& result);

/// A struct by its fields, a list by its items; what is absent is null.
template <class Value>
nlohmann::json value_json(const Value& value);
template <class Value>
nlohmann::json value_json(const std::optional<Value>& value) {
  return value ? value_json(*value) : nlohmann::json(nullptr);
}
template <class Value>
nlohmann::json value_json(const std::vector<Value>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& value : values) list.push_back(value_json(value));
  return list;
}
/// Keys and their values.
inline nlohmann::json value_json(const std::vector<std::pair<std::string, std::string>>& values) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [key, value] : values) object[key] = value;
  return object;
}
template <class Value>
nlohmann::json value_json(const Value& value) {
  if constexpr (HasFields<Value>) {
    nlohmann::json object = nlohmann::json::object();
    FieldList<Value>::fields(
        [&](Field field, const auto& member) {
          if (field.has(Field::not_in_json)) return;
          nlohmann::json& written = object[field.name] = value_json(member);
          if (field.has(Field::empty_is_null) && written == "") written = nullptr;
        },
        value);
    return object;
  } else {
    return value;
  }
}

nlohmann::json place_json(const SourcePlace& place);

/// What `function` makes of each item.
template <class List, class Function>
nlohmann::json list_json(const List& items, Function function) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& item : items) list.push_back(function(item));
  return list;
}

}  // namespace heddle::report
