#include "report/json_values.h"

namespace heddle::report {

using nlohmann::json;

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

json place_json(const SourcePlace& place) {
  return {{"line", place.line},
          {"column", place.column},
          {"function", place.function},
          {"text", place.text}};
}

json causes_json(const std::optional<MissCauses>& causes) {
  if (!causes) return nullptr;
  return {{"first_touch", causes->first_touch},
          {"capacity", causes->capacity},
          {"conflict", causes->conflict},
          {"other_die", causes->other_die}};
}

nlohmann::json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"low", interval->low}, {"high", interval->high}};
}

}  // namespace heddle::report
