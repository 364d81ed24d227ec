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

}  // namespace heddle::report
