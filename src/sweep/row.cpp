#include "sweep/row.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/csv.h"
#include "support/error.h"

namespace heddle::sweep {
namespace {

using nlohmann::ordered_json;

struct JsonWriter {
  ordered_json& json;
  void operator()(Field field, const std::string& value) const {
    if (!value.empty()) json[field.name] = value;
  }
  void operator()(Field field, bool value) const {
    if (value) json[field.name] = true;
  }
  void operator()(Field field, int value) const { json[field.name] = value; }
  template <class Number>
  void operator()(Field field, const std::optional<Number>& value) const {
    if (value) json[field.name] = *value;
  }
};

struct JsonReader {
  const ordered_json& json;
  template <class Value>
  void operator()(Field field, Value& value) const {
    if (const auto at = json.find(field.name); at != json.end()) value = at->get<Value>();
  }
  template <class Number>
  void operator()(Field field, std::optional<Number>& value) const {
    if (const auto at = json.find(field.name); at != json.end()) value = at->get<Number>();
  }
};

struct CsvWriter {
  std::string& text;
  void cell(const std::string& value) const { text += (text.empty() ? "" : ",") + value; }
  void operator()(Field /*field*/, const std::string& value) const { cell(csv_field(value)); }
  void operator()(Field /*field*/, bool value) const { cell(value ? "1" : "0"); }
  void operator()(Field /*field*/, int value) const { cell(std::to_string(value)); }
  template <class Number>
  void operator()(Field /*field*/, const std::optional<Number>& value) const {
    cell(value ? fmt::format("{}", *value) : "");
  }
};

}  // namespace

std::string row_json(const SweepRow& row) {
  ordered_json json = ordered_json::object();
  SweepRow::fields(JsonWriter{json}, row);
  if (!row.patch.empty()) json["patch"] = row.patch;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

SweepRow read_row(std::string_view text) {
  SweepRow row;
  try {
    const ordered_json json = ordered_json::parse(text);
    if (!json.is_object()) throw Error("not a row of a sweep", "sweep into another folder");
    SweepRow::fields(JsonReader{json}, row);
    JsonReader{json}("patch", row.patch);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a row of a sweep: {}", error.what()), "sweep into another folder");
  }
  return row;
}

std::string csv_head() {
  std::string text;
  SweepRow row;
  const auto add = [&](Field field, const auto&) {
    text += (text.empty() ? "" : ",") + std::string(field.name);
  };
  SweepRow::fields(add, row);
  return text + "\n";
}

std::string csv_row(const SweepRow& row) {
  std::string text;
  SweepRow::fields(CsvWriter{text}, row);
  return text + "\n";
}

}  // namespace heddle::sweep
